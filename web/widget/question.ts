// The element <postil-question>: a box in which a reader leaves a question for the author of the
// blog. It says “saved” only when the server has said so; whatever else happens, the text stays
// where it is. A bundle of its own: nothing of the widget is needed for it.

import { load } from "./api";
import { asTexts, scriptBase } from "./config";
import { grow, h } from "./dom";
import type { Texts } from "./english";
import css from "./question.css";
import { sheetOf } from "./sheet";
import { recall, remember } from "./storage";
import { languageOf } from "./words";

const base = scriptBase();
const most = 1000; // characters
const patience = 15_000; // milliseconds
let sheet: CSSStyleSheet | undefined;
let labels = 0;

/** The English texts; every other language is a file of the same keys in ask/. */
export const english = {
  label: "Your question",
  hint: "Please write no names, addresses or other personal data. The author of this blog reads it; no answer can be sent to you.",
  send: "Send",
  sending: "Sending …",
  empty: "There is no question yet. Write one and send again.",
  tooLong: "That is {n} characters; {max} fit. Shorten it a little and send again.",
  sent: "Thank you. Your question was saved.",
  limited: "Too many questions came from here just now. Your text is still here: wait a minute and send again.",
  unsaved: "Your question could not be saved. Your text is still here: try again in a moment.",
  offline: "The server did not answer. Your text is still here: check the connection and try again.",
  refused: "Questions cannot be sent from this page.",
};

type Key = keyof typeof english;
type Say = (key: Key, values?: Record<string, string>) => string;

class PostilQuestion extends HTMLElement {
  private made_ = false;

  connectedCallback(): void {
    if (this.made_) return;
    this.made_ = true; // what was typed stays when a router moves the element
    void this.make_();
  }

  private async make_(): Promise<void> {
    const api = (this.getAttribute("api") ?? base)?.replace(/\/+$/, "");
    const language = languageOf(this.getAttribute("language") || this.closest<HTMLElement>("[lang]")?.lang || "");
    // Without its file a language is worth less than the box: it appears in English.
    const table = language === "en" || !api ? {} : await load<Texts>(api, `ask-${language}`).catch(() => ({}) as Texts);
    const texts: Texts = { ...english, ...table, ...asTexts(this.getAttribute("texts")) };
    const say: Say = (key, values = {}) => String(texts[key]).replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [(sheet ??= sheetOf(css))];
    root.append(this.form_(say, api ?? "", Object.keys(table).length ? language : "en"));
  }

  private form_(say: Say, api: string, language: string): HTMLElement {
    const site = this.getAttribute("site") ?? "";
    const place = `question:${site}`;
    const id = `q${++labels}`;
    const area = h("textarea", { id, rows: "3", dir: "auto", part: "field", "aria-describedby": `${id}h` });
    const send = h("button", { part: "button" }, say("send"));
    const said = h("p", { role: "status", part: "notice", dir: "auto" });
    const form = h(
      "form",
      { lang: language, dir: /^(ar|he)$/.test(language) ? "rtl" : "ltr", novalidate: true },
      h("label", { for: id }, say("label")), area, h("p", { id: `${id}h`, class: "hint", part: "hint" }, say("hint")), send, said,
    );
    area.value = String(recall(place, ""));
    area.addEventListener("input", () => {
      remember(place, area.value || undefined);
      grow(area);
    });
    let busy = false;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const question = area.value.trim();
      const n = [...question].length; // the server counts code points, too
      if (busy) return;
      said.textContent = "";
      if (!n || n > most) {
        said.textContent = say(n ? "tooLong" : "empty", { n: n.toLocaleString(language), max: most.toLocaleString(language) });
        return area.focus();
      }
      area.readOnly = busy = true; // what is typed now would be lost with what was sent
      send.textContent = say("sending");
      const outcome = await ask(`${api}/api/qlog?${new URLSearchParams(site ? { site } : {})}`, question);
      area.readOnly = busy = false;
      send.textContent = say("send");
      said.textContent = say(outcome);
      if (outcome !== "sent") return;
      area.value = area.style.height = "";
      remember(place);
      this.dispatchEvent(new CustomEvent("postil:asked", { bubbles: true, composed: true }));
    });
    return form;
  }
}

async function ask(address: string, question: string): Promise<Key> {
  try {
    const { status } = await fetch(address, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ question }), credentials: "omit", signal: AbortSignal.timeout(patience),
    });
    return status === 201 ? "sent" : status === 429 ? "limited" : status === 403 || status === 404 ? "refused" : "unsaved";
  } catch {
    return "offline";
  }
}

if (!customElements.get("postil-question")) customElements.define("postil-question", PostilQuestion);
