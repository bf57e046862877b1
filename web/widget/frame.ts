// The fixed parts of the widget around the list: heading, order, composer, messages, "show more".
// Made once per start; it shows what it is told and decides nothing.

import { asSort, sorts } from "./config";
import { button, h } from "./dom";
import { notice } from "./notice";
import type { Sort } from "./types";
import type { Words } from "./words";

export interface Wishes {
  sort_(order: Sort): void;
  more_(back: boolean): void;
  arrived_(): void;
}

export interface Frame {
  composer_: HTMLElement;
  loading_(host: HTMLElement): void;
  failure_(text: string, retry?: () => void): void;
  thread_(thread: HTMLElement, count: number, closed: boolean, earlier: boolean, more: boolean): void;
  arrivals_(n: number): void;
  say_(text: string): void; // tells a screen reader, politely
}

/** What stands in the place of the comments until they come: the page's own placeholder, else three quiet lines. */
function waiting(host: HTMLElement): HTMLElement {
  return host.querySelector(":scope > :not(noscript, script)") ? h("slot") : h("div", { class: "bone" });
}

export function frameIn(root: HTMLElement, { t, lang_: lang, dir_: dir }: Words, sort: Sort, wishes: Wishes): Frame {
  const title = t("headingEmpty");
  const heading = h("h2", { class: "heading" }, title);
  const options = sorts.map((name) => h("option", { value: name }, t(`sort_${name}`)));
  const order = h("select", { class: "sort", "aria-label": t("sort"), hidden: true, change: () => wishes.sort_(asSort(order.value)) }, ...options);
  const composer = h("div", { class: "compose" });
  const pill = button("", "pill", wishes.arrived_);
  const message = h("div", { class: "message" });
  const earlier = button(t("earlier"), "load-more earlier", () => wishes.more_(true));
  const list = h("div");
  const more = button(t("more"), "load-more", () => wishes.more_(false));
  const spoken = h("p", { class: "unseen", role: "status" });
  pill.hidden = more.hidden = earlier.hidden = true;
  order.value = sort;
  Object.assign(root, { lang, dir, title: "", ariaLabel: title }); // an empty title hides the host's as a tooltip
  root.replaceChildren(h("header", { class: "top" }, heading, order), composer, h("div", { class: "arrivals" }, pill), message, earlier, list, more, spoken);
  return {
    composer_: composer,
    loading_(host) {
      root.ariaBusy = "true";
      list.replaceChildren(waiting(host));
      message.replaceChildren();
    },
    failure_(text, retry) {
      if (!list.querySelector(".thread")) list.replaceChildren();
      root.ariaBusy = null;
      message.replaceChildren(notice(text, t, retry));
    },
    thread_(thread, count, closed, hasEarlier, hasMore) {
      heading.textContent = count ? t("heading", { n: count }) : title;
      order.hidden = count < 2;
      root.ariaBusy = null;
      root.toggleAttribute("data-closed", closed);
      if (thread.parentNode !== list) list.replaceChildren(thread);
      message.replaceChildren(...(thread.firstElementChild ? [] : [h("p", { class: "empty" }, t(closed ? "emptyClosed" : "empty"))]));
      earlier.hidden = !hasEarlier;
      more.hidden = !hasMore;
    },
    arrivals_(n) {
      pill.hidden = !n;
      pill.textContent = n ? t("arrived", { n }) : "";
    },
    say_: (text) => void (spoken.textContent = text),
  };
}
