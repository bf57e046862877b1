// The custom element <postil-comments>: a shell that turns being connected, disconnected and
// changed into the beginning and end of a session. Nothing happens before it is on a page, and
// nothing is left when it is gone.

import { readConfig, scriptBase } from "./config";
import { h } from "./dom";
import { notice } from "./notice";
import { followScheme } from "./scheme";
import { Session } from "./session";
import css from "./style.css";
import { t } from "./texts";

const base = scriptBase(); // now, while the script that brought us can still be told

let sheet: CSSStyleSheet | undefined;

function sharedSheet(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet(); // not an inline style: a strict Content-Security-Policy allows it
    sheet.replaceSync(css);
  }
  return sheet;
}

export class PostilComments extends HTMLElement {
  static readonly observedAttributes = ["site", "post", "title", "url", "api", "sort"];

  private running: AbortController | null = null;
  private planned = false;

  connectedCallback(): void {
    this.start();
  }

  disconnectedCallback(): void {
    this.stop();
  }

  // A framework may set several attributes in a row: one new session for all of them.
  attributeChangedCallback(_name: string, before: string | null, after: string | null): void {
    if (!this.running || before === after || this.planned) return;
    this.planned = true;
    queueMicrotask(() => {
      this.planned = false;
      if (!this.running) return;
      this.stop();
      this.start();
    });
  }

  private start(): void {
    if (this.running || !this.isConnected) return;
    const { signal } = (this.running = new AbortController());
    const shadow = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    shadow.adoptedStyleSheets = [sharedSheet()];
    const config = readConfig(this, base);
    if (!config.site || !config.api) {
      const root = h("section", { class: "root" }, notice(t(config.site ? "noApi" : "noSite")));
      shadow.replaceChildren(root);
      followScheme(this, root, signal);
      return;
    }
    const session = new Session(this, { ...config, api: config.api }, signal);
    shadow.replaceChildren(session.frame.element);
    followScheme(this, session.frame.element, signal);
    session.start();
  }

  private stop(): void {
    this.running?.abort();
    this.running = null;
  }
}
