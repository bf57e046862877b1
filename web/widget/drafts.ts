// Keeps what was typed, per reply target, until the server has acknowledged it. An attempt (the
// exact body with its Idempotency-Key) stays with the draft, so that a retry after an error or a
// crash is the same request and can never become a second comment.

import { randomKey, recall, remember } from "./storage";

interface Attempt {
  mark: string; // the person's part of the body: another text is another attempt
  key: string;
  body: string;
  at: number;
}

export const keptFor = 20 * 3_600_000; // milliseconds; the server remembers a key, and a form token, for a day

export interface Draft {
  text_(): string;
  save_(text: string): void;
  attempt_(mark: string, body: () => string): Attempt; // the earlier one when nothing changed, else a new one
  drop_(): void; // makes the next attempt a new request; the text stays
  clear_(): void;
}

export function draftOf(site: string, post: string, target: string): Draft {
  const place = `draft:${site}:${post}:${target}`;
  const read = (): { text?: unknown; attempt?: Attempt } => Object(recall(place, {}));
  const text = () => String(read().text ?? "");
  return {
    text_: text,
    save_: (text) => remember(place, text ? { ...read(), text } : undefined),
    attempt_(mark, body) {
      const before = read().attempt;
      if (before?.mark === mark && before.at > Date.now() - keptFor) return before;
      const attempt = { mark, key: randomKey(), body: body(), at: Date.now() };
      remember(place, { ...read(), attempt });
      return attempt;
    },
    drop_: () => remember(place, { text: text() }),
    clear_: () => remember(place),
  };
}
