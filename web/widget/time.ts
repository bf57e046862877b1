// Says when something was, in the reader's words. The reader's clock may be wrong; the server's
// answers tell by how much.

import type { Words } from "./words";

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
let skew = 0; // milliseconds that the reader's clock is behind

/** The moment it really is, in milliseconds. */
export function now(): number {
  return Date.now() + skew;
}

/**
 * Learns the true time from an answer's Date header and, behind a cache, its Age. Nothing, junk and
 * what differs by more than a day is not believed; half a minute is no difference.
 */
export function learnTime(date: string | null, age: string | null): void {
  const behind = Date.parse(date ?? "") + Number(age) * 1000 - Date.now();
  const size = Math.abs(behind);
  if (size < 90_000_000) skew = size < 30_000 ? 0 : behind;
}

/** "5 minutes ago"; after four weeks the date. A time in the future is "now". */
export function ago({ relative_: relative, lang_: lang }: Words, iso: string): string {
  const then = new Date(iso);
  const seconds = (now() - +then) / 1000;
  if (seconds > 28 * 86_400) return then.toLocaleDateString(lang, { dateStyle: "medium" });
  for (const [unit, length] of steps) {
    if (seconds >= length) return relative.format(-Math.floor(seconds / length), unit);
  }
  return relative.format(0, "second");
}

/** The full date and time, for a title. */
export function fully({ lang_: lang }: Words, iso: string): string {
  return new Date(iso).toLocaleString(lang, { dateStyle: "full", timeStyle: "short" });
}
