// What the reader's device knows of the reader: edit keys of own comments and reactions, per site
// and post, the name to fill in next time, and the device key. Nothing is written before the
// reader acts. What stands there is data of the page's origin and may be anything.

import { randomKey, recall, remember } from "./storage";

export interface Profile {
  name: string;
  email: string;
  website: string;
}

interface Key {
  id: string;
  key: string;
}

const atMost = 50; // keys that one request may carry

export interface Mine {
  keys_(): Key[]; // of own comments
  keep_(id: string, key?: string): void; // without a key: forgets it
  emoji_(id: string): string[]; // that the reader put on a comment
  choose_(id: string, emoji: string[]): void;
}

export function mineAt(site: string, post: string): Mine {
  const place = `own:${site}:${post}`;
  const emoji = `emoji:${site}:${post}`;
  // Another tab may have added keys, so the list is read each time.
  const keys = (): Key[] => {
    const kept = recall<Key[]>(place, []);
    return Array.isArray(kept) ? kept.filter((entry) => entry?.key) : [];
  };
  const chosen = (): Record<string, unknown> => Object(recall(emoji, {}));
  return {
    keys_: keys,
    keep_(id, key) {
      const rest = keys().filter((entry) => entry.id !== id);
      remember(place, [...rest, ...(key ? [{ id, key }] : [])].slice(-atMost));
    },
    emoji_(id) {
      const kept = chosen()[id];
      return Array.isArray(kept) ? kept : [];
    },
    choose_: (id, list) => remember(emoji, { ...chosen(), [id]: list }),
  };
}

export function profile(): Profile {
  const { name, email, website } = Object(recall("me", {}));
  const text = (value: unknown) => String(value ?? "");
  return { name: text(name), email: text(email), website: text(website) };
}

/** The random key by which a returning author is known; made at the first act. */
export function device(): string {
  let key = recall<unknown>("device", "");
  if (typeof key !== "string" || !/^[\w-]{16,128}$/.test(key)) remember("device", (key = randomKey()));
  return key as string;
}
