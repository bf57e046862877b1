// Reads the element's attributes and finds the comment server. All of it is data: enumerations
// are checked, addresses must be http(s), nothing is taken from the page's URL parameters.

import type { Sort } from "./types";
import { webAddress } from "./dom";

export interface Config {
  site: string;
  post: string;
  title: string;
  url: string;
  api: string | null;
  sort: Sort;
}

export const sorts: readonly Sort[] = ["oldest", "newest", "top"];

/** The value as a sort order; anything unknown is the default. */
export function asSort(value: unknown): Sort {
  return sorts.find((sort) => sort === value) ?? "oldest";
}

const bundle = /https?:\/\/[^\s"'()<>]*?\/widget(?:\.v\d+)?\.js/;

/**
 * Where this script came from, without the file name; null when it cannot be known (bundled into
 * a file of the page). Must be called while the script runs for the first time: a classic script is
 * `currentScript`, a module or an import shows in the stack, and the last resort is a search.
 */
export function scriptBase(): string | null {
  const current = (document.currentScript as HTMLScriptElement | null)?.src;
  const listed = Array.from(document.scripts, (script) => script.src).reverse();
  for (const text of [current, new Error().stack, ...listed]) {
    const found = text && bundle.exec(text);
    if (found) return found[0].slice(0, found[0].lastIndexOf("/"));
  }
  return null;
}

function absolute(address: string | null): string | null {
  try {
    return address ? webAddress(new URL(address, location.href).href) : null;
  } catch {
    return null;
  }
}

/** The element's configuration, complete with its defaults. */
export function readConfig(element: HTMLElement, base: string | null): Config {
  const text = (name: string) => element.getAttribute(name)?.trim() ?? "";
  const canonical = document.querySelector<HTMLLinkElement>('link[rel~="canonical"]')?.href;
  const url = absolute(text("url")) ?? webAddress(canonical) ?? location.href;
  return {
    site: text("site"),
    post: text("post") || webAddress(canonical) || location.href,
    title: text("title") || document.title,
    url,
    api: (text("api") ? absolute(text("api")) : base)?.replace(/\/+$/, "") ?? null,
    sort: asSort(text("sort")),
  };
}
