// Where a reader writes: a new comment, a reply, or a change to an own one. It knows nothing of
// the network; its job says how to send, and a Problem from there is shown without losing a letter.

import type { Form, Preview } from "./types";
import { asProblem } from "./api";
import type { Draft } from "./drafts";
import { button, grow, h } from "./dom";
import { fieldsOf } from "./fields";
import { profile, type Profile } from "./mine";
import { markWrong, notice } from "./notice";
import { paneOf } from "./pane";
import type { FormatPart } from "./part";
import { toolsButton } from "./tools";
import type { Say } from "./words";

export interface Entry extends Profile {
  text: string;
  trap: string;
}

/** Told in percent, when sending takes work on this device first. */
export type Progress = (percent: number) => void;

export interface Job {
  t_: Say;
  kind_: "new" | "reply" | "edit";
  label_: string;
  save_: string; // what the button says
  text_?: string; // to begin with, when no draft is kept
  draft_: Draft;
  form_(): Promise<Form>;
  preview_(text: string): Promise<Preview>;
  send_(entry: Entry, progress: Progress): Promise<void>;
  format_(): Promise<FormatPart>;
  close_?: () => void;
}

export interface Composer {
  element_: HTMLFormElement;
  focus_(): void;
}

const size = (text: string) => [...text].length; // the server counts code points too

export function composerOf(job: Job): Composer {
  const { t_: t, kind_: kind, label_: label, draft_: draft, close_: close } = job;
  const fields = kind === "edit" ? null : fieldsOf(profile(), t);
  const max = { text: 8000, name: 64 }; // usually; the server tells
  let busy = false;

  const counter = h("span", { class: "counter", role: "status" });
  const area = h("textarea", { name: "text", rows: "3", dir: "auto", placeholder: label, "aria-label": label });
  const pane = paneOf(t, area, preview, fail);
  const submit = h("button", { type: "submit", class: "send", part: "button" }, job.save_);
  const row = h("div", { class: "row" }, submit, pane.button_);
  const more = h("div", { class: "more", inert: true }, ...(fields ? [fields.element_] : []), row);
  const notices = h("div", { class: "notices" });
  const element = h("form", { class: "composer", part: "composer", novalidate: true, "data-kind": kind }, area, pane.element_, more, notices);

  if (close) row.append(button(t("cancel"), "cancel", close));
  row.append(toolsButton(t, job.format_, area, more, fail), counter);
  if (fields) element.append(h("p", { class: "note" }, t("note")));
  area.value = draft.text_() || (job.text_ ?? "");
  element.addEventListener("focusin", expand);
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    void send();
  });
  element.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229) return; // the key belongs to the input method
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void send();
    } else if (event.key === "Escape" && close) {
      event.stopPropagation();
      close();
    }
  });
  area.addEventListener("input", () => {
    draft.save_(area.value);
    expand();
    grow(area);
    count();
  });
  if (kind !== "new" || area.value) expand();
  count();

  // The form token is asked for when somebody begins to write, so that reading costs nothing.
  function expand(): void {
    if (!more.inert) return;
    more.inert = false;
    // Who embedded the widget learns at once that this page may not write; all else is asked again when sending.
    if (fields) job.form_().then(learn, (error) => error.status_ === 403 && say(error.message));
  }

  function learn({ trap, limits, closed, lockdown }: Form): void {
    fields!.trap_.name = trap;
    Object.assign(max, limits);
    if (closed) say(t(lockdown ? "paused" : "closed"));
    count();
  }

  function say(text: string, retry?: () => void): void {
    notices.replaceChildren(notice(text, t, retry));
  }

  // Says nothing while there is plenty of room.
  function count(): void {
    const n = size(area.value);
    counter.textContent = n >= max.text * 0.9 ? t("counter", { n, max: max.text }) : "";
    counter.classList.toggle("over", n > max.text);
  }

  async function preview(): Promise<Preview | null> {
    if (!fits("text")) return null;
    const shown = await job.preview_(area.value);
    notices.replaceChildren();
    return shown;
  }

  function fits(what: "text" | "name"): boolean {
    const input = what === "text" ? area : fields?.inputs_["author.name"];
    if (!input) return true;
    const n = size(input.value);
    const fault = !input.value.trim() ? t(what === "text" ? "needText" : "needName") : n > max[what] ? t("tooLong", { n, max: max[what] }) : "";
    if (!fault) return true;
    expand();
    if (input === area) pane.hide_();
    markWrong(input);
    say(fault);
    return false;
  }

  async function send(): Promise<void> {
    if (busy || !fits("text") || !fits("name")) return;
    setBusy(true);
    notices.replaceChildren();
    try {
      const entry = { ...fields?.value_(), text: area.value } as Entry; // whoever edits is known
      await job.send_(entry, (percent) => (submit.textContent = `${t("sending")} ${percent} %`));
      reset();
    } catch (error) {
      fail(error, send);
    }
    setBusy(false);
  }

  function setBusy(on: boolean): void {
    area.readOnly = busy = on; // what is typed now would be lost with the text that was sent
    submit.setAttribute("aria-disabled", String(on));
    submit.textContent = on ? t("sending") : job.save_;
  }

  function reset(): void {
    pane.hide_();
    area.value = area.style.height = "";
    more.inert = true;
    count();
  }

  function fail(error: unknown, retry: () => void): void {
    const { message, field_: field } = asProblem(error, t);
    say(message, retry);
    const input = fields?.inputs_[field];
    if (input) markWrong(input);
  }

  return {
    element_: element,
    focus_() {
      area.focus();
      grow(area);
    },
  };
}
