// The small inputs of a composer: who writes, and the trap that only machines fill.

import type { Profile } from "./mine";
import { h, uniqueId } from "./dom";
import { t } from "./texts";

function field(key: "name" | "email" | "website", type: string, autocomplete: string, value: string): HTMLInputElement {
  const label = t(key);
  return h("input", { id: uniqueId(), name: key, type, autocomplete, value, placeholder: label, "aria-label": label, dir: "auto" });
}

export class Fields {
  readonly element: HTMLElement;
  readonly name: HTMLInputElement;
  private readonly email: HTMLInputElement;
  private readonly website: HTMLInputElement;
  private readonly trap = h("input", { type: "text", tabindex: "-1", autocomplete: "off", "aria-label": t("trap") });

  constructor(me: Profile) {
    this.name = field("name", "text", "name", me.name);
    this.email = field("email", "email", "email", me.email);
    this.email.title = t("emailWhy");
    this.website = field("website", "url", "url", me.website);
    const hole = h("div", { class: "unseen", "aria-hidden": "true" }, this.trap);
    this.element = h("div", { class: "fields" }, this.name, this.email, this.website, hole);
  }

  /** Gives the trap the name that the server chose. */
  arm(name: string): void {
    this.trap.name = name;
  }

  /** The input that a problem's `field` means, if it is one of these. */
  find(field: string): HTMLInputElement | undefined {
    return [this.name, this.email, this.website].find((input) => field === `author.${input.name}`);
  }

  value(): Profile & { trap: string } {
    const website = this.website.value.trim();
    return {
      name: this.name.value.trim(),
      email: this.email.value.trim(),
      website: website && !/^[a-z][a-z\d+.-]*:/i.test(website) ? `https://${website}` : website,
      trap: this.trap.value,
    };
  }
}
