// The language of one widget: its texts with what the page replaced, plural forms, numbers and
// writing direction. Two widgets on a page may speak different languages.

import { english, type Key, type Texts } from "./english";

/** The languages there are texts for, besides English. */
const languages = "ar de es fr he hi it ja ko nl pl pt ru tr uk zh-hans zh-hant".split(" ");

/**
 * The language of ours that a code means, however it is spelt: de_AT, PT-br, iw, zh-TW. English
 * when there are no texts for it.
 */
export function languageOf(code: string): string {
  const given = code.trim().toLowerCase().replace(/_/g, "-");
  const first = given.split("-")[0]!.replace("iw", "he");
  const ours = first === "zh" ? `zh-han${/hant|^zh-(tw|hk|mo)/.test(given) ? "t" : "s"}` : first;
  return languages.includes(ours) ? ours : "en";
}

type Values = Record<string, string | number>;
export type Say = (key: Key, values?: Values) => string;

export interface Words {
  t: Say; // the text of key with its {placeholders} filled in, "" when nobody knows it; numbers get the language's grouping
  lang_: string;
  dir_: "ltr" | "rtl";
  relative_: Intl.RelativeTimeFormat;
}

/** The words of a language; the tables are asked in their order, English at last. What they say is data and may be anything. */
export function wordsOf(lang: string, tables: (Texts | null)[]): Words {
  const plural = new Intl.PluralRules(lang);
  const number = new Intl.NumberFormat(lang);
  const all: (Texts | null)[] = [...tables, english];
  return {
    lang_: lang,
    dir_: /^(ar|he)$/.test(lang) ? "rtl" : "ltr",
    relative_: new Intl.RelativeTimeFormat(lang, { numeric: "auto" }),
    t: (key, values = {}) => {
      const text = all.map((table) => table?.[key]).find((text) => text) ?? "";
      const form = typeof text === "object" ? text[plural.select(+values.n!)] ?? text.other : text;
      return String(form).replace(/\{(\w+)\}/g, (whole, name: string) => {
        const value = values[name] ?? whole;
        return typeof value === "number" ? number.format(value) : value;
      });
    },
  };
}
