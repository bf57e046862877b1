// The English texts of the widget, as data. A text is a string, or a table of plural forms chosen
// by {n}. Every other language is a file of the same keys in lang/; what is missing there is shown
// in English. The keys are API: pages override single texts by them. The parts that are loaded on
// demand bring their own.

export type Text = string | Partial<Record<Intl.LDMLPluralRule, string>>;
export type Texts = Record<string, Text | undefined>;

export const english = {
  heading: { one: "{n} comment", other: "{n} comments" },
  headingEmpty: "Comments",
  empty: "No comments yet. Yours would be the first.",
  emptyClosed: "No comments.",
  closed: "Comments are closed here.",
  paused: "Writing is paused here. Your text stays in this browser.",
  offline: "The comment server did not answer. Check the connection and try again.",
  slow: "The comment server takes too long to answer. Try again in a moment.",
  wrong: "The comment server has a problem. Try again in a moment.",
  blocked: "This page's Content-Security-Policy must allow {origin} in {directive}.",
  setup: "<postil-comments> needs the attribute {name} here.",
  unknownSite: "The comment server knows no site “{site}”.",
  retry: "Retry",
  sort: "Order",
  sort_oldest: "Oldest first",
  sort_newest: "Newest first",
  sort_top: "Most liked first",
  more: "Show more comments",
  earlier: "Show earlier comments",
  arrived: { one: "{n} new comment", other: "{n} new comments" },
  replies: { one: "{n} reply", other: "{n} replies" },
  removed: "This comment was removed.",
  author: "Author",
  edited: "edited",
  inReplyTo: "in reply to {name}",
  pending: "Waiting for the author of this blog",
  reply: "Reply",
  replyTo: "Reply to {name}",
  options: "More",
  write: "Write a comment",
  name: "Name",
  email: "E-mail (optional)",
  emailWhy: "Never shown",
  website: "Website (optional)",
  send: "Send",
  sending: "Sending …",
  cancel: "Cancel",
  preview: "Preview",
  backToText: "Back to the text",
  formatting: "Formatting",
  note: "Appears after the author of this blog has read it. No account, no tracking.",
  counter: "{n} of {max} characters",
  tooLong: "That is {n} characters; {max} fit. Shorten it a little and send again.",
  "too-large": "That is more than the server takes. Shorten it a little and send again.",
  needText: "There is no text yet. Write something and send again.",
  needName: "There is no name yet. Write one and send again.",
  sent: "Sent. It appears here after the author of this blog has read it.",
  already: "You sent this before; it is here.",
  gone: "The linked comment is not here any more.",
} satisfies Texts;

export type Key = keyof typeof english;
