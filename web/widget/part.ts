// What the parts of the widget that are loaded on demand are given. A page may run a widget of an
// hour ago with parts of today: these names are kept, new ones are optional, and parts must do
// without them.

import type { Say } from "./words";

/** The text of a key in the widget's language, else the English one given here. */
export type SayOr = (key: string, english: string, values?: Record<string, string | number>) => string;

/** How a part asks for its texts. */
export function sayOr(t: Say): SayOr {
  return (key, english, values) => t(key as Parameters<Say>[0], values) || english;
}

/** What can be done with a comment besides answering it. */
export interface OptionsKit {
  say: SayOr;
  place: HTMLElement; // where to open
  opener: HTMLElement; // the button that was pressed; it closes, too
  press?: string; // do not open: this emoji was pressed
  link: string; // the comment's address
  mine: string[]; // the emoji that the reader has chosen
  form(): Promise<{ reactions?: string[] }>; // which emoji the site takes
  ask(method: string, rest: string, body: object): Promise<unknown>; // a request below the comment's address, with the device key
  reacted(now: { reactions: Record<string, number>; mine: string[] }): void;
  announce(event: string, detail: object): void;
}

/** What can be done with an own comment. */
export interface OwnKit {
  say: SayOr;
  lang: string;
  until: string; // ISO; after that nothing can be changed
  now(): number; // the true time, in milliseconds
  edit(label: string, save: string, send: (text: string) => Promise<void>): void; // opens a composer; send is what its button does
  ask(method: string, body: object): Promise<{ comment?: object }>; // a request at the comment's address, with its edit key
  changed(change: object | null, done: string): Promise<void>; // shows the comment so, null: deleted; done is spoken then
  announce(event: string): void;
  failed(error: unknown, retry: () => void): void; // shows what went wrong
}

export interface FormatKit {
  say: SayOr;
  root: ShadowRoot;
  area: HTMLTextAreaElement;
}

export interface LinkKit {
  element: HTMLElement; // of the comment
  root: ShadowRoot;
  signal: AbortSignal; // ends with the widget
}

export type OptionsPart = (kit: OptionsKit) => Promise<void>; // rejects with an error that can be shown
export type OwnPart = (kit: OwnKit) => HTMLElement;
export type FormatPart = (kit: FormatKit) => HTMLElement;
export type LinkPart = (kit: LinkKit) => void;
/** Keeps what is read where it is while show puts the widget's comments in place of the pasted ones; find gives the new element of a comment. */
export type TakePart = (kit: { host: HTMLElement; root: HTMLElement }) => (show: () => void, find: (id: string) => HTMLElement | undefined) => void;
/** progress is told in percent how likely it is that the work is done by now. */
export type ProofPart = (challenge: { challenge: string; bits: number }, progress?: (percent: number) => void) => Promise<string>;
