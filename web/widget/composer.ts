// Where a reader writes: a new comment, a reply, or a change to an own one. It knows nothing of
// the network; its job says how to send, and a Problem from there is shown without losing a letter.

import type { Form, Preview } from "./types";
import { Problem } from "./api";
import type { Draft } from "./drafts";
import { button, grow, h, uniqueId } from "./dom";
import { Fields } from "./fields";
import { formatting } from "./formatting";
import { Limits } from "./limits";
import { profile, type Profile } from "./mine";
import { markWrong, notice } from "./notice";
import { Pane } from "./pane";
import { t } from "./texts";

export interface Entry extends Profile {
  text: string;
  trap: string;
}

export interface Job {
  kind: "new" | "reply" | "edit";
  target: string; // "new" or a comment's id
  label: string;
  text: string; // to begin with, when no draft is kept
  draft: Draft;
  form(): Promise<Form>;
  preview(text: string): Promise<Preview>;
  send(entry: Entry): Promise<void>;
  close?(): void;
}

export class Composer {
  readonly element: HTMLFormElement;
  readonly area: HTMLTextAreaElement;
  private readonly fields: Fields | null;
  private readonly more = h("div", { class: "more", hidden: true });
  private readonly pane = new Pane();
  private readonly counter = h("span", { class: "counter", role: "status", id: uniqueId() });
  private readonly notices = h("div", { class: "notices" });
  private readonly sendButton: HTMLButtonElement;
  private readonly previewButton: HTMLButtonElement;
  private readonly limits = new Limits();
  private busy = false;

  constructor(private readonly job: Job) {
    const isEdit = job.kind === "edit";
    this.fields = isEdit ? null : new Fields(profile());
    this.area = h("textarea", { name: "text", rows: "3", dir: "auto", placeholder: job.label, "aria-label": job.label, "aria-describedby": this.counter.id });
    this.area.value = job.draft.text() || job.text;
    this.sendButton = h("button", { type: "submit", class: "send", part: "button" }, t(isEdit ? "save" : "send"));
    this.previewButton = button(t("preview"), "show-preview", () => void this.togglePreview());
    this.element = h("form", { class: "composer", part: "composer", novalidate: true, "data-kind": job.kind, "data-target": job.target });
    this.assemble();
    this.listen();
    if (job.kind !== "new" || job.draft.text()) this.expand();
    this.count();
  }

  focus(): void {
    this.area.focus();
    grow(this.area);
  }

  private assemble(): void {
    const row = h("div", { class: "row" }, this.sendButton, this.previewButton);
    if (this.job.close) row.append(button(t("cancel"), "cancel", () => this.job.close!()));
    row.append(formatting(), this.counter);
    if (this.fields) this.more.append(this.fields.element);
    this.more.append(row);
    this.element.append(this.area, this.pane.element, this.more, this.notices);
    if (this.fields) this.element.append(h("p", { class: "note" }, t("note")));
  }

  private listen(): void {
    this.element.addEventListener("focusin", () => this.expand());
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.send();
    });
    this.element.addEventListener("keydown", (event) => this.key(event));
    this.area.addEventListener("input", () => {
      this.job.draft.save(this.area.value);
      this.expand();
      grow(this.area);
      this.count();
    });
  }

  private key(event: KeyboardEvent): void {
    if (event.isComposing) return; // the key belongs to the input method
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void this.send();
    } else if (event.key === "Escape" && this.job.close) {
      event.stopPropagation();
      this.job.close();
    }
  }

  // The form token is asked for when somebody begins to write, so that reading costs nothing.
  private expand(): void {
    if (!this.more.hidden) return;
    this.more.hidden = false;
    this.element.dataset.open = "";
    if (this.fields) this.job.form().then((form) => this.learn(form), () => undefined); // sending asks again
  }

  private learn(form: Form): void {
    this.fields?.arm(form.trap);
    this.limits.learn(form);
    if (form.closed) this.notices.replaceChildren(notice(t(form.lockdown ? "paused" : "closed")));
    this.count();
  }

  private count(): void {
    const { over, shown } = this.limits.count(this.area.value);
    this.counter.textContent = shown;
    this.counter.classList.toggle("over", over);
  }

  private async togglePreview(): Promise<void> {
    if (this.pane.shown) {
      this.showText();
      this.area.focus();
      return;
    }
    if (this.textIsWrong()) return;
    try {
      this.pane.show(await this.job.preview(this.area.value));
      this.area.hidden = true;
      this.previewButton.textContent = t("backToText");
      this.notices.replaceChildren();
    } catch (error) {
      this.fail(error, () => void this.togglePreview());
    }
  }

  private showText(): void {
    this.pane.hide();
    this.area.hidden = false;
    this.previewButton.textContent = t("preview");
  }

  private textIsWrong(): boolean {
    return this.complain(this.limits.faultOfText(this.area.value), this.area);
  }

  private nameIsWrong(): boolean {
    return this.fields !== null && this.complain(this.limits.faultOfName(this.fields.value().name), this.fields.name);
  }

  private complain(fault: string, where: HTMLElement): boolean {
    if (!fault) return false;
    this.expand();
    if (where === this.area) this.showText();
    markWrong(where);
    this.notices.replaceChildren(notice(fault));
    return true;
  }

  private async send(): Promise<void> {
    if (this.busy || this.textIsWrong() || this.nameIsWrong()) return;
    this.setBusy(true);
    this.notices.replaceChildren();
    try {
      const me = this.fields?.value() ?? { name: "", email: "", website: "", trap: "" };
      await this.job.send({ ...me, text: this.area.value });
      this.reset();
    } catch (error) {
      this.fail(error, () => void this.send());
    } finally {
      this.setBusy(false);
    }
  }

  private setBusy(busy: boolean): void {
    this.busy = busy;
    this.area.readOnly = busy; // what is typed now would be lost with the text that was sent
    this.sendButton.setAttribute("aria-disabled", String(busy));
    this.sendButton.textContent = t(busy ? "sending" : this.fields ? "send" : "save");
  }

  private reset(): void {
    this.showText();
    this.area.value = "";
    this.area.style.height = "";
    this.more.hidden = true;
    delete this.element.dataset.open;
    this.count();
  }

  private fail(error: unknown, retry: () => void): void {
    const problem = error instanceof Problem ? error : new Problem(t("wrong"));
    this.notices.replaceChildren(notice(problem.detail, retry));
    const input = this.fields?.find(problem.field);
    if (input) markWrong(input);
  }
}
