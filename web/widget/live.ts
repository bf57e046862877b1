// Listens for changes of one thread. Reconnects with growing, jittered pauses, rests while the
// page is hidden, and asks for a reload whenever something may have been missed.

import type { Api } from "./api";
import type { Change } from "./types";

const events = ["comment.approved", "comment.updated", "comment.removed", "thread.updated"];
const hiddenFor = 60_000; // milliseconds after which a hidden page gives its connection back

export interface Listener {
  changed(version: number): void;
  missed(): void;
  version(): number; // shown now
}

export class Live {
  private source: EventSource | null = null;
  private failures = 0;
  private everOpen = false;
  private retry = 0;
  private rest = 0;

  constructor(
    private readonly api: Api,
    private readonly post: string,
    private readonly listener: Listener,
    private readonly signal: AbortSignal,
  ) {}

  start(): void {
    document.addEventListener("visibilitychange", () => this.visibility(), { signal: this.signal });
    // A page that was left may be kept for the way back; its connection would be missing elsewhere.
    window.addEventListener("pagehide", () => this.close(), { signal: this.signal });
    window.addEventListener("pageshow", (event) => event.persisted && this.open(), { signal: this.signal });
    this.signal.addEventListener("abort", () => this.close());
    if (document.hidden) this.visibility();
    this.open();
  }

  private open(): void {
    this.close();
    const source = this.api.stream(this.post, this.listener.version());
    this.source = source;
    source.onopen = () => {
      if (this.everOpen || this.failures) this.listener.missed();
      this.everOpen = true;
      this.failures = 0;
    };
    source.onerror = () => this.again();
    for (const name of events) source.addEventListener(name, (event) => this.receive(event));
  }

  private receive(event: MessageEvent<string>): void {
    try {
      const change = JSON.parse(event.data) as Change;
      if (Number.isFinite(change.version)) this.listener.changed(change.version);
    } catch {
      this.listener.missed(); // unreadable news is still news
    }
  }

  // The browser would reconnect by itself, at once and in step with everybody else.
  private again(): void {
    this.close();
    if (++this.failures > 3) this.listener.missed(); // no stream here: the retries become a slow poll
    const pause = Math.min(60_000, 1000 * 2 ** Math.min(this.failures, 6));
    this.retry = window.setTimeout(() => this.open(), pause * (0.5 + Math.random() / 2));
  }

  private close(): void {
    clearTimeout(this.retry);
    this.source?.close();
    this.source = null;
  }

  private visibility(): void {
    clearTimeout(this.rest);
    if (document.hidden) {
      this.rest = window.setTimeout(() => {
        this.close();
        this.rest = -1;
      }, hiddenFor);
    } else if (this.rest === -1) {
      this.rest = 0;
      this.open();
    }
  }
}
