// Reads the element's attributes and finds the comment server. All of it is data: enumerations
// are checked, addresses must be http(s), nothing is taken from the page's URL parameters.

import type { Texts } from "./english";
import type { Sort } from "./types";
import { webAddress } from "./dom";
import { languageOf } from "./words";

export interface Config {
  site_: string;
  post_: string;
  title_: string;
  url_: string;
  api_: string | null;
  sort_: Sort;
  lang_: string;
  texts_: Texts[]; // what the page says instead of ours, most wanted first
}

export const sorts: readonly Sort[] = ["oldest", "newest", "top"];

/** The value as a sort order; anything unknown is the default. */
export function asSort(value: unknown): Sort {
  return sorts.find((sort) => sort === value) ?? "oldest";
}

const bundle = /(https?:\/\/[^\s"'()<>]*?)\/(widget|count|views|question)(\.v\d+)?\.js/;

/**
 * Where this script came from, without the file name; null when it cannot be known (bundled into
 * a file of the page). Must be called while the script runs for the first time: a classic script is
 * `currentScript`, a module or an import shows in the stack.
 */
export function scriptBase(): string | null {
  const current = document.currentScript as HTMLScriptElement | null;
  const found = bundle.exec(current?.src ?? "") ?? bundle.exec(new Error().stack ?? "");
  return found && found[1]!;
}

/** What a page says in place of ours, as JSON; anything else is nothing. */
export function asTexts(json: string | null | undefined): Texts {
  try {
    return Object(JSON.parse(json || "{}"));
  } catch {
    return {};
  }
}

/** The element's configuration, complete with its defaults. */
export function readConfig(element: HTMLElement & { texts?: unknown }, base: string | null): Config {
  const text = (name: string) => element.getAttribute(name)?.trim() ?? "";
  const canonical = webAddress(document.querySelector<HTMLLinkElement>('link[rel~="canonical"]')?.href) ?? location.href;
  const api = text("api");
  const language = text("language") || element.closest<HTMLElement>("[lang]")?.lang || "";
  return {
    site_: text("site"),
    post_: text("post") || canonical,
    title_: text("title") || document.title,
    url_: (text("url") && webAddress(text("url"), location.href)) || canonical,
    api_: (api ? webAddress(api, location.href) : base)?.replace(/\/+$/, "") ?? null,
    sort_: asSort(text("sort")),
    lang_: languageOf(language),
    texts_: [Object(element.texts), asTexts(text("texts")), asTexts(element.querySelector('script[type="application/json"]')?.textContent)],
  };
}
