// The element <postil-views>: how often a post was read, rounded as people say it. All of a page
// are asked for together; with the attribute "count" the visit is told, too. It shows what stands
// between its tags until the number is there, and for ever when it cannot be had. A bundle of its
// own: nothing of the widget is needed for it.

import { batch } from "./batch";
import { scriptBase } from "./config";
import { languageOf } from "./words";

const base = scriptBase();
const add = batch("views", 50, postOf, show);
const told = new Set<string>(); // visits of this page

const about: Record<string, string> = {
  en: "about {n}", ar: "نحو {n}", de: "etwa {n}", es: "unas {n}", fr: "environ {n}", he: "בערך {n}", hi: "लगभग {n}", it: "circa {n}", ja: "約 {n}",
  ko: "약 {n}", nl: "ongeveer {n}", pl: "około {n}", pt: "cerca de {n}", ru: "около {n}", tr: "yaklaşık {n}", uk: "близько {n}", "zh-hans": "约 {n}", "zh-hant": "約 {n}",
};

class PostilViews extends HTMLElement {
  static readonly observedAttributes = ["site", "post", "api"];

  connectedCallback(): void {
    const api = (this.getAttribute("api") ?? base)?.replace(/\/+$/, "");
    const site = siteOf(this);
    if (!site || !api) return;
    if (this.hasAttribute("count")) whenSeen(() => tell(`${api}/api/view?${new URLSearchParams({ site })}`, postOf(this)));
    add(api, site, this);
  }

  attributeChangedCallback(): void {
    if (this.isConnected) this.connectedCallback();
  }
}

function siteOf(element: HTMLElement): string | null | undefined {
  return element.getAttribute("site") ?? document.querySelector("[site]")?.getAttribute("site");
}

function postOf(element: HTMLElement): string {
  const here = () => new URL(document.querySelector<HTMLLinkElement>('link[rel~="canonical"]')?.href ?? location.href).pathname;
  return element.getAttribute("post") ?? element.closest("a")?.href ?? here();
}

// A page that is loaded in advance is not read yet.
function whenSeen(act: () => void): void {
  if ((document as { prerendering?: boolean }).prerendering) document.addEventListener("prerenderingchange", act, { once: true });
  else act();
}

// Nobody waits for the answer, and a visit that is lost is only a smaller number.
function tell(address: string, path: string): void {
  if (!path.startsWith("/") || told.has(address + path)) return;
  told.add(address + path);
  navigator.sendBeacon(address, JSON.stringify({ path }));
}

// Words are the page's own, by plural form: one="{n} reader" other="{n} readers".
function show(element: HTMLElement, n: number): void {
  let language = element.closest<HTMLElement>("[lang]")?.lang || "en";
  let form = "other";
  try {
    form = new Intl.PluralRules(language).select(n);
  } catch {
    language = "en"; // none that the browser knows
  }
  const words = element.getAttribute(form) || element.getAttribute("other") || "{n}";
  element.textContent = words.replace("{n}", () => rounded(n, language));
  element.title = n.toLocaleString(language);
}

// 987 is 987; 1,234 is about 1.2k.
function rounded(n: number, language: string): string {
  if (n < 1000) return n.toLocaleString(language);
  const short = new Intl.NumberFormat(language, { notation: "compact", maximumSignificantDigits: 2 }).format(n);
  const ours = languageOf(language);
  return about[ours]!.replace("{n}", ours === "en" ? short.replace("K", "k") : short);
}

if (!customElements.get("postil-views")) customElements.define("postil-views", PostilViews);
