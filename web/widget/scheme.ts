// Learns from the page what CSS alone cannot tell: whether its text is light on dark, and which
// colour its links have. With a pinned theme the style sheet decides instead.

import { h } from "./dom";

/** Roughly how light a computed colour is, 0 to 1; understands rgb(), color() and the ok/lab forms. */
export function lightness(color: string): number {
  const [a = 0, b = 0, c = 0] = (color.replace(/[(,]/g, " ").match(/ [\d.]+/g) ?? []).map(Number);
  if (/^ok/.test(color)) return a;
  if (/^(lab|lch)/.test(color)) return a / 100;
  const scale = color.startsWith("rgb") ? 255 : 1;
  return (0.3 * a + 0.59 * b + 0.11 * c) / scale;
}

const accents: Record<string, string> = { light: "#2f6f4f", dark: "#8fcfae" }; // of the fixed themes

/** Sets what was learned on the widget's root: data-scheme, --_link and --_on-accent. */
export function applyScheme(host: HTMLElement, root: HTMLElement): void {
  const theme = host.getAttribute("theme") ?? "";
  const text = getComputedStyle(host).color;
  const lightText = lightness(text) > 0.5;
  const pinned = accents[theme];
  root.dataset.scheme = pinned ? theme : lightText ? "dark" : "light";
  const link = pinned ?? linkColor(host);
  root.style.setProperty("--_link", pinned || lightness(link) > 0.45 === lightText ? link : text);
  const probe = h("span", { class: "probe" });
  root.append(probe);
  root.style.setProperty("--_on-accent", lightness(getComputedStyle(probe).color) > 0.55 ? "#111" : "#fff");
  probe.remove();
}

// The probe is in the page for no longer than the browser needs to compute its colour.
function linkColor(host: HTMLElement): string {
  const probe = h("a", { href: "#postil-probe", hidden: true });
  host.before(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return color;
}

/** Keeps the root in step with the page until signal ends it: system setting, class or attribute switches. */
export function followScheme(host: HTMLElement, root: HTMLElement, signal: AbortSignal): void {
  const apply = () => applyScheme(host, root);
  apply();
  const observer = new MutationObserver(apply);
  for (const target of [document.documentElement, document.body, host]) if (target) observer.observe(target, { attributes: true });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply, { signal });
  addEventListener("load", apply, { signal });
  signal.addEventListener("abort", () => observer.disconnect());
}
