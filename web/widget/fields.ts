// The small inputs of a composer: who writes, and the trap that only machines fill.

import type { Profile } from "./mine";
import { h } from "./dom";
import type { Say } from "./words";

const kinds = { name: "text", email: "email", website: "url" };
type Kind = keyof typeof kinds;

export interface Fields {
  element_: HTMLElement;
  inputs_: Record<string, HTMLInputElement | undefined>; // by the field that a problem names
  trap_: HTMLInputElement; // gets the name that the server chose
  value_(): Profile & { trap: string };
}

export function fieldsOf(me: Profile, t: Say): Fields {
  const inputs: Fields["inputs_"] = {};
  const text = (name: Kind) => inputs[`author.${name}`]!.value.trim();
  const field = (name: Kind) => {
    const label = t(name);
    return (inputs[`author.${name}`] = h("input", {
      name, type: kinds[name], autocomplete: kinds[name].replace("text", "name"), value: me[name], placeholder: label, "aria-label": label, dir: "auto",
    }));
  };
  const trap = h("input", { tabindex: "-1", autocomplete: "off" });
  const element = h("div", { class: "fields" }, field("name"), field("email"), field("website"), h("div", { class: "unseen", "aria-hidden": "true" }, trap));
  inputs["author.email"]!.title = t("emailWhy");
  return {
    element_: element,
    inputs_: inputs,
    trap_: trap,
    value_() {
      const website = text("website");
      return { name: text("name"), email: text("email"), website: website && !/^\w+:/.test(website) ? `https://${website}` : website, trap: trap.value };
    },
  };
}
