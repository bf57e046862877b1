// One life of the widget on a page: from being connected with a configuration until its signal
// ends. It lets reading, writing and the live stream meet in what is drawn.

import { Api, Problem } from "./api";
import type { CommentView } from "./comment";
import { Composer, type Job } from "./composer";
import type { Config } from "./config";
import { reveal } from "./dom";
import { Frame } from "./frame";
import { Live } from "./live";
import { arrange, type Shown } from "./merge";
import { Reading } from "./reading";
import { recall, remember } from "./storage";
import { asSort } from "./config";
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
    this.view = new ThreadView({ reply: (view) => this.reply(view), edit: (view) => this.edit(view), remove: (view) => void this.remove(view) });
  }

  /** Begins to load, to listen and to keep time; everything ends with the signal. */
  start(): void {
    const listener = { changed: (version: number) => this.follow(version), missed: () => void this.refresh() };
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
    else this.frame.composer.replaceChildren(new Composer(this.job("new", "new", t("write"), "")).element);
  }

  private showHeld(): void {
    const [first] = this.held;
    this.draw(false);
    const view = first && this.view.get(first);
    if (view) reveal(view.element);
  }

  private job(kind: Job["kind"], target: string, label: string, text: string, close?: () => void): Job {
    return {
      kind,
      target,
      label,
      text,
      close,
      draft: this.writing.draft(kind === "edit" ? `edit-${target}` : target),
      form: () => this.writing.form(),
      preview: (source) => this.api.preview(source),
      send: async (entry) => {
        if (kind === "edit") await this.writing.edit(target, entry.text);
        else await this.sent(await this.writing.post(entry, kind === "reply" ? target : null));
        if (kind === "edit") await this.saved(target);
        close?.();
      },
    };
  }

  private async sent(comment: { id: string; status?: string; editable_until?: string | null }): Promise<void> {
    if (comment.status !== "pending") await this.reading.load().catch(() => undefined);
    else if (comment.editable_until === undefined) await this.writing.loadOwn().catch(() => undefined);
    this.draw(false);
    this.frame.say(t("sent"));
    const view = this.view.get(comment.id);
    if (view) reveal(view.element);
    this.announce("posted", { id: comment.id, status: comment.status });
  }

  private async saved(id: string): Promise<void> {
    await this.reading.load().catch(() => undefined);
    this.draw(true);
    this.frame.say(t("saved"));
    this.view.get(id)?.element.focus();
  }

  private reply(view: CommentView): void {
    if (view.open) return this.shut(view, view.replyButton);
    const { comment } = view.shown;
    const label = t("replyTo", { name: comment.author?.name ?? "" });
    const composer = new Composer(this.job("reply", comment.id, label, "", () => this.shut(view, view.replyButton)));
    view.show(composer, false);
    composer.focus();
  }

  private edit(view: CommentView): void {
    if (view.open) return this.shut(view, view.editButton);
    const { comment, own } = view.shown;
    const composer = new Composer(this.job("edit", comment.id, t("changeText"), own?.text ?? "", () => this.shut(view, view.editButton)));
    view.show(composer, true);
    composer.focus();
  }

  private shut(view: CommentView, opener: HTMLElement): void {
    const hadFocus = view.open?.element.contains(this.host.shadowRoot?.activeElement ?? null);
    view.close();
    if (hadFocus) opener.focus();
  }

  private async remove(view: CommentView): Promise<void> {
    const { id } = view.shown.comment;
    try {
      await this.writing.remove(id);
      await this.reading.load().catch(() => undefined);
      this.draw(true);
      this.frame.say(t("now_removed"));
    } catch (error) {
      this.failed(error, () => void this.remove(view));
    }
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
