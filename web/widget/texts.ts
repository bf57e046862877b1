// Every text that the widget shows, as data. A text is a string, or a table of plural forms
// chosen by {n}. Another language is another table of the same keys.

type Text = string | { one: string; other: string };

const en = {
  heading: { one: "{n} comment", other: "{n} comments" },
  headingEmpty: "Comments",
  empty: "No comments yet. Yours would be the first.",
  emptyClosed: "No comments.",
  closed: "Comments are closed here.",
  paused: "Writing is paused here for the moment. Your text stays in this browser.",
  loading: "Loading comments",
  offline: "The comment server did not answer. Check the connection and try again.",
  slow: "The comment server takes too long to answer. Try again in a moment.",
  wrong: "Something went wrong on the server's side. Try again in a moment.",
  blocked: "This page's Content-Security-Policy blocks the comments: its {directive} must allow {origin}.",
  noSite: 'This element needs a site: <postil-comments site="…">.',
  noApi: 'The address of the comment server is unknown here: add api="https://…" to the element.',
  retry: "Retry",
  sort: "Order",
  sort_oldest: "Oldest first",
  sort_newest: "Newest first",
  sort_top: "Most liked first",
  more: "Show more comments",
  arrived: { one: "{n} new comment", other: "{n} new comments" },
  removed: "This comment was removed.",
  author: "Author",
  edited: "edited",
  edited_at: "Edited {when}",
  justNow: "just now",
  inReplyTo: "in reply to {name}",
  pending: "Waiting for the author of this blog",
  reply: "Reply",
  replyTo: "Reply to {name}",
  edit: "Edit",
  editUntil: "You can change it until {when}",
  remove: "Delete",
  removeSure: "Delete for good",
  write: "Write a comment",
  changeText: "Change your comment",
  name: "Name",
  email: "E-mail (optional)",
  emailWhy: "Never shown",
  website: "Website (optional)",
  send: "Send",
  sending: "Sending …",
  save: "Save",
  cancel: "Cancel",
  preview: "Preview",
  backToText: "Back to the text",
  previewOf: "Preview of your comment",
  formatting: "Formatting",
  note: "Appears after the author of this blog has read it. No account, no tracking.",
  trap: "Leave this empty",
  counter: "{n} of {max} characters",
  tooLong: "That is {n} characters; {max} fit. Shorten it a little and send again.",
  needText: "There is no text yet. Write something and send again.",
  needName: "A name is missing. Write the one you want to be shown and send again.",
  nameTooLong: "That name has {n} characters; {max} fit. Shorten it a little and send again.",
  sent: "Sent. It appears here after the author of this blog has read it.",
  saved: "Saved.",
  gone: "The linked comment is not here any more.",
  now_removed: "Your comment was deleted.",
} satisfies Record<string, Text>;

export type Key = keyof typeof en;
export type Texts = Partial<Record<Key, Text>>;

/** The language of the texts, for plural forms, numbers and times. */
export const language = "en";

/** Its writing direction; the widget is laid out in it, the readers' texts follow their own. */
export const direction = "ltr";

const plural = new Intl.PluralRules(language);
const number = new Intl.NumberFormat(language);
let chosen: Texts = {};

/** Replaces single texts; keys that are left out keep the built-in ones. */
export function override(texts: Texts): void {
  chosen = texts;
}

/** The text of key with its {placeholders} filled in. Numbers get the language's grouping. */
export function t(key: Key, values: Record<string, string | number> = {}): string {
  const text: Text = chosen[key] ?? en[key];
  const form = typeof text === "string" ? text : text[plural.select(Number(values.n)) === "one" ? "one" : "other"];
  return form.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : typeof value === "number" ? number.format(value) : value;
  });
}
