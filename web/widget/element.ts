// The custom element <postil-comments>: a shell that turns being connected, disconnected and
// changed into the beginning and end of a session. Nothing happens before it is on a page and
// near the reader's view, and nothing is left when it is gone.

import { readConfig, scriptBase } from "./config";
import { h } from "./dom";
import { linkedId } from "./link";
import { notice } from "./notice";
import { followScheme } from "./scheme";
import { begin } from "./session";
import { sheetOf } from "./sheet";
import css from "./style.css";
import { wordsOf } from "./words";

const base = scriptBase(); // now, while the script that brought us can still be told
let sheet: CSSStyleSheet | undefined;

export class PostilComments extends HTMLElement {
  static readonly observedAttributes = ["site", "post", "title", "url", "api", "sort", "language", "texts"];

  private running_: AbortController | null = null;
  /** Texts of the page's own, by key, read when the element comes to the page. */
  declare texts?: unknown;

  connectedCallback(): void {
    this.start_();
  }

  disconnectedCallback(): void {
    this.stop_();
  }

  attributeChangedCallback(_name: string, before: string | null, after: string | null): void {
    if (before !== after) this.again_();
  }

  // A framework may set several attributes in a row: one new session for all of them.
  private again_(): void {
    if (!this.running_) return;
    this.stop_();
    queueMicrotask(() => this.start_());
  }

  private start_(): void {
    if (this.running_ || !this.isConnected) return;
    const { signal } = (this.running_ = new AbortController());
    const shadow = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    shadow.adoptedStyleSheets = [(sheet ??= sheetOf(css))];
    const root = h("section", { class: "root" }, h("slot"));
    shadow.replaceChildren(root);
    delete this.dataset.settled;
    followScheme(this, root, signal);
    const config = readConfig(this, base);
    this.followPage_(config.post_, signal);
    const { api_: api } = config;
    if (!config.site_ || !api) {
      root.replaceChildren(notice(wordsOf("en", []).t("setup", { name: config.site_ ? "api" : "site" })));
      return;
    }
    whenNear(this, signal, () => begin(this, root, { ...config, api_: api }, signal));
  }

  // A router may keep the element and change the page around it.
  private followPage_(post: string, signal: AbortSignal): void {
    const look = () => readConfig(this, base).post_ !== post && this.again_();
    addEventListener("popstate", look, { signal });
    (window as { navigation?: EventTarget }).navigation?.addEventListener("navigatesuccess", look, { signal });
  }

  private stop_(): void {
    this.running_?.abort();
    this.running_ = null;
  }
}

// A link to a comment is a reason to begin at once.
function whenNear(element: HTMLElement, signal: AbortSignal, act: () => void): void {
  const go = () => {
    watch.disconnect();
    act();
    act = () => undefined;
  };
  const watch = new IntersectionObserver((seen) => seen.some((entry) => entry.isIntersecting) && go(), { rootMargin: "800px" });
  watch.observe(element);
  signal.addEventListener("abort", () => watch.disconnect());
  addEventListener("hashchange", () => linkedId() && go(), { signal });
  if (linkedId()) go();
}
