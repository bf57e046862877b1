// What a reader can do with a comment besides answering it: react, report, copy its address.

import { button, h } from "../dom";
import type { OptionsKit } from "../part";
import { sheetOf } from "../sheet";
import css from "./options.css";

const sheet = sheetOf(css);

export default async function options(kit: OptionsKit): Promise<void> {
  if (kit.press) return react(kit, kit.press);
  const open = kit.place.querySelector(".panel");
  if (open) return close(kit);
  const { reactions = [] } = await kit.form().catch(() => ({ reactions: [] }));
  if (kit.place.querySelector(".panel")) return; // pressed twice while it was loading
  const root = kit.place.getRootNode() as ShadowRoot;
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  const panel = h("div", { class: "panel", role: "group", "aria-label": kit.say("options", "More") }, choices(kit, reactions));
  panel.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close(kit);
  });
  kit.place.prepend(panel);
  kit.opener.setAttribute("aria-expanded", "true");
  panel.querySelector("button")?.focus();
}

function close({ place, opener }: OptionsKit): void {
  place.querySelector(".panel")?.remove();
  opener.setAttribute("aria-expanded", "false");
  opener.focus();
}

async function react(kit: OptionsKit, emoji: string): Promise<void> {
  const on = !kit.mine.includes(emoji);
  const answer = await kit.ask(on ? "PUT" : "DELETE", `/reactions/${encodeURIComponent(emoji)}`, {});
  kit.reacted(answer as Parameters<OptionsKit["reacted"]>[0]);
  kit.announce("reacted", { emoji, on });
}

function choices(kit: OptionsKit, reactions: string[]): HTMLElement {
  const { say, mine } = kit;
  const row = h("div", { class: "panel-row" });
  for (const emoji of reactions) {
    const choose = async () => {
      try {
        await react(kit, emoji);
        close(kit);
      } catch (error) {
        row.after(said((error as Error).message, "alert"));
      }
    };
    const made = button(emoji, "emoji", choose);
    made.setAttribute("aria-pressed", String(mine.includes(emoji)));
    made.setAttribute("aria-label", say("reactWith", "React with {emoji}", { emoji }));
    row.append(made);
  }
  const copy = button(say("copyLink", "Copy link"), "copy", async () => {
    try {
      await navigator.clipboard.writeText(kit.link);
      copy.textContent = say("copied", "Copied");
    } catch {
      // no access to the clipboard: the address itself can be marked and copied
      const address = h("input", { readonly: true, value: kit.link, "aria-label": say("copyLink", "Copy link") });
      row.after(address);
      address.select();
    }
  });
  row.append(copy, button(say("report", "Report"), "report", () => row.replaceWith(reporting(kit))));
  return row;
}

const reasons: [string, string][] = [
  ["spam", "Spam or advertising"],
  ["abuse", "Insulting or hateful"],
  ["personal", "Shows somebody's private data"],
  ["illegal", "Against the law"],
  ["off-topic", "Not about the subject"],
  ["other", "Something else"],
];

function reporting(kit: OptionsKit): HTMLElement {
  const { say } = kit;
  const choose = h("select", { "aria-label": say("reportWhy", "What is wrong with this comment?") }, ...reasons.map(([value, text]) => h("option", { value }, say(`reason_${value}`, text))));
  const words = h("input", { maxlength: "500", placeholder: say("reportText", "A few words (optional)"), "aria-label": say("reportText", "A few words (optional)"), dir: "auto" });
  const send = h("button", { type: "submit", class: "send" }, say("reportSend", "Report"));
  const form = h("form", { class: "panel-row" }, choose, words, send, button(say("cancel", "Cancel"), "cancel", () => close(kit)));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    send.disabled = true;
    try {
      await kit.ask("POST", "/reports", { reason: choose.value, text: words.value.trim() || undefined });
      form.replaceWith(said(say("reported", "Thank you. The author of this blog will look at it."), "status"));
      kit.announce("reported", { reason: choose.value });
    } catch (error) {
      form.querySelector("p")?.remove();
      form.append(said((error as Error).message, "alert"));
      send.disabled = false;
    }
  });
  return form;
}

function said(text: string, role: string): HTMLElement {
  return h("p", { class: "said", role, dir: "auto" }, text);
}
