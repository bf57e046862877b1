// The thread as the server has it: loads, loads more, and keeps up with it. It holds the data;
// what is drawn from it is the session's business.

import type { Api } from "./api";
import type { Comment, Sort, Thread } from "./types";

const breath = 400; // milliseconds between two reloads of a busy thread; everything is to be seen within a second

export class Reading {
  comments: Comment[] = [];
  last: Thread | null = null;
  private pages = 1;
  private wanted = 0;
  private running: Promise<void> | null = null;
  private began = 0;

  constructor(
    private readonly api: Api,
    private readonly post: string,
    public sort: Sort,
  ) {}

  get version(): number {
    return this.last?.version ?? 0;
  }

  get next(): string | null {
    return this.last?.next_cursor ?? null;
  }

  /** Loads the pages shown so far, at least as new as v. */
  async load(v: number | null = null): Promise<void> {
    const sort = this.sort;
    let cursor: string | null = null;
    const all: Comment[] = [];
    let thread: Thread | null = null;
    for (let page = 0; page < this.pages && (page === 0 || cursor); page++) {
      thread = await this.api.thread(this.post, sort, cursor, v);
      all.push(...thread.comments);
      cursor = thread.next_cursor;
    }
    if (!thread || sort !== this.sort || thread.version < this.version) return; // overtaken by a newer answer
    this.last = thread;
    this.comments = unique(all);
  }

  /** Adds the next page to what is there. */
  async more(): Promise<void> {
    if (!this.next) return;
    const { sort } = this;
    const thread = await this.api.thread(this.post, sort, this.next, null);
    if (sort !== this.sort) return;
    this.pages++;
    this.last = { ...thread, version: this.version };
    this.comments = unique([...this.comments, ...thread.comments]);
  }

  /** Catches up with version v; many calls at once become few loads. done is called after each. */
  async follow(v: number, done: () => void): Promise<void> {
    this.wanted = Math.max(this.wanted, v);
    if (this.running) return this.running;
    this.running = this.chase(done).finally(() => (this.running = null));
    return this.running;
  }

  private async chase(done: () => void): Promise<void> {
    while (this.last && this.wanted > this.version) {
      const goal = this.wanted;
      const pause = this.began + breath - Date.now();
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      this.began = Date.now();
      await this.load(Math.max(goal, this.wanted));
      if (this.version < goal) this.wanted = this.version; // the server promised and cannot; no endless asking
      done();
    }
  }

  /** Starts over with another order. */
  reorder(sort: Sort): void {
    this.sort = sort;
    this.pages = 1;
    this.last = null;
  }
}

function unique(list: Comment[]): Comment[] {
  return Array.from(new Map(list.map((comment) => [comment.id, comment])).values());
}
