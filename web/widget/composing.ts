// Opens and closes composers, and says what follows when one of them has sent: a new comment, a
// reply, a changed or a deleted own comment.

import type { Api } from "./api";
import type { Asked, CommentView } from "./comment";
import { Composer, type Job } from "./composer";
import { reveal } from "./dom";
import { t } from "./texts";
import type { OwnComment } from "./types";
import type { Writing } from "./writing";

/** What composing needs of the session it belongs to. */
export interface Around {
  find(id: string): CommentView | undefined;
  draw(gentle: boolean): void;
  reload(): Promise<void>; // the thread again; never fails, at worst it stays as it is
  say(text: string): void;
  announce(name: string, detail: object): void;
  failed(error: unknown, retry: () => void): void;
}

export class Composing implements Asked {
  constructor(
    private readonly api: Api,
    private readonly writing: Writing,
    private readonly around: Around,
  ) {}

  /** A composer for a new comment of the thread. */
  fresh(): HTMLElement {
    return new Composer(this.job("new", "new", t("write"), "")).element;
  }

  reply(view: CommentView): void {
    const { comment } = view.shown;
    this.toggle(view, "reply", t("replyTo", { name: comment.author?.name ?? "" }), "", view.replyButton);
  }

  edit(view: CommentView): void {
    this.toggle(view, "edit", t("changeText"), view.shown.own?.text ?? "", view.editButton);
  }

  async remove(view: CommentView): Promise<void> {
    try {
      await this.writing.remove(view.shown.comment.id);
      await this.around.reload();
      this.around.draw(true);
      this.around.say(t("now_removed"));
    } catch (error) {
      this.around.failed(error, () => void this.remove(view));
    }
  }

  private toggle(view: CommentView, kind: "reply" | "edit", label: string, text: string, opener: HTMLElement): void {
    const shut = () => {
      const hadFocus = view.open?.element.matches(":focus-within");
      view.close();
      if (hadFocus) opener.focus();
    };
    if (view.open) return shut();
    const composer = new Composer(this.job(kind, view.shown.comment.id, label, text, shut));
    view.show(composer, kind === "edit");
    composer.focus();
  }

  private job(kind: Job["kind"], target: string, label: string, text: string, close?: () => void): Job {
    return {
      kind,
      target,
      label,
      text,
      close,
      draft: this.writing.draft(kind === "edit" ? `edit-${target}` : target),
      form: () => this.writing.form(),
      preview: (source) => this.api.preview(source),
      send: async (entry) => {
        if (kind === "edit") await this.changed(target, entry.text);
        else await this.sent(await this.writing.post(entry, kind === "reply" ? target : null));
        close?.();
      },
    };
  }

  private async sent(comment: OwnComment): Promise<void> {
    if (comment.status !== "pending") await this.around.reload();
    this.around.draw(false);
    this.around.say(t("sent"));
    const view = this.around.find(comment.id);
    if (view) reveal(view.element);
    this.around.announce("posted", { id: comment.id, status: comment.status });
  }

  private async changed(id: string, text: string): Promise<void> {
    await this.writing.edit(id, text);
    await this.around.reload();
    this.around.draw(true);
    this.around.say(t("saved"));
    this.around.find(id)?.element.focus();
  }
}
