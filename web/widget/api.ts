// The one class that reaches the network. Every failure leaves it as a Problem with a sentence
// that can be shown; when the element goes away its signal ends whatever is under way.

import type { Form, OwnComment, Posted, Preview, Thread } from "./types";
import { t } from "./texts";

const patience = 15_000; // milliseconds until a silent server counts as too slow

/** What went wrong: a sentence for a person, the HTTP status (0: no answer) and the problem's slug. */
export class Problem extends Error {
  constructor(
    readonly detail: string,
    readonly status = 0,
    readonly slug = "",
    readonly field = "",
  ) {
    super(detail);
  }
}

interface Call {
  query?: Record<string, string | number | null | undefined>;
  body?: string;
  headers?: Record<string, string>;
}

export class Api {
  private blockedBy = "";

  constructor(
    private readonly base: string,
    private readonly site: string,
    private readonly signal: AbortSignal,
  ) {
    const note = (event: SecurityPolicyViolationEvent) => {
      if (event.blockedURI.startsWith(new URL(base).origin)) this.blockedBy = event.effectiveDirective;
    };
    document.addEventListener("securitypolicyviolation", note, { signal });
  }

  /** A page of the thread; `v` asks for an answer at least that new. */
  thread(post: string, sort: string, cursor: string | null, v: number | null): Promise<Thread> {
    return this.call("GET", "/comments", { query: { post, sort: sort === "oldest" ? null : sort, cursor, v } });
  }

  form(post: string): Promise<Form> {
    return this.call("GET", "/form", { query: { post } });
  }

  preview(text: string): Promise<Preview> {
    return this.call("POST", "/preview", { body: JSON.stringify({ text }) });
  }

  /** Sends a comment. The same key with the same body may be sent again: it stays one comment. */
  post(body: string, key: string): Promise<Posted> {
    return this.call("POST", "/comments", { body, headers: { "Idempotency-Key": key } });
  }

  async own(keys: string[]): Promise<OwnComment[]> {
    const answer = await this.call<{ comments?: OwnComment[] }>("POST", "/comments/own", { body: JSON.stringify({ keys }) });
    return answer.comments ?? [];
  }

  edit(id: string, key: string, text: string): Promise<{ comment?: OwnComment }> {
    return this.call("PATCH", `/comments/${encodeURIComponent(id)}`, { body: JSON.stringify({ text }), headers: bearer(key) });
  }

  remove(id: string, key: string): Promise<unknown> {
    return this.call("DELETE", `/comments/${encodeURIComponent(id)}`, { headers: bearer(key) });
  }

  /** The stream of what changes after version v; whoever opens it closes it. */
  stream(post: string, v: number): EventSource {
    return new EventSource(this.address("/stream", { post, v }));
  }

  private address(path: string, query: Call["query"] = {}): string {
    const url = new URL(`${this.base}/api/v1/sites/${encodeURIComponent(this.site)}${path}`);
    for (const [name, value] of Object.entries(query)) if (value != null) url.searchParams.set(name, String(value));
    return url.href;
  }

  private async call<T>(method: string, path: string, { query, body, headers }: Call): Promise<T> {
    const limit = new AbortController();
    const stop = () => limit.abort();
    const timer = setTimeout(stop, patience);
    this.signal.addEventListener("abort", stop);
    try {
      const response = await fetch(this.address(path, query), {
        method,
        body,
        headers: body ? { ...headers, "Content-Type": "application/json" } : headers,
        cache: method === "GET" ? "no-cache" : "no-store",
        credentials: "omit",
        signal: limit.signal,
      });
      if (!response.ok) throw await problemOf(response);
      const text = await response.text();
      return JSON.parse(text || "{}") as T;
    } catch (error) {
      throw error instanceof Problem ? error : await this.silence(limit.signal.aborted, error);
    } finally {
      clearTimeout(timer);
      this.signal.removeEventListener("abort", stop);
    }
  }

  private async silence(aborted: boolean, error: unknown): Promise<Problem> {
    if (aborted) return new Problem(t("slow"));
    if (error instanceof SyntaxError) return new Problem(t("wrong"));
    await new Promise((done) => setTimeout(done, 20)); // the violation is reported a moment after the refusal
    const origin = new URL(this.base).origin;
    return new Problem(this.blockedBy ? t("blocked", { directive: this.blockedBy, origin }) : t("offline"));
  }
}

function bearer(key: string): Record<string, string> {
  return { Authorization: `Bearer ${key}` };
}

async function problemOf(response: Response): Promise<Problem> {
  let body: { type?: unknown; detail?: unknown; field?: unknown } = {};
  try {
    body = (await response.json()) ?? {};
  } catch {
    // a proxy answered instead of the service: its page says nothing to a reader
  }
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  const slug = text(body.type).split(/[/:#]/).pop() ?? "";
  return new Problem(text(body.detail) || t("wrong"), response.status, slug, text(body.field));
}
