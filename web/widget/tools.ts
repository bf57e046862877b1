// The button that opens the toolbar and the help about Markdown, which are fetched when first asked for.

import { button } from "./dom";
import { sayOr, type FormatPart } from "./part";
import type { Say } from "./words";

export function toolsButton(
  t: Say,
  load: () => Promise<FormatPart>,
  area: HTMLTextAreaElement,
  place: HTMLElement,
  failed: (error: unknown, retry: () => void) => void,
): HTMLButtonElement {
  let tools: HTMLElement | null = null;
  const toggle = async () => {
    try {
      const part = tools ? null : await load();
      if (tools) tools.hidden = !tools.hidden;
      else if (part) place.prepend((tools = part({ say: sayOr(t), root: area.getRootNode() as ShadowRoot, area })));
      opener.setAttribute("aria-expanded", String(!tools!.hidden));
    } catch (error) {
      failed(error, toggle);
    }
  };
  const opener = button(t("formatting"), "formatting", toggle);
  opener.setAttribute("aria-expanded", "false");
  return opener;
}
