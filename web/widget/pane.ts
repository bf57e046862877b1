// Shows a text as it will look when it is published, in place of the text area, and the button that
// goes there and back.

import type { Preview } from "./types";
import { button, h, setServerHTML } from "./dom";
import type { Say } from "./words";

export interface Pane {
  element_: HTMLElement;
  button_: HTMLButtonElement;
  hide_(): void;
}

/** @param render null when there is nothing to show */
export function paneOf(t: Say, area: HTMLTextAreaElement, render: () => Promise<Preview | null>, failed: (error: unknown, retry: () => void) => void): Pane {
  const pane = h("div", { class: "preview", hidden: true, role: "region", tabindex: "-1", "aria-label": t("preview") });
  const opener = button(t("preview"), "show-preview", toggle);
  const show = (shown: boolean) => {
    pane.hidden = !shown;
    area.hidden = shown;
    opener.textContent = t(shown ? "backToText" : "preview");
  };
  async function toggle() {
    if (!pane.hidden) {
      show(false);
      area.focus();
      return;
    }
    try {
      const preview = await render();
      if (!preview) return;
      const content = h("div", { class: "body", part: "body", dir: "auto" });
      setServerHTML(content, preview.html);
      pane.replaceChildren(content, ...(preview.hints ?? []).map((hint) => h("p", { class: "note" }, hint)));
      show(true);
    } catch (error) {
      failed(error, toggle);
    }
  }
  return { element_: pane, button_: opener, hide_: () => show(false) };
}
