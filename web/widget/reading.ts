// The thread as the server has it: loads, loads more on both sides, and keeps up with it. It holds
// the data; what is drawn from it is the session's business.

import type { Api, Problem } from "./api";
import type { Comment, Sort, Thread } from "./types";

const breath = 400; // milliseconds between two reloads of a busy thread; everything is to be seen within a second

/** Where the first page begins: at a cursor, or so that it holds a comment. */
interface Place {
  cursor?: string | null;
  focus?: string;
}

export interface Reading {
  comments_: Comment[];
  last_: Thread | null; // the page at the end
  prev_: string | null; // what stands before the first page
  sort_: Sort;
  load_(v?: number): Promise<void>; // the pages shown so far, at least as new as v
  focus_(id: string): Promise<void>; // the page that holds this comment; the first one when there is no such comment
  more_(back: boolean): Promise<void>; // adds the next page, or the one before
  follow_(v: number, done: () => void): void; // catches up with version v; done is called after each load
  reorder_(sort: Sort): Promise<void>; // starts over
}

export function readingOf(api: Api, post: string, sort: Sort): Reading {
  let first: Place = {};
  let pages = 1;
  let wanted = 0;
  let running = false;
  let began = 0;

  const ask = (place: Place, v?: number) => api.read_<Thread>("/comments", { post, sort: self.sort_ === "oldest" ? null : self.sort_, ...place, v });

  async function load(v?: number): Promise<void> {
    const start = first;
    const all: Comment[] = [];
    let place = start;
    let thread: Thread | undefined;
    let prev: string | null = null;
    for (let page = 0; page < pages && (!thread || thread.next_cursor); page++) {
      thread = await ask(place, v);
      if (!page) prev = thread.prev_cursor ?? null;
      all.push(...thread.comments);
      place = { cursor: thread.next_cursor };
    }
    if (start !== first || thread!.version < version()) return; // overtaken by a newer answer
    self.last_ = thread!;
    self.prev_ = prev;
    self.comments_ = unique(all);
  }

  function restart(place: Place): Promise<void> {
    first = place;
    pages = 1;
    return self.load_();
  }

  const version = () => self.last_?.version ?? 0;

  async function chase(done: () => void): Promise<void> {
    running = true;
    while (self.last_ && wanted > version()) {
      const goal = wanted;
      await new Promise((resolve) => setTimeout(resolve, began + breath - Date.now()));
      began = Date.now();
      await self.load_(Math.max(goal, wanted)).catch(() => undefined);
      if (version() < goal) wanted = version(); // the server promised and cannot; no endless asking
      done();
    }
    running = false;
  }

  const self: Reading = {
    comments_: [],
    last_: null,
    prev_: null,
    sort_: sort,
    async load_(v) {
      try {
        await load(v);
      } catch (error) {
        const { status_: status } = error as Problem;
        if (!first.focus || !(status >= 400 && status < 500)) throw error;
        first = {}; // what the link means is not there, or not any more
        await load(v);
      }
    },
    focus_: (focus) => restart({ focus }),
    async more_(back) {
      const start = first;
      const cursor = back ? self.prev_ : self.last_?.next_cursor;
      if (!cursor) return;
      const thread = await ask({ cursor });
      if (start !== first) return;
      pages++;
      if (back) {
        first = { cursor };
        self.prev_ = thread.prev_cursor ?? null;
        self.comments_ = unique([...thread.comments, ...self.comments_]);
      } else {
        self.last_ = { ...thread, version: version() };
        self.comments_ = unique([...self.comments_, ...thread.comments]);
      }
    },
    follow_(v, done) {
      wanted = Math.max(wanted, v);
      if (!running) void chase(done);
    },
    reorder_(sort) {
      self.sort_ = sort;
      self.last_ = null;
      return restart({});
    },
  };
  return self;
}

function unique(list: Comment[]): Comment[] {
  return Array.from(new Map(list.map((comment) => [comment.id, comment])).values());
}
