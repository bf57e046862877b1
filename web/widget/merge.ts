// Puts the reader's own waiting comments where they will stand. Pure: lists in, list out.

import type { Comment, OwnComment, Sort } from "./types";

/** One line of the drawn thread. `own` is set while the reader holds the comment's edit key. */
export interface Shown {
  comment: Comment;
  own: OwnComment | null;
  pending: boolean;
  parentName: string;
}

/** The public comments in display order, with the own pending ones among their siblings. */
export function arrange(list: readonly Comment[], own: readonly OwnComment[], sort: Sort): Shown[] {
  const published = new Set(list.map((comment) => comment.id));
  const mine = new Map(own.map((comment) => [comment.id, comment]));
  const waiting = own.filter((comment) => comment.status === "pending" && !published.has(comment.id));
  const all = [...list];
  for (const comment of waiting.sort(byTime)) insert(all, comment, sort);
  const names = new Map(all.map((comment) => [comment.id, comment.author?.name ?? ""]));
  return all.map((comment) => {
    const own = mine.get(comment.id) ?? null;
    const changed = own?.edit_pending === true && !comment.deleted; // the author sees what they wrote last
    return {
      comment: changed ? { ...comment, html: own.html } : comment,
      own,
      pending: changed || !published.has(comment.id),
      parentName: names.get(comment.parent_id ?? "") ?? "",
    };
  });
}

function byTime(a: Comment, b: Comment): number {
  return (a.created_at ?? "").localeCompare(b.created_at ?? "");
}

function insert(all: Comment[], comment: OwnComment, sort: Sort): void {
  const parent = all.findIndex((other) => other.id === comment.parent_id);
  const parentDepth = all[parent]?.depth ?? -1;
  const depth = parentDepth + 1;
  let at = parent + 1;
  while (at < all.length) {
    const other = all[at]!;
    if (other.depth <= parentDepth || (other.depth === depth && goesBefore(comment, other, depth, sort))) break;
    at++;
  }
  all.splice(at, 0, { ...comment, depth, can_reply: false });
}

// Replies always stand oldest first; only roots follow the chosen order. In "top" a new root has
// no score yet and stands last. A tombstone has no time and lets everything pass.
function goesBefore(comment: Comment, other: Comment, depth: number, sort: Sort): boolean {
  if (!other.created_at || (depth === 0 && sort === "top")) return false;
  const order = byTime(comment, other);
  return depth === 0 && sort === "newest" ? order > 0 : order < 0;
}
