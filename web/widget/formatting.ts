// The five-line help about Markdown, closed until asked for. The samples are the same in every language.

import { h } from "./dom";
import { t } from "./texts";

const samples: [string, "strong" | "em" | "code" | "q" | "u", string][] = [
  ["**bold**", "strong", "bold"],
  ["*italic*", "em", "italic"],
  ["`code`", "code", "code"],
  ["> quote", "q", "quote"],
  ["[text](https://…)", "u", "text"],
];

export function formatting(): HTMLElement {
  const lines = samples.map(([source, tag, result]) => h("li", {}, h("code", {}, source), " ", h(tag, {}, result)));
  return h("details", { class: "formatting" }, h("summary", {}, t("formatting")), h("ul", {}, ...lines));
}
