// The fixed parts of the widget around the list: heading, order, composer, messages, "show more".
// Made once per start; it shows what it is told and decides nothing.

import { asSort, sorts } from "./config";
import { button, h } from "./dom";
import { notice } from "./notice";
import { direction, language, t } from "./texts";
import type { Sort } from "./types";

export interface Wishes {
  sort(order: Sort): void;
  more(): void;
  arrived(): void;
}

export class Frame {
  readonly element: HTMLElement;
  readonly composer = h("div", { class: "compose" });
  private readonly heading = h("h2", { class: "heading" }, t("headingEmpty"));
  private readonly order: HTMLSelectElement;
  private readonly message = h("div", { class: "message" });
  private readonly pill: HTMLButtonElement;
  private readonly list = h("div", { class: "list" });
  private readonly moreButton: HTMLButtonElement;
  private readonly spoken = h("p", { class: "unseen", role: "status" });

  constructor(sort: Sort, wishes: Wishes) {
    const options = sorts.map((name) => h("option", { value: name }, t(`sort_${name}`)));
    this.order = h("select", { class: "sort", "aria-label": t("sort"), hidden: true }, ...options);
    this.order.value = sort;
    this.order.addEventListener("change", () => wishes.sort(asSort(this.order.value)));
    this.pill = button("", "pill", () => wishes.arrived());
    this.moreButton = button(t("more"), "load-more", () => wishes.more());
    this.pill.hidden = this.moreButton.hidden = true;
    this.element = h(
      "section",
      { class: "root", lang: language, dir: direction, title: "", "aria-label": t("headingEmpty") }, // an empty title hides the host's as a tooltip
      h("header", { class: "top" }, this.heading, this.order),
      this.composer,
      h("div", { class: "arrivals" }, this.pill),
      this.message,
      this.list,
      this.moreButton,
      this.spoken,
    );
  }

  /** Three quiet lines, or what the page put into the element as its own placeholder. */
  showLoading(host: HTMLElement): void {
    const own = host.querySelector(":scope > :not(noscript)");
    const line = () => h("div", { class: "bone" });
    const bones = h("div", { class: "skeleton", role: "status", "aria-label": t("loading") }, line(), line(), line());
    this.list.replaceChildren(own ? h("slot") : bones);
    this.message.replaceChildren();
  }

  showFailure(detail: string, retry?: () => void): void {
    if (!this.list.querySelector(".thread")) this.list.replaceChildren();
    this.message.replaceChildren(notice(detail, retry));
  }

  showThread(thread: HTMLElement, count: number, closed: boolean, more: boolean): void {
    const empty = !thread.firstElementChild;
    this.heading.textContent = count ? t("heading", { n: count }) : t("headingEmpty");
    this.order.hidden = count < 2;
    this.element.toggleAttribute("data-closed", closed);
    if (thread.parentNode !== this.list) this.list.replaceChildren(thread);
    this.message.replaceChildren(...(empty ? [h("p", { class: "empty" }, t(closed ? "emptyClosed" : "empty"))] : []));
    this.moreButton.hidden = !more;
  }

  showClosed(): void {
    this.composer.replaceChildren(h("p", { class: "closed" }, t("closed")));
  }

  showArrivals(n: number): void {
    this.pill.hidden = n === 0;
    this.pill.textContent = n ? t("arrived", { n }) : "";
  }

  /** Tells a screen reader, politely. */
  say(text: string): void {
    this.spoken.textContent = text;
  }
}
