// The list of comments. Draws the flat list in one pass, keeps an element per comment id, and
// judges whether something new may be put in without moving what the reader looks at.

import type { Shown } from "./merge";
import { CommentView, type Asked } from "./comment";
import { h } from "./dom";

export class ThreadView {
  readonly element = h("ol", { class: "thread", part: "thread" });
  private readonly views = new Map<string, CommentView>();

  constructor(private readonly asked: Asked) {}

  get(id: string): CommentView | undefined {
    return this.views.get(id);
  }

  /** Shows exactly this list. Elements stay where they are unless the order itself changed. */
  render(list: readonly Shown[]): void {
    const wanted = new Set(list.map((shown) => shown.comment.id));
    for (const [id, view] of this.views) if (!wanted.has(id)) this.leave(id, view);
    let at = this.element.firstElementChild;
    for (const shown of list) {
      while (at && !wanted.has((at as HTMLElement).dataset.id ?? "")) at = at.nextElementSibling;
      const element = this.draw(shown);
      if (element === at) at = at.nextElementSibling;
      else this.element.insertBefore(element, at);
    }
  }

  /** Renews the relative times and closes edit windows that are over. */
  tick(): void {
    for (const view of this.views.values()) view.tick();
  }

  /**
   * The ids of the list that are not on the page and would push text that the reader may be
   * reading. What comes at the end or below the fold moves nothing.
   */
  disturbing(list: readonly Shown[]): string[] {
    const held = new Set<string>();
    let next: CommentView | undefined;
    for (const { comment } of [...list].reverse()) {
      const view = this.views.get(comment.id);
      if (view) next = view;
      else if (!this.quietBefore(next)) held.add(comment.id);
    }
    for (const { comment } of list) {
      if (!this.views.has(comment.id) && held.has(comment.parent_id ?? "")) held.add(comment.id);
    }
    return [...held];
  }

  private quietBefore(next: CommentView | undefined): boolean {
    if (next) return next.element.getBoundingClientRect().top >= window.innerHeight;
    return this.views.size === 0 || this.element.getBoundingClientRect().bottom > 0;
  }

  private draw(shown: Shown): HTMLElement {
    const known = this.views.get(shown.comment.id);
    if (known) {
      known.update(shown);
      return known.element;
    }
    const view = new CommentView(shown, this.asked);
    this.views.set(shown.comment.id, view);
    return view.element;
  }

  // A comment that disappears while somebody answers it stays as a tombstone around their text.
  private leave(id: string, view: CommentView): void {
    if (view.open) {
      view.bury();
      return;
    }
    view.element.remove();
    this.views.delete(id);
  }
}
