// Highlights the comment that the page's address names, and keeps it in view while images and
// fonts still move the page, until the reader moves it.

import type { LinkKit } from "../part";
import { reveal } from "../dom";
import { sheetOf } from "../sheet";
import css from "./link.css";

const sheet = sheetOf(css);
const settled = 10_000; // milliseconds after which a page is taken to have its shape

export default function link({ element, root, signal }: LinkKit): void {
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  root.querySelector("[data-linked]")?.removeAttribute("data-linked");
  element.dataset.linked = "";
  let height = -1;
  const keep = new ResizeObserver(() => {
    const now = document.documentElement.scrollHeight;
    if (height !== now) reveal(element);
    height = now;
  });
  const stop = () => keep.disconnect();
  keep.observe(document.body);
  keep.observe(document.documentElement);
  setTimeout(stop, settled);
  signal.addEventListener("abort", stop);
  for (const act of ["wheel", "touchstart", "keydown", "pointerdown"]) addEventListener(act, stop, { once: true, passive: true, signal });
}
