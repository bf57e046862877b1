// The element <postil-count>, for lists of posts: how many comments each has. All of a page are
// asked for together. It shows what stands between its tags until the number is there, and for
// ever when it cannot be had. A bundle of its own: nothing of the widget is needed for it.

import { scriptBase } from "./config";

const base = scriptBase();
const most = 100; // posts of one request
const waiting = new Map<string, Set<HTMLElement>>(); // by the address to ask

class PostilCount extends HTMLElement {
  static readonly observedAttributes = ["site", "post", "api"];

  connectedCallback(): void {
    const site = this.getAttribute("site") ?? document.querySelector("[site]")?.getAttribute("site");
    const api = (this.getAttribute("api") ?? base)?.replace(/\/+$/, "");
    if (!site || !api || !postOf(this)) return;
    const address = `${api}/api/v1/sites/${encodeURIComponent(site)}/counts?`;
    if (!waiting.size) setTimeout(askAll); // when the rest of the page has been read
    waiting.set(address, (waiting.get(address) ?? new Set()).add(this));
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.connectedCallback();
  }
}

function postOf(element: HTMLElement): string {
  return element.getAttribute("post") ?? element.closest("a")?.href ?? "";
}

function askAll(): void {
  for (const [address, elements] of waiting) {
    const posts = [...new Set(Array.from(elements, postOf))];
    for (let i = 0; i < posts.length; i += most) void ask(address, posts.slice(i, i + most), elements);
  }
  waiting.clear();
}

async function ask(address: string, posts: string[], elements: Set<HTMLElement>): Promise<void> {
  try {
    const response = await fetch(address + new URLSearchParams(posts.map((post) => ["post", post])), { credentials: "omit", signal: AbortSignal.timeout(15_000) });
    const { counts } = await response.json();
    for (const element of elements) {
      const n = counts[postOf(element)];
      if (Number.isInteger(n)) show(element, n);
    }
  } catch {
    // what stands in the elements is as good as it gets
  }
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
