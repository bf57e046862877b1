// One comment of the list. Its element is made once and lives as long as the comment is shown;
// update changes only what is different, and never touches a composer that stands in it.

import type { Composer } from "./composer";
import type { Shown } from "./merge";
import { button, h, setServerHTML } from "./dom";
import { heading, permalink } from "./heading";
import { ago, now } from "./time";
import type { Words } from "./words";

const levels = 3; // deeper replies stand at this level and name their parent instead

/** What a comment asks for. */
export interface Asked {
  words_: Words;
  mine_(id: string): string[]; // the emoji that the reader put on it
  reply_(view: CommentView): void;
  options_(view: CommentView, opener: HTMLElement, press?: string): void; // press: an emoji
  own_(view: CommentView): void; // it can be changed: give it the buttons for that
  fold_(id: string): void;
}

export interface CommentView {
  element_: HTMLElement;
  place_: HTMLElement; // for what is opened in it
  own_: HTMLElement; // for the buttons of its own author
  shown_: Shown;
  open_: boolean; // whether the reader writes here
  update_(shown: Shown): void;
  tick_(): void; // renews what depends on the clock
  fold_(hidden: boolean, folded: boolean, replies: number): void;
  show_(composer: Composer, insteadOfBody: boolean): void;
  close_(): void;
  bury_(): void; // turns it into a tombstone although the server shows nothing any more
}

export function commentView(first: Shown, asked: Asked): CommentView {
  const { words_: words } = asked;
  const { t } = words;
  let drawn = "";
  let html: string | undefined;

  const head = h("div", { class: "head" });
  const context = h("p");
  const body = h("div", { class: "body", part: "body", dir: "auto" });
  const reply = button(t("reply"), "reply", () => asked.reply_(view));
  const own = h("span", { class: "own" });
  const chips = h("span", { class: "chips" });
  const options = button(t("options"), "options", () => asked.options_(view, options));
  const fold = button("", "fold", () => asked.fold_(view.shown_.comment.id));
  const actions = h("div", { class: "actions", part: "actions" }, reply, own, chips, options, fold);
  const place = h("div", { class: "place" });
  const element = h("li", { class: "comment", part: "comment", tabindex: "-1" }, head, context, body, actions, place);

  function draw({ comment, pending, parentName, own: mine }: Shown): void {
    const { id, depth, author, deleted = false } = comment;
    element.dataset.id = id;
    element.style.setProperty("--_level", String(Math.min(depth, levels)));
    element.toggleAttribute("data-pending", pending);
    element.toggleAttribute("data-deleted", deleted);
    head.replaceChildren(...(deleted || !author ? [] : heading(comment, author, pending, words)));
    drawContext(depth, comment.parent_id, parentName);
    drawChips(id, deleted || pending ? {} : comment.reactions ?? {});
    reply.hidden = !comment.can_reply || deleted;
    options.hidden = pending || deleted;
    if (deleted || comment.html === undefined) {
      html = undefined;
      body.textContent = deleted ? t("removed") : mine?.text ?? "";
    } else if (comment.html !== html) setServerHTML(body, (html = comment.html));
    if (Date.parse(mine?.editable_until ?? "") > now() && !deleted) asked.own_(view);
    else own.replaceChildren();
  }

  function drawChips(id: string, reactions: Record<string, number>): void {
    const mine = asked.mine_(id);
    const chip = ([emoji, n]: [string, number]) => {
      const made = button(`${emoji} ${n}`, "chip", () => asked.options_(view, made, emoji));
      made.setAttribute("aria-pressed", String(mine.includes(emoji)));
      return made;
    };
    chips.replaceChildren(...Object.entries(reactions).map(chip));
  }

  function drawContext(depth: number, parent: string | null, name: string): void {
    context.hidden = !parent || !name;
    context.className = depth > levels ? "context" : "context unseen";
    const [before = "", after = ""] = t("inReplyTo", { name: "\0" }).split("\0");
    const link = depth > levels ? h("a", { href: permalink(parent!) }) : h("span");
    link.append(h("bdi", {}, name));
    context.replaceChildren(before, link, after);
  }

  const view: CommentView = {
    element_: element,
    place_: place,
    own_: own,
    shown_: first,
    open_: false,
    update_(shown) {
      view.shown_ = shown;
      const mark = JSON.stringify([shown, asked.mine_(shown.comment.id)]);
      if (mark !== drawn) draw(shown);
      drawn = mark;
      view.tick_();
    },
    tick_() {
      const time = head.querySelector("time");
      if (time) time.textContent = ago(words, time.dateTime);
    },
    fold_(hidden, folded, replies) {
      element.hidden = hidden;
      fold.hidden = !replies;
      fold.textContent = t("replies", { n: replies });
      fold.setAttribute("aria-expanded", String(!folded));
    },
    show_(composer, insteadOfBody) {
      view.open_ = true;
      body.hidden = insteadOfBody;
      place.replaceChildren(composer.element_);
    },
    close_() {
      view.open_ = body.hidden = false;
      place.replaceChildren();
    },
    bury_() {
      const { id, parent_id, depth } = view.shown_.comment;
      view.update_({ ...view.shown_, own: null, pending: false, comment: { id, parent_id, depth, deleted: true } });
    },
  };
  view.update_(first);
  return view;
}
