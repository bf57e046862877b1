// The small round sign beside a name: an image where the site has turned them on, else the
// initial on a colour that is always the same for the same name.

import type { Author } from "./types";
import { h, webAddress } from "./dom";

export function avatar(author: Author): HTMLElement {
  const image = webAddress(author.avatar);
  if (image) return h("img", { class: "avatar", src: image, alt: "", loading: "lazy", referrerpolicy: "no-referrer" });
  const initial = Array.from(author.name.trim())[0] ?? "?";
  const sign = h("span", { class: "avatar", "aria-hidden": "true" }, initial.toUpperCase());
  sign.style.setProperty("--_hue", String(hue(author.name)));
  return sign;
}

function hue(name: string): number {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + character.codePointAt(0)!) >>> 0;
  return hash % 360;
}
