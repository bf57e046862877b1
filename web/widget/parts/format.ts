// The toolbar and the five-line help about Markdown. What a button puts around the selection can
// be undone; without a selection the caret stands between the marks and nothing else is written.

import { button, h } from "../dom";
import type { FormatKit } from "../part";
import { sheetOf } from "../sheet";
import css from "./format.css";

const sheet = sheetOf(css);

type Tag = "strong" | "em" | "code" | "q" | "u";

// key of the text, English text, what stands before and after, whether each line gets it
const tools: [key: string, english: string, before: string, after: string, tag: Tag][] = [
  ["bold", "bold", "**", "**", "strong"],
  ["italic", "italic", "*", "*", "em"],
  ["code", "code", "`", "`", "code"],
  ["quote", "quote", "> ", "", "q"],
  ["link", "link", "[", "](https://)", "u"],
];

export default function format({ say, root, area }: FormatKit): HTMLElement {
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  const bar = h("div", { class: "bar", role: "toolbar", "aria-label": say("formatting", "Formatting") });
  const list = h("ul", { class: "samples" });
  tools.forEach(([key, english, before, after, tag], i) => {
    const name = say(key, english);
    const made = button("", "tool", () => wrap(area, before, after));
    made.append(h(tag, {}, name));
    made.tabIndex = i ? -1 : 0;
    bar.append(made);
    list.append(h("li", {}, h("code", {}, before + name + after), " ", h(tag, {}, name)));
  });
  bar.addEventListener("keydown", (event) => move(bar, event));
  return h("div", { class: "format" }, bar, list);
}

// One stop of the Tab key; the arrows go from tool to tool.
function move(bar: HTMLElement, event: KeyboardEvent): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const all = Array.from(bar.children) as HTMLElement[];
  const at = all.findIndex((tool) => tool.tabIndex === 0);
  const way = getComputedStyle(bar).direction === "rtl" ? -step : step;
  const next = all[(at + way + all.length) % all.length]!;
  all[at]!.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
  event.preventDefault();
}

function wrap(area: HTMLTextAreaElement, before: string, after: string): void {
  const { selectionStart: start, selectionEnd: end, value } = area;
  const chosen = value.slice(start, end);
  const atLine = start === 0 || value[start - 1] === "\n";
  const text = after ? before + chosen + after : (atLine ? "" : "\n") + chosen.replace(/^/gm, before);
  area.focus();
  // The only way that keeps the browser's undo; where it is gone the text is set by hand.
  if (!document.execCommand("insertText", false, text)) {
    area.setRangeText(text, start, end, "end");
    area.dispatchEvent(new InputEvent("input", { bubbles: true }));
  }
  if (!after) return;
  const first = start + before.length;
  const isLink = after.length > 2;
  if (isLink && chosen) area.setSelectionRange(start + text.length - 1, start + text.length - 1);
  else area.setSelectionRange(first, first + chosen.length);
}
