// What others do meanwhile: the number that waits follows, and a button offers what is new. Nothing
// moves under the reader's hands.

import { items } from "./list";
import { waiting } from "./net";

const every = 15_000;

/** Looks at what waits, now and then, while the page is looked at. */
export function follow(): void {
  const badge = document.querySelector<HTMLElement>("#waiting");
  if (!badge) return;
  const look = async (): Promise<void> => {
    if (document.visibilityState !== "visible") return;
    const n = await waiting();
    if (n === null) return;
    badge.textContent = String(n);
    badge.hidden = n === 0;
    document.title = document.title.replace(/^(\(\d+\) )?/, n ? `(${n}) ` : "");
    offer(n);
  };
  setInterval(() => void look(), every);
  document.addEventListener("visibilitychange", () => void look());
}

function offer(n: number): void {
  const fresh = document.querySelector<HTMLButtonElement>("#fresh");
  if (!fresh || !document.querySelector("nav [aria-current] #waiting") || location.search) return;
  const shown = items().filter((item) => !item.classList.contains("done")).length;
  const more = document.querySelector("a[rel=next]");
  fresh.hidden = more !== null || n <= shown;
  fresh.textContent = n - shown === 1 ? "1 new comment" : `${n - shown} new comments`;
  fresh.onclick = () => location.reload();
}
