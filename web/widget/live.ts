// Listens for changes, once per browser and site: the open pages elect one that holds the stream
// and tells the others. A hidden page takes no part. Where there can be no election every visible
// page listens for itself; where there is no stream it becomes a slow poll.

import type { Api } from "./api";
import type { Change } from "./types";

const events = ["comment.approved", "comment.updated", "comment.removed", "thread.updated"];
const grace = 20_000; // milliseconds that a page stays elected after it was hidden
const most = 20; // posts that one stream may carry

export interface Listener {
  post_: string; // the thread's key
  changed_(version: number): void;
  missed_(): void; // something may have happened, nobody knows what
  version_(): number; // shown now
}

/** What pages of one browser tell each other. */
interface Word {
  ask?: [post: string, version: number]; // please listen for me, too
  who?: boolean; // I am elected: ask me
  news?: Change;
  poll?: boolean; // there is no stream: look for yourselves
}

/** @param name the same for all pages that may share a stream */
export function listen(api: Api, name: string, listener: Listener, signal: AbortSignal): void {
  const { post_: post, version_: version } = listener;
  const { locks } = navigator;
  let posts = new Map<string, number>(); // what the elected page listens to, with the version known
  let channel: BroadcastChannel | null = null;
  let source: EventSource | null = null;
  let resign: (() => void) | null = null; // while elected
  let queued = false;
  let failures = 0;
  let next = 0;
  let rest = 0;

  const tell = (word: Word) => channel?.postMessage(word);
  const ask = () => tell({ ask: [post, version()] });

  function look(): void {
    clearTimeout(rest);
    if (!document.hidden) join();
    else if (channel) rest = window.setTimeout(leave, locks ? grace : 0);
  }

  function join(): void {
    if (channel || signal.aborted) return;
    channel = new BroadcastChannel(name);
    channel.onmessage = (event) => hear(event.data);
    ask();
    if (!locks) void lead();
    else if (!queued) {
      queued = true;
      const turn = () => {
        queued = false;
        return channel && lead(); // hidden by now: the next one's turn
      };
      locks.request(name, { signal }, turn).catch(() => channel && lead()); // a page without an origin may not ask
    }
  }

  function leave(): void {
    close();
    resign?.();
    resign = null;
    channel?.close();
    channel = null;
  }

  function lead(): Promise<void> {
    posts = new Map([[post, version()]]);
    tell({ who: true });
    later(50); // until the others have asked
    return new Promise((resolve) => (resign = resolve));
  }

  function hear({ ask: asked, who, news, poll }: Word): void {
    if (asked && resign && locks) add(...asked);
    if (who) ask();
    if (news) take(news);
    if (poll) listener.missed_();
  }

  function add(post: string, version: number): void {
    const known = posts.get(post);
    if (known! <= version || posts.size >= most) return; // listened to already
    posts.set(post, version);
    later(50);
  }

  function later(pause: number): void {
    clearTimeout(next);
    next = window.setTimeout(open, pause);
  }

  function open(): void {
    close();
    source = api.stream_([...posts.keys()], Math.min(...posts.values()));
    source.onopen = () => (failures = 0);
    source.onerror = again;
    for (const name of events) source.addEventListener(name, (event) => read(event.data));
  }

  function read(data: string): void {
    try {
      const news = JSON.parse(data) as Change;
      posts.set(news.post, Math.max(news.version, posts.get(news.post) ?? 0));
      tell({ news });
      take(news);
    } catch {
      listener.missed_(); // unreadable news is still news
    }
  }

  function take(news: Change): void {
    if (news.post === post) listener.changed_(+news.version || 0);
  }

  // The browser would reconnect by itself, at once and in step with everybody else.
  function again(): void {
    close();
    if (++failures > 3) {
      tell({ poll: true });
      listener.missed_();
    }
    later(Math.min(60_000, 1000 * 2 ** failures) * (0.5 + Math.random() / 2));
  }

  function close(): void {
    clearTimeout(next);
    source?.close();
    source = null;
  }

  document.addEventListener("visibilitychange", look, { signal });
  // A page that was left may be kept for the way back; its connection would be missing elsewhere.
  addEventListener("pagehide", leave, { signal });
  addEventListener("pageshow", (event) => event.persisted && look(), { signal });
  signal.addEventListener("abort", leave);
  look();
}
