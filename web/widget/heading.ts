// The line above a comment: who, when, and what else is to be known of it.

import type { Author, Comment } from "./types";
import { avatar } from "./avatar";
import { h, webAddress } from "./dom";
import { fully } from "./time";
import type { Words } from "./words";

/** The page's address with the fragment that leads to a comment. */
export function permalink(id: string): string {
  return `${location.href.split("#")[0]}#postil-${encodeURIComponent(id)}`;
}

export function heading({ id, created_at: created, edited_at: edited }: Comment, author: Author, pending: boolean, words: Words): Node[] {
  const { badge, name } = author;
  const { t } = words;
  const label = (kind: string, text: string, title?: string) => h("span", { class: kind, title }, text);
  const site = webAddress(author.website);
  const who = { class: "author", part: "author" };
  const nodes: Node[] = [avatar(author), site ? h("a", { ...who, href: site, rel: "nofollow noopener ugc" }, h("bdi", {}, name)) : h("span", who, h("bdi", {}, name))];
  if (badge) nodes.push(label("badge", /^author$/i.test(badge) ? t("author") : badge));
  if (created) {
    const time = h("time", { datetime: created, title: fully(words, created) });
    nodes.push(h(pending ? "span" : "a", { class: "time", href: pending ? null : permalink(id) }, time));
  }
  if (edited) nodes.push(label("edited", t("edited"), fully(words, edited)));
  if (pending) nodes.push(label("pending-label", t("pending")));
  return nodes;
}
