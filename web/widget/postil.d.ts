// What pages can rely on. Copy this file beside your sources, or reference it from the widget's
// folder, and TypeScript knows the elements, their attributes and their events.

/** How comments are ordered at first; a reader's own choice is remembered. */
type PostilSort = "oldest" | "newest" | "top";

/** A text of the widget: a string, or one for each plural form that the language has. */
type PostilText = string | Partial<Record<Intl.LDMLPluralRule, string>>;

interface PostilCommentsElement extends HTMLElement {
  /** Texts of your own, by key; set them before the element comes to the page. */
  texts?: Record<string, PostilText>;
  /** "loading", "ready" or "error". */
  readonly dataset: DOMStringMap & { state?: "loading" | "ready" | "error"; version?: string };
}

/** `detail` of each event. */
interface PostilEvents {
  /** The thread is shown. */
  "postil:ready": { version: number; count: number };
  /** The server has the reader's comment. */
  "postil:posted": { id: string; status: string };
  /** The reader changed an own comment. */
  "postil:edited": { id: string };
  /** The reader deleted an own comment. */
  "postil:removed": { id: string };
  /** The reader put an emoji on a comment, or took it back. */
  "postil:reacted": { id: string; emoji: string; on: boolean };
  /** The reader reported a comment. */
  "postil:reported": { id: string; reason: string };
  /** Comments of others arrived while the page was open. */
  "postil:arrived": { n: number };
  /** A question of <postil-question> was saved. */
  "postil:asked": null;
  /** Something could not be loaded or sent; the reader sees `detail`. */
  "postil:error": { type: string; status: number; detail: string };
}

type PostilEventMap = { [Name in keyof PostilEvents]: CustomEvent<PostilEvents[Name]> };

interface HTMLElementEventMap extends PostilEventMap {}
interface DocumentEventMap extends PostilEventMap {}

interface HTMLElementTagNameMap {
  "postil-comments": PostilCommentsElement;
  "postil-count": HTMLElement;
  "postil-views": HTMLElement;
  "postil-question": HTMLElement;
}
