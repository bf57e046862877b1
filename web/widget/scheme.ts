// Learns from the page what CSS alone cannot tell: whether its text is light on dark, and which
// colour its links have. With a pinned theme the style sheet decides instead.

import { h } from "./dom";

/** Roughly how light a computed colour is, 0 to 1; understands rgb(), color() and the ok/lab forms. */
export function lightness(color: string): number {
  const [a = 0, b = 0, c = 0] = (color.replace(/^\w+\((srgb|display-p3)?/, "").match(/[\d.]+/g) ?? []).map(Number);
  if (/^ok/.test(color)) return a;
  if (/^(lab|lch)/.test(color)) return a / 100;
  const scale = color.startsWith("rgb") ? 255 : 1;
  return (0.3 * a + 0.59 * b + 0.11 * c) / scale;
}

/** Sets what was learned on the widget's root: data-scheme, --_accent and --_on-accent. */
export function applyScheme(host: HTMLElement, root: HTMLElement): void {
  const pinned = /^(light|dark)$/.exec(host.getAttribute("theme") ?? "")?.[0];
  const lightText = lightness(getComputedStyle(host).color) > 0.5;
  root.dataset.scheme = pinned ?? (lightText ? "dark" : "light");
  root.style.removeProperty("--_accent");
  const link = pinned ? null : linkColor(host);
  if (link && lightness(link) > 0.45 === lightText) root.style.setProperty("--_accent", link);
  const probe = h("span", { class: "probe" });
  root.append(probe);
  const accent = getComputedStyle(probe).color;
  probe.remove();
  root.style.setProperty("--_on-accent", lightness(accent) > 0.55 ? "#111" : "#fff");
}

// The probe is in the page for no longer than the browser needs to compute its colour.
function linkColor(host: HTMLElement): string | null {
  const probe = h("a", { href: "#postil-probe", hidden: true });
  host.before(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return color || null;
}

/** Keeps the root in step with the page until signal ends it: system setting, class or attribute switches. */
export function followScheme(host: HTMLElement, root: HTMLElement, signal: AbortSignal): void {
  const apply = () => applyScheme(host, root);
  apply();
  const watch = { attributes: true, attributeFilter: ["class", "style", "data-theme", "data-color-scheme", "data-bs-theme"] };
  const observer = new MutationObserver(apply);
  observer.observe(document.documentElement, watch);
  observer.observe(host, { attributes: true, attributeFilter: ["class", "style", "theme"] });
  if (document.body) observer.observe(document.body, watch);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply, { signal });
  window.addEventListener("load", apply, { signal });
  signal.addEventListener("abort", () => observer.disconnect());
}
