// The element <postil-count>, for lists of posts: how many comments each has. All of a page are
// asked for together. It shows what stands between its tags until the number is there, and for
// ever when it cannot be had. A bundle of its own: nothing of the widget is needed for it.

import { batch } from "./batch";
import { scriptBase } from "./config";

const base = scriptBase();
const add = batch("counts", 100, postOf, show);

class PostilCount extends HTMLElement {
  static readonly observedAttributes = ["site", "post", "api"];

  connectedCallback(): void {
    const site = this.getAttribute("site") ?? document.querySelector("[site]")?.getAttribute("site");
    const api = (this.getAttribute("api") ?? base)?.replace(/\/+$/, "");
    if (!site || !api || !postOf(this)) return;
    add(api, site, this);
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.connectedCallback();
  }
}

function postOf(element: HTMLElement): string {
  return element.getAttribute("post") ?? element.closest("a")?.href ?? "";
}

// Words are the page's own, by plural form: one="{n} comment" other="{n} comments" zero="none yet".
function show(element: HTMLElement, n: number): void {
  const language = element.closest<HTMLElement>("[lang]")?.lang || "en";
  let form = "other";
  let number = String(n);
  try {
    form = new Intl.PluralRules(language).select(n);
    number = n.toLocaleString(language);
  } catch {
    // no language that the browser knows
  }
  const words = (n === 0 && element.getAttribute("zero")) || element.getAttribute(form) || element.getAttribute("other") || "{n}";
  element.textContent = words.replace("{n}", number);
}

if (!customElements.get("postil-count")) customElements.define("postil-count", PostilCount);
