// The desk's script. Every page works without it: it only spares reloading, and gives keys.

import { act, intercept, undoLast } from "./acts";
import { current, move, first, open, expand, write, clipLong } from "./list";
import { follow } from "./live";

const help = document.querySelector<HTMLDialogElement>("#help");
const list = document.querySelector<HTMLElement>("#list");

const keys: Record<string, () => void> = {
  j: () => move(1),
  k: () => move(-1),
  a: () => act("approve"),
  r: () => act("reject"),
  s: () => act("spam"),
  d: () => act("delete"),
  u: undoLast,
  e: expand,
  o: open,
  w: write,
  "/": () => document.querySelector<HTMLInputElement>("#search")?.focus(),
  "?": () => help?.showModal(),
};

// A letter is a key only where nobody writes, and never with Ctrl, Alt or Cmd.
function pressed(event: KeyboardEvent): void {
  const target = event.target as Element;
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || help?.open) return;
  if (event.key === "Escape" && target instanceof HTMLElement) target.blur();
  if (target.closest("input, select, textarea")) return;
  const act = keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

document.addEventListener("keydown", pressed);
intercept();
clipLong(document);
if (list) {
  list.addEventListener("focusin", (event) => current((event.target as Element).closest<HTMLElement>(".item")));
  list.addEventListener("pointerdown", (event) => current((event.target as Element).closest<HTMLElement>(".item")));
  first();
}
follow();
