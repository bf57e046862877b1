// Shows a text as it will look when it is published, with the server's hints about what it left out.

import type { Preview } from "./types";
import { h, setServerHTML } from "./dom";
import { t } from "./texts";

export class Pane {
  readonly element = h("div", { class: "preview", hidden: true, role: "region", tabindex: "-1", "aria-label": t("previewOf") });

  get shown(): boolean {
    return !this.element.hidden;
  }

  show({ html, hints }: Preview): void {
    const content = h("div", { class: "body", part: "body", dir: "auto" });
    setServerHTML(content, html);
    this.element.replaceChildren(content);
    if (Array.isArray(hints) && hints.length) {
      this.element.append(h("ul", { class: "hints" }, ...hints.map((hint) => h("li", {}, String(hint)))));
    }
    this.element.hidden = false;
  }

  hide(): void {
    this.element.hidden = true;
  }
}
