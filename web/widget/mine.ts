// What the reader's device knows of the reader: edit keys of own comments per site and post, the
// name to fill in next time, and the device key. Nothing is written before the reader sends.

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

export class Mine {
  private readonly place: string;

  constructor(site: string, post: string) {
    this.place = `own:${site}:${post}`;
  }

  keys(): string[] {
    return this.list().map((entry) => entry.key);
  }

  keyOf(id: string): string | null {
    return this.list().find((entry) => entry.id === id)?.key ?? null;
  }

  add(id: string, key: string): void {
    const rest = this.list().filter((entry) => entry.id !== id);
    remember(this.place, [...rest, { id, key }].slice(-atMost));
  }

  drop(id: string): void {
    remember(this.place, this.list().filter((entry) => entry.id !== id));
  }

  // Another tab may have added keys, so the list is read each time. What stands there is data of
  // the page's origin and may be anything.
  private list(): Key[] {
    const kept: unknown = recall(this.place, []);
    return Array.isArray(kept) ? kept.filter((entry) => typeof entry?.id === "string" && typeof entry?.key === "string") : [];
  }
}

export function profile(): Profile {
  const kept = recall<Partial<Profile> | null>("me", null);
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return { name: text(kept?.name), email: text(kept?.email), website: text(kept?.website) };
}

export function keepProfile(me: Profile): void {
  remember("me", me);
}

/** The random key by which a returning author is known; made at the first post. */
export function device(): string {
  const kept = recall<unknown>("device", null);
  if (typeof kept === "string" && /^[\w-]{16,128}$/.test(kept)) return kept;
  const key = randomKey();
  remember("device", key);
  return key;
}
