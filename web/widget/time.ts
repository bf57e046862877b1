// Says when something was, in the reader's words and clock.

import { language, t } from "./texts";

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
const date = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
const exact = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "short" });
const clock = new Intl.DateTimeFormat(language, { timeStyle: "short" });

/** "5 minutes ago"; after four weeks the date. A time in the future is a wrong clock: "just now". */
export function ago(iso: string, now = Date.now()): string {
  const then = Date.parse(iso);
  const seconds = (now - then) / 1000;
  if (Number.isNaN(then)) return "";
  if (seconds > 28 * 86_400) return date.format(then);
  for (const [unit, length] of steps) {
    if (seconds >= length) return relative.format(-Math.floor(seconds / length), unit);
  }
  return t("justNow");
}

/** The full date and time, for a title. */
export function fully(iso: string): string {
  const then = Date.parse(iso);
  return Number.isNaN(then) ? "" : exact.format(then);
}

/** The time of day. */
export function timeOfDay(iso: string): string {
  return clock.format(Date.parse(iso));
}

/** Whether a moment is still to come; no moment at all has passed. */
export function isAhead(iso: string | null | undefined): boolean {
  return Date.parse(iso ?? "") > Date.now();
}
