// The small round sign beside a name: an image where the site has turned them on, else the
// initial on a colour that is always the same for the same name.

import type { Author } from "./types";
import { h, webAddress } from "./dom";

export function avatar({ avatar, name }: Author): HTMLElement {
  const src = webAddress(avatar);
  if (src) return h("img", { class: "avatar", src, alt: "", loading: "lazy", referrerpolicy: "no-referrer" });
  const letters = [...(name.trim() || "?")];
  const sign = h("span", { class: "avatar", "aria-hidden": "true" }, letters[0]!.toUpperCase());
  const hue = letters.reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 3600, 0);
  sign.style.setProperty("--_hue", String(hue));
  return sign;
}
