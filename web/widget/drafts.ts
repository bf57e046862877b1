// Keeps what was typed, per reply target, until the server has acknowledged it. An attempt (the
// exact body with its Idempotency-Key) stays with the draft, so that a retry after an error or a
// crash is the same request and can never become a second comment.

import { forget, randomKey, recall, remember } from "./storage";

interface Attempt {
  mark: string; // the person's part of the body: another text is another attempt
  key: string;
  body: string;
  at: number;
}

const keptFor = 20 * 3_600_000; // milliseconds; the server remembers a key, and a form token, for a day

interface Kept {
  text?: string;
  attempt?: Attempt;
}

export class Draft {
  private readonly place: string;

  constructor(site: string, post: string, target: string) {
    this.place = `draft:${site}:${post}:${target}`;
  }

  text(): string {
    const { text } = this.read();
    return typeof text === "string" ? text : "";
  }

  save(text: string): void {
    if (text) remember(this.place, { ...this.read(), text });
    else forget(this.place);
  }

  /** The attempt for this content: the earlier one when nothing changed, else a new one. */
  attempt(mark: string, body: () => string): Attempt {
    const before = this.read().attempt;
    if (before && before.mark === mark && before.at > Date.now() - keptFor) return before;
    const attempt = { mark, key: randomKey(), body: body(), at: Date.now() };
    remember(this.place, { ...this.read(), attempt });
    return attempt;
  }

  /** Makes the next attempt a new request; the text stays. */
  dropAttempt(): void {
    remember(this.place, { text: this.text() });
  }

  clear(): void {
    forget(this.place);
  }

  private read(): Kept {
    const kept = recall<Kept | null>(this.place, null);
    return kept && typeof kept === "object" ? kept : {};
  }
}
