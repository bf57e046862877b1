// What fits, and the sentences for what does not. The numbers are the server's; until it has told
// them the usual ones hold.

import { t } from "./texts";
import type { Form } from "./types";

const size = (text: string) => Array.from(text).length; // the server counts code points too

export class Limits {
  private text = 8000;
  private name = 64;

  learn({ limits }: Form): void {
    this.text = limits?.text ?? this.text;
    this.name = limits?.name ?? this.name;
  }

  /** Whether the text is too long, and the count to show: none while there is plenty of room. */
  count(text: string): { over: boolean; shown: string } {
    const n = size(text);
    return { over: n > this.text, shown: n >= this.text * 0.9 ? t("counter", { n, max: this.text }) : "" };
  }

  faultOfText(text: string): string {
    const n = size(text);
    if (!text.trim()) return t("needText");
    return n > this.text ? t("tooLong", { n, max: this.text }) : "";
  }

  faultOfName(name: string): string {
    const n = size(name);
    if (!n) return t("needName");
    return n > this.name ? t("nameTooLong", { n, max: this.name }) : "";
  }
}
