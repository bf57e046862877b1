// Does what the buttons of comments ask for: opens and closes composers and panels, and says what
// follows when one of them has sent.

import type { Api } from "./api";
import type { Asked, CommentView } from "./comment";
import { composerOf, type Job } from "./composer";
import { reveal } from "./dom";
import { permalink } from "./heading";
import { sayOr, type FormatPart, type OptionsPart, type OwnPart } from "./part";
import { now } from "./time";
import type { OwnComment } from "./types";
import type { Words } from "./words";
import type { Writing } from "./writing";

/** What acting needs of the session it belongs to. */
export interface Around {
  words_: Words;
  find_(id: string): CommentView | undefined;
  draw_(gentle: boolean): void;
  fold_(id: string): void;
  reload_(): Promise<void>; // the thread again; never fails, at worst it stays as it is
  say_(text: string): void;
  announce_(name: string, detail: object): void;
  failed_(error: unknown, retry: () => void): void;
}

export interface Acting extends Asked {
  fresh_(): HTMLElement; // a composer for a new comment of the thread
}

export function actingOn(api: Api, writing: Writing, around: Around): Acting {
  const { words_: words, draw_: draw, say_: say, announce_: announce } = around;
  const { t } = words;

  function job(kind: Job["kind_"], target: string, label: string, send: Job["send_"], close?: () => void): Job {
    return {
      t_: t,
      kind_: kind,
      label_: label,
      save_: t("send"),
      draft_: writing.draft_(kind === "edit" ? `edit-${target}` : target),
      form_: writing.form_,
      preview_: (text) => api.ask_("POST", "/preview", { text }),
      format_: () => api.part_<FormatPart>("format"),
      send_: send,
      close_: close,
    };
  }

  const poster = (parent: string | null): Job["send_"] => async (entry, progress) => {
    const [comment, again] = await writing.post_(entry, parent, progress);
    if (parent) around.find_(parent)?.close_();
    await show(comment);
    say(t(again ? "already" : "sent"));
    announce("posted", { id: comment.id, status: comment.status });
  };

  async function show({ id, status }: OwnComment): Promise<void> {
    if (status !== "pending") await around.reload_();
    draw(false);
    const view = around.find_(id);
    if (view) reveal(view.element_);
  }

  // Closing gives the focus back to where it came from.
  function open(view: CommentView, opener: HTMLElement, more: (close: () => void) => Job): void {
    const close = () => {
      const hadFocus = view.place_.matches(":focus-within");
      view.close_();
      if (hadFocus) opener.focus();
    };
    if (view.open_) return close();
    const made = more(close);
    const composer = composerOf(made);
    view.show_(composer, made.kind_ === "edit");
    composer.focus_();
  }

  return {
    words_: words,
    mine_: writing.mine_.emoji_,
    fold_: around.fold_,
    fresh_: () => composerOf(job("new", "new", t("write"), poster(null))).element_,
    reply_(view) {
      const { id, author } = view.shown_.comment;
      open(view, view.element_.querySelector(".reply")!, (close) => job("reply", id, t("replyTo", { name: author?.name ?? "" }), poster(id), close));
    },
    async own_(view) {
      const { own } = view.shown_;
      const { id, text, editable_until: until } = own!;
      const part = await api.part_<OwnPart>("own").catch(() => null); // the next change of the thread tries again
      if (!part || view.shown_.own !== own) return;
      const buttons = part({
        say: sayOr(t),
        lang: words.lang_,
        until: until!,
        now,
        edit: (label, save, send) =>
          open(view, buttons.querySelector("button")!, (close) => ({ ...job("edit", id, label, (entry) => send(entry.text), close), save_: save, text_: text })),
        ask: (method, body) => writing.about_(id, method, "", body),
        async changed(change, done) {
          await writing.changed_(id, change);
          around.find_(id)?.close_();
          await around.reload_();
          draw(true);
          say(done);
          around.find_(id)?.element_.focus();
        },
        announce: (event) => announce(event, { id }),
        failed: around.failed_,
      });
      view.own_.replaceChildren(buttons);
    },
    async options_(view, opener, press) {
      const { comment } = view.shown_;
      const { id } = comment;
      try {
        const part = await api.part_<OptionsPart>("options");
        await part({
          say: sayOr(t),
          place: view.place_,
          opener,
          press,
          link: permalink(id),
          mine: writing.mine_.emoji_(id),
          form: writing.form_,
          ask: (method, rest, body) => writing.about_(id, method, rest, body),
          reacted({ mine, reactions }) {
            writing.mine_.choose_(id, mine);
            comment.reactions = reactions;
            draw(true);
          },
          announce: (event, detail) => announce(event, { id, ...detail }),
        });
      } catch (error) {
        around.failed_(error, () => this.options_(view, opener, press));
      }
    },
  };
}
