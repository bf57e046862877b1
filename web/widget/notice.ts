// A sentence that something did not work, announced at once, with the way on.

import { button, h } from "./dom";
import type { Say } from "./words";

export function notice(text: string, t?: Say, retry?: () => void): HTMLElement {
  const element = h("div", { class: "notice", part: "notice", role: "alert" }, h("span", { dir: "auto" }, text));
  if (t && retry) element.append(button(t("retry"), "retry", retry));
  return element;
}

/** Shows which field is meant, until it is changed. */
export function markWrong(element: HTMLElement): void {
  element.setAttribute("aria-invalid", "true");
  element.addEventListener("input", () => element.removeAttribute("aria-invalid"), { once: true });
  element.focus();
}
