// One life of the widget on a page: from being connected with a configuration until its signal
// ends. It lets reading, writing and the live stream meet in what is drawn.

import { actingOn, type Acting } from "./acting";
import { asProblem, connect } from "./api";
import { asSort, type Config } from "./config";
import { h, reveal } from "./dom";
import type { Texts } from "./english";
import { frameIn, type Frame } from "./frame";
import { linkedId } from "./link";
import { listen } from "./live";
import { arrange, type Shown } from "./merge";
import type { LinkPart, TakePart } from "./part";
import { readingOf } from "./reading";
import { settle } from "./room";
import { recall, remember } from "./storage";
import { threadView, type ThreadView } from "./thread";
import type { Sort } from "./types";
import { wordsOf, type Say } from "./words";
import { writingAt } from "./writing";

/** Begins to load, to listen and to keep time in root; everything ends with the signal. */
export function begin(host: HTMLElement, root: HTMLElement, config: Config & { api_: string }, signal: AbortSignal): void {
  const { api_: base, site_: site, post_: post, lang_: lang, texts_: texts } = config;
  let words = wordsOf("en", texts);
  const t: Say = (key, values) => words.t(key, values);
  const api = connect(base, site, t, signal);
  const reading = readingOf(api, post, asSort(recall("sort", config.sort_)));
  const writing = writingAt(api, config);
  let frame: Frame; // these three are made when the language is there
  let acting: Acting;
  let view: ThreadView;
  let held: ReadonlySet<string> = new Set(); // arrived, waiting behind the pill
  let shown: Shown[] = [];
  let closed: boolean | null = null;
  let listening = false;
  let takeOver: ReturnType<TakePart> = (show) => show();

  async function start(): Promise<void> {
    host.dataset.state = "loading";
    const thread = load();
    thread.catch(() => undefined); // looked at below, when the language is there
    if (lang !== "en") {
      // Without its file a language is worth less than the comments: they appear in English.
      const table = await api.part_<Texts>(lang).catch(() => null);
      if (table) words = wordsOf(lang, [...texts, table]);
    }
    if (host.querySelector(":scope > .postil-thread")) takeOver = (await api.part_<TakePart>("take").catch(() => null))?.({ host, root }) ?? takeOver;
    if (signal.aborted) return;
    build();
    const clock = setInterval(() => view.views_.forEach((comment) => comment.tick_()), 30_000);
    signal.addEventListener("abort", () => clearInterval(clock));
    addEventListener("hashchange", () => void followLink(), { signal });
    await open(thread);
  }

  function build(): void {
    acting = actingOn(api, writing, {
      words_: words,
      find_: (id) => view.views_.get(id),
      draw_: draw,
      fold_(id) {
        const { folded_: folded } = view;
        if (!folded.delete(id)) folded.add(id);
        view.render_(shown);
      },
      reload_: () => reading.load_().catch(() => undefined),
      say_: (text) => frame.say_(text),
      announce_: announce,
      failed_: failed,
    });
    view = threadView(acting);
    frame = frameIn(root, words, reading.sort_, { sort_: reorder, more_: more, arrived_: showHeld });
    drawComposer(false); // holds its room while the comments are on their way
  }

  function load(): Promise<void> {
    const id = linkedId();
    return id ? reading.focus_(id) : reading.load_();
  }

  async function open(thread: Promise<void>): Promise<void> {
    frame.loading_(host);
    try {
      const own = writing.loadOwn_().catch(() => undefined);
      await thread;
      await Promise.race([own, new Promise((resolve) => setTimeout(resolve, 500))]);
      takeOver(() => draw(false), (id) => view.views_.get(id)?.element_);
      void own.then(() => draw(true));
      settle(host, root);
      hear();
      announce("ready", { version: reading.last_?.version, count: reading.last_?.count });
      followLink();
    } catch (error) {
      failed(error, () => open(load()));
    }
  }

  function hear(): void {
    const { last_: last } = reading;
    if (listening || !last || signal.aborted) return;
    listening = true;
    const listener = {
      post_: last.post.key,
      changed_(version: number) {
        reading.follow_(version, () => {
          draw(true); // first with the thread: an own comment must not be gone between waiting and public
          if (writing.own_.length) void writing.loadOwn_().then(() => draw(true), () => undefined);
        });
      },
      missed_: () => void reading.load_().then(() => draw(true), () => undefined), // the thread that is shown is better than an error
      version_: () => reading.last_?.version ?? 0,
    };
    listen(api, `postil ${base} ${site}`, listener, signal);
  }

  async function more(back: boolean): Promise<void> {
    try {
      await reading.more_(back);
      const first = view.element_.firstElementChild!;
      const { top } = first.getBoundingClientRect();
      draw(!back);
      if (back) scrollBy({ top: first.getBoundingClientRect().top - top, behavior: "instant" }); // what was read stays where it was
    } catch (error) {
      failed(error, () => more(back));
    }
  }

  async function reorder(sort: Sort): Promise<void> {
    remember("sort", sort);
    try {
      await reading.reorder_(sort);
      draw(false);
    } catch (error) {
      failed(error, () => reorder(sort));
    }
  }

  // gentle: nobody asked for this to happen here and now, so it must not move what is being read.
  function draw(gentle: boolean): void {
    const { last_: last } = reading;
    if (signal.aborted || !last) return;
    const all = arrange(reading.comments_, writing.own_, reading.sort_);
    held = gentle ? view.disturbing_(all) : new Set();
    shown = all.filter(({ comment }) => !held.has(comment.id));
    const n = gentle ? all.filter(({ comment }) => !view.views_.has(comment.id)).length : 0;
    view.render_(shown);
    drawComposer(last.post.closed);
    frame.thread_(view.element_, last.count, last.post.closed, reading.prev_ !== null, last.next_cursor !== null);
    frame.arrivals_(held.size);
    Object.assign(host.dataset, { state: "ready", version: last.version });
    if (!n) return;
    frame.say_(t("arrived", { n }));
    announce("arrived", { n });
  }

  function drawComposer(isClosed: boolean): void {
    if (closed !== isClosed) frame.composer_.replaceChildren(isClosed ? h("p", { class: "closed" }, t("closed")) : acting.fresh_());
    closed = isClosed;
  }

  function showHeld(): void {
    const [first] = held;
    view.folded_.clear();
    draw(false);
    const comment = first && view.views_.get(first);
    if (comment) reveal(comment.element_);
  }

  async function followLink(): Promise<void> {
    const id = linkedId();
    if (!id) return;
    view.folded_.clear();
    if (!view.views_.has(id)) await reading.focus_(id).catch(() => undefined);
    draw(false);
    const element = view.views_.get(id)?.element_;
    if (!element) return frame.failure_(t("gone"));
    reveal(element);
    const lead = await api.part_<LinkPart>("link").catch(() => null);
    lead?.({ element, signal, root: element.getRootNode() as ShadowRoot });
  }

  function failed(error: unknown, retry: () => void): void {
    if (signal.aborted) return;
    const { message: detail, slug_: type, status_: status } = asProblem(error, t);
    const isFirst = host.dataset.state === "loading";
    if (isFirst) host.dataset.state = "error";
    // No thread is ever missing, so the site is.
    frame.failure_(isFirst && status === 404 ? t("unknownSite", { site }) : detail, retry);
    announce("error", { type, status, detail });
  }

  function announce(name: string, detail: object): void {
    host.dispatchEvent(new CustomEvent(`postil:${name}`, { bubbles: true, composed: true, detail }));
  }

  void start();
}
