// One comment of the list. Its element is made once and lives as long as the comment is shown;
// update changes only what is different, and never touches a composer that stands in it.

import type { Author } from "./types";
import type { Composer } from "./composer";
import type { Shown } from "./merge";
import { avatar } from "./avatar";
import { button, h, setServerHTML, webAddress } from "./dom";
import { t } from "./texts";
import { ago, fully, isAhead, timeOfDay } from "./time";

const levels = 3; // deeper replies stand at this level and name their parent instead

/** What a comment's buttons ask for. */
export interface Asked {
  reply(view: CommentView): void;
  edit(view: CommentView): void;
  remove(view: CommentView): void | Promise<void>;
}

/** The page's address with the fragment that leads to a comment. */
export function permalink(id: string): string {
  return `${location.href.split("#")[0]}#postil-${encodeURIComponent(id)}`;
}

export class CommentView {
  readonly element = h("li", { class: "comment", part: "comment", tabindex: "-1" });
  readonly replyButton: HTMLButtonElement;
  readonly editButton: HTMLButtonElement;
  private readonly head = h("div", { class: "head" });
  private readonly context = h("p", { class: "context" });
  private readonly body = h("div", { class: "body", part: "body", dir: "auto" });
  private readonly actions = h("div", { class: "actions", part: "actions" });
  private readonly removeButton: HTMLButtonElement;
  private readonly place = h("div", { class: "place" });
  private drawn = "";
  private html: string | undefined;
  private composer: Composer | null = null;

  constructor(
    public shown: Shown,
    asked: Asked,
  ) {
    this.replyButton = button(t("reply"), "reply", () => asked.reply(this));
    this.editButton = button(t("edit"), "edit", () => asked.edit(this));
    this.removeButton = button(t("remove"), "remove", () => this.confirm(asked));
    this.actions.append(this.replyButton, this.editButton, this.removeButton);
    this.element.append(this.head, this.context, this.body, this.actions, this.place);
    this.update(shown);
  }

  /** Shows the comment as it is now. */
  update(shown: Shown): void {
    this.shown = shown;
    const mark = JSON.stringify(shown);
    if (mark !== this.drawn) this.draw(shown);
    this.drawn = mark;
    this.tick();
  }

  /** Renews what depends on the clock. */
  tick(): void {
    const { own, comment } = this.shown;
    const editable = isAhead(own?.editable_until) && !comment.deleted;
    this.editButton.hidden = this.removeButton.hidden = !editable;
    if (editable) this.editButton.title = t("editUntil", { when: timeOfDay(own!.editable_until!) });
    this.replyButton.hidden = !comment.can_reply || comment.deleted === true;
    this.actions.hidden = !editable && this.replyButton.hidden;
    const time = this.head.querySelector("time");
    if (time) time.textContent = ago(time.dateTime);
  }

  /** Whether the reader writes here at the moment. */
  get open(): Composer | null {
    return this.composer;
  }

  /** Puts a composer into the comment; in place of the body when the body is what is edited. */
  show(composer: Composer, insteadOfBody: boolean): void {
    this.composer = composer;
    this.body.hidden = insteadOfBody;
    this.place.replaceChildren(composer.element);
  }

  close(): void {
    this.composer = null;
    this.body.hidden = false;
    this.place.replaceChildren();
  }

  /** Turns it into a tombstone although the server shows nothing any more. */
  bury(): void {
    const { id, parent_id, depth } = this.shown.comment;
    this.update({ ...this.shown, own: null, pending: false, comment: { id, parent_id, depth, deleted: true } });
  }

  private draw({ comment, pending, parentName }: Shown): void {
    const { element } = this;
    element.dataset.id = comment.id;
    element.dataset.depth = String(comment.depth);
    element.dataset.level = String(Math.min(comment.depth, levels));
    element.toggleAttribute("data-pending", pending);
    element.toggleAttribute("data-deleted", comment.deleted === true);
    this.head.replaceChildren(...(comment.deleted || !comment.author ? [] : this.heading(comment.author)));
    this.drawContext(comment.depth, comment.parent_id, parentName);
    if (comment.deleted) {
      this.html = undefined;
      this.body.textContent = t("removed");
    } else if (comment.html === undefined) {
      this.body.textContent = this.shown.own?.text ?? "";
    } else if (comment.html !== this.html) {
      this.html = comment.html;
      setServerHTML(this.body, comment.html);
    }
  }

  private drawContext(depth: number, parent: string | null, name: string): void {
    this.context.hidden = !parent || !name;
    this.context.className = depth > levels ? "context" : "context unseen";
    if (this.context.hidden) return;
    const [before = "", after = ""] = t("inReplyTo", { name: "\0" }).split("\0");
    const link = h("a", { href: permalink(parent!) }, h("bdi", {}, name));
    if (depth <= levels) link.tabIndex = -1;
    this.context.replaceChildren(before, link, after);
  }

  private heading(author: Author): Node[] {
    const { comment, pending } = this.shown;
    const site = webAddress(author.website);
    const name = h("bdi", {}, author.name);
    const nodes: Node[] = [
      avatar(author),
      site ? h("a", { class: "author", part: "author", href: site, rel: "nofollow noopener ugc" }, name) : h("span", { class: "author", part: "author" }, name),
    ];
    if (author.badge) nodes.push(h("span", { class: "badge" }, author.badge.toLowerCase() === "author" ? t("author") : author.badge));
    if (comment.created_at) {
      const time = h("time", { datetime: comment.created_at, title: fully(comment.created_at) });
      nodes.push(pending ? h("span", { class: "time" }, time) : h("a", { class: "time", href: permalink(comment.id) }, time));
    }
    if (comment.edited_at) nodes.push(h("span", { class: "edited", title: t("edited_at", { when: fully(comment.edited_at) }) }, t("edited")));
    if (pending) nodes.push(h("span", { class: "pending-label" }, t("pending")));
    return nodes;
  }

  // The second press within a few seconds deletes; a stray first one does nothing.
  private confirm(asked: Asked): void {
    const { removeButton } = this;
    if (removeButton.dataset.sure) void asked.remove(this);
    else {
      removeButton.dataset.sure = "yes";
      removeButton.textContent = t("removeSure");
      setTimeout(() => {
        delete removeButton.dataset.sure;
        removeButton.textContent = t("remove");
      }, 4000);
    }
  }
}
