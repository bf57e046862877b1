// One life of the widget on a page: from being connected with a configuration until its signal
// ends. It lets reading, writing and the live stream meet in what is drawn.

import { Api, Problem } from "./api";
import { Composing } from "./composing";
import { asSort, type Config } from "./config";
import { reveal } from "./dom";
import { Frame } from "./frame";
import { Live } from "./live";
import { arrange, type Shown } from "./merge";
import { Reading } from "./reading";
import { recall, remember } from "./storage";
import { t } from "./texts";
import { ThreadView } from "./thread";
import type { Sort } from "./types";
import { Writing } from "./writing";

export class Session {
  readonly frame: Frame;
  private readonly view: ThreadView;
  private readonly api: Api;
  private readonly reading: Reading;
  private readonly writing: Writing;
  private readonly composing: Composing;
  private held = new Set<string>(); // arrived, waiting behind the pill
  private closed: boolean | null = null;

  constructor(
    private readonly host: HTMLElement,
    private readonly config: Config & { api: string },
    private readonly signal: AbortSignal,
  ) {
    const sort = asSort(recall("sort", config.sort));
    this.api = new Api(config.api, config.site, signal);
    this.reading = new Reading(this.api, config.post, sort);
    this.writing = new Writing(this.api, config);
    this.frame = new Frame(sort, { sort: (order) => void this.reorder(order), more: () => void this.more(), arrived: () => this.showHeld() });
    this.composing = new Composing(this.api, this.writing, {
      find: (id) => this.view.get(id),
      draw: (gentle) => this.draw(gentle),
      reload: () => this.reading.load().catch(() => undefined),
      say: (text) => this.frame.say(text),
      announce: (name, detail) => this.announce(name, detail),
      failed: (error, retry) => this.failed(error, retry),
    });
    this.view = new ThreadView(this.composing);
  }

  /** Begins to load, to listen and to keep time; everything ends with the signal. */
  start(): void {
    const listener = { changed: (version: number) => this.follow(version), missed: () => void this.refresh(), version: () => this.reading.version };
    new Live(this.api, this.config.post, listener, this.signal).start();
    const clock = setInterval(() => this.view.tick(), 30_000);
    this.signal.addEventListener("abort", () => clearInterval(clock));
    window.addEventListener("hashchange", () => void this.followLink(), { signal: this.signal });
    void this.open();
  }

  private async open(): Promise<void> {
    this.frame.showLoading(this.host);
    this.host.dataset.state = "loading";
    try {
      const own = this.writing.loadOwn().catch(() => undefined);
      await this.reading.load();
      this.follow(0); // the stream may have been faster and know of more
      await Promise.race([own, new Promise((resolve) => setTimeout(resolve, 500))]);
      this.draw(false);
      void own.then(() => this.draw(true));
      this.announce("ready", { version: this.reading.version, count: this.reading.last?.count });
      await this.followLink();
    } catch (error) {
      this.failed(error, () => void this.open());
    }
  }

  private async refresh(): Promise<void> {
    if (!this.reading.last) return;
    await this.reading.load().catch(() => undefined); // the thread that is shown is better than an error
    this.draw(true);
  }

  private follow(version: number): void {
    const done = () => this.draw(true);
    this.reading.follow(version, done).catch(() => undefined);
    if (this.writing.own.length) void this.writing.loadOwn().then(done, () => undefined);
  }

  private async more(): Promise<void> {
    try {
      await this.reading.more();
      this.draw(true);
    } catch (error) {
      this.failed(error, () => void this.more());
    }
  }

  private async reorder(sort: Sort): Promise<void> {
    remember("sort", sort);
    this.reading.reorder(sort);
    try {
      await this.reading.load();
      this.draw(false);
    } catch (error) {
      this.failed(error, () => void this.reorder(sort));
    }
  }

  // gentle: nobody asked for this to happen here and now, so it must not move what is being read.
  private draw(gentle: boolean): void {
    const { last } = this.reading;
    if (this.signal.aborted || !last) return;
    const all = arrange(this.reading.comments, this.writing.own, this.reading.sort);
    const mine = new Set(this.writing.own.map((comment) => comment.id));
    this.held = new Set(gentle ? this.view.disturbing(all).filter((id) => !mine.has(id)) : []);
    const list = all.filter((shown) => !this.held.has(shown.comment.id));
    if (gentle) this.sayNew(all);
    this.view.render(list);
    this.drawComposer(last.post.closed);
    this.frame.showThread(this.view.element, last.count, last.post.closed, last.next_cursor !== null);
    this.frame.showArrivals(this.held.size);
    this.host.dataset.state = "ready";
    this.host.dataset.version = String(last.version);
  }

  private sayNew(all: Shown[]): void {
    const n = all.filter(({ comment }) => !this.view.get(comment.id)).length;
    if (n) this.frame.say(t("arrived", { n }));
  }

  private drawComposer(closed: boolean): void {
    if (this.closed === closed) return;
    this.closed = closed;
    if (closed) this.frame.showClosed();
    else this.frame.composer.replaceChildren(this.composing.fresh());
  }

  private showHeld(): void {
    const [first] = this.held;
    this.draw(false);
    const view = first && this.view.get(first);
    if (view) reveal(view.element);
  }

  // Only our exact pattern is a link to a comment; every other fragment belongs to the page.
  private async followLink(): Promise<void> {
    const id = /^#postil-([\w-]+)$/.exec(location.hash)?.[1];
    if (!id) return;
    for (let page = 0; page < 10 && !this.view.get(id) && this.reading.next; page++) await this.more();
    const view = this.view.get(id);
    if (view) reveal(view.element);
    else this.frame.showFailure(t("gone"));
  }

  private failed(error: unknown, retry: () => void): void {
    if (this.signal.aborted) return;
    const problem = error instanceof Problem ? error : new Problem(t("wrong"));
    if (this.host.dataset.state === "loading") this.host.dataset.state = "error";
    this.frame.showFailure(problem.detail, retry);
    this.announce("error", { type: problem.slug, status: problem.status, detail: problem.detail });
  }

  private announce(name: string, detail: object): void {
    this.host.dispatchEvent(new CustomEvent(`postil:${name}`, { bubbles: true, composed: true, detail }));
  }
}
