// The list of comments. Draws the flat list in one pass, keeps an element per comment id, and
// judges whether something new may be put in without moving what the reader looks at.

import type { Shown } from "./merge";
import { commentView, type Asked, type CommentView } from "./comment";
import { h } from "./dom";

export interface ThreadView {
  element_: HTMLElement;
  views_: ReadonlyMap<string, CommentView>; // by comment id
  folded_: Set<string>; // ids of comments whose replies are put away; render after a change
  render_(list: readonly Shown[]): void; // shows exactly this list
  disturbing_(list: readonly Shown[]): Set<string>; // ids of the list that would push text that the reader may be reading; the reader's own do not disturb
}

export function threadView(asked: Asked): ThreadView {
  const element = h("ol", { class: "thread", part: "thread" });
  const views = new Map<string, CommentView>();
  const folded = new Set<string>();

  function draw(shown: Shown): HTMLElement {
    const { id } = shown.comment;
    let view = views.get(id);
    if (view) view.update_(shown);
    else views.set(id, (view = commentView(shown, asked)));
    return view.element_;
  }

  // A comment that disappears while somebody answers it stays as a tombstone around their text.
  function leave(id: string, view: CommentView): void {
    if (view.open_) return view.bury_();
    view.element_.remove();
    views.delete(id);
  }

  function fold(list: readonly Shown[]): void {
    let shut = Infinity; // depth of the folded comment that we are below
    list.forEach(({ comment: { id, depth } }, i) => {
      let end = i + 1;
      while (list[end] && list[end]!.comment.depth > depth) end++;
      if (depth <= shut) shut = Infinity;
      views.get(id)!.fold_(depth > shut, folded.has(id), end - i - 1);
      if (folded.has(id)) shut = Math.min(shut, depth);
    });
  }

  // What comes at the end or below the fold moves nothing.
  function isQuietBefore(next: CommentView | undefined): boolean {
    if (next) return next.element_.getBoundingClientRect().top >= innerHeight;
    return !views.size || element.getBoundingClientRect().bottom > 0;
  }

  return {
    element_: element,
    views_: views,
    folded_: folded,
    // Elements stay where they are unless the order itself changed.
    render_(list) {
      const wanted = new Set(list.map((shown) => shown.comment.id));
      for (const [id, view] of views) if (!wanted.has(id)) leave(id, view);
      let at = element.firstElementChild;
      for (const shown of list) {
        while (at && !wanted.has((at as HTMLElement).dataset.id ?? "")) at = at.nextElementSibling;
        const drawn = draw(shown);
        if (drawn === at) at = at.nextElementSibling;
        else element.insertBefore(drawn, at);
      }
      fold(list);
    },
    disturbing_(list) {
      const held = new Set<string>();
      let next: CommentView | undefined;
      for (const { comment, own } of [...list].reverse()) {
        const view = views.get(comment.id);
        if (!view) {
          if (!own && !isQuietBefore(next)) held.add(comment.id);
        } else if (!view.element_.hidden) next = view;
      }
      for (const { comment, own } of list) {
        if (!own && !views.has(comment.id) && held.has(comment.parent_id ?? "")) held.add(comment.id);
      }
      return held;
    },
  };
}
