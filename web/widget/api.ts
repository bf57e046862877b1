// The one place that reaches the network. Every failure leaves it as a Problem with a sentence
// that can be shown. Nothing is cut off when the element goes away: what was sent is to arrive,
// and what was asked for is shared with other widgets of the page.

import type { Key } from "./english";
import { learnTime } from "./time";
import type { Say } from "./words";

const patience = 15_000; // milliseconds until a silent server counts as too slow
const underWay = new Map<string, Promise<any>>(); // public reads, by address

/** What went wrong: a sentence for a person, the HTTP status (0: no answer), the problem's slug and the field it means. */
export interface Problem extends Error {
  status_: number;
  slug_: string;
  field_: string;
}

export function problem(text: string, status_ = 0, slug_ = "", field_ = ""): Problem {
  return Object.assign(new Error(text), { status_, slug_, field_ });
}

/** The error as a Problem; what is none says no more than that something is wrong. */
export function asProblem(error: unknown, t: Say): Problem {
  return (error as Problem).status_ == null ? problem(t("wrong")) : (error as Problem);
}

export type Query = Record<string, string | number | null | undefined>;

export interface Api {
  /** A request; paths are below the site's address. A body that is no string is sent as JSON. */
  ask_<Answer>(method: string, path: string, body?: string | object, headers?: Record<string, string>): Promise<Answer>;
  /** A public read, one for all who want the same at the same time. */
  read_<Answer>(path: string, query: Query): Promise<Answer>;
  /** The stream of what changes on these posts after version v; whoever opens it closes it. */
  stream_(posts: string[], v: number): EventSource;
  /** A part of the widget that few readers need. */
  part_<Part>(name: string): Promise<Part>;
}

export function connect(base: string, site: string, t: Say, signal: AbortSignal): Api {
  const { origin } = new URL(base);
  const root = `${base}/api/v1/sites/${encodeURIComponent(site)}`;
  let blockedBy = "";

  const note = (event: SecurityPolicyViolationEvent) => {
    if (event.blockedURI.startsWith(origin)) blockedBy = event.effectiveDirective;
  };
  document.addEventListener("securitypolicyviolation", note, { signal });

  async function silence(error: unknown): Promise<Problem> {
    const { name } = error as Error;
    if (name === "TimeoutError") return problem(t("slow"));
    if (name === "SyntaxError") return problem(t("wrong"));
    await new Promise((done) => setTimeout(done, 20)); // the violation is reported a moment after the refusal
    return problem(blockedBy ? t("blocked", { directive: blockedBy, origin }) : t("offline"));
  }

  const ask: Api["ask_"] = async (method, path, body, headers = {}) => {
    try {
      if (body) headers["Content-Type"] = "application/json";
      const response = await fetch(root + path, {
        method,
        headers,
        body: typeof body === "object" ? JSON.stringify(body) : body,
        cache: "no-cache",
        credentials: "omit",
        signal: AbortSignal.timeout(patience),
      });
      learnTime(response.headers.get("Date"), response.headers.get("Age"));
      if (!response.ok) throw await problemOf(response, t);
      return JSON.parse((await response.text()) || "{}");
    } catch (error) {
      throw (error as Problem).status_ == null ? await silence(error) : error;
    }
  };

  return {
    ask_: ask,
    read_(path, query) {
      const given = Object.entries(query).filter(([, value]) => value != null);
      path += `?${new URLSearchParams(given as [string, string][])}`;
      const asked = underWay.get(root + path) ?? ask("GET", path).finally(() => underWay.delete(root + path));
      underWay.set(root + path, asked);
      return asked;
    },
    stream_: (posts, v) => new EventSource(`${root}/stream?${new URLSearchParams(posts.map((post) => ["post", post]))}&v=${v}`),
    async part_(name) {
      try {
        return await load(base, name);
      } catch (error) {
        throw await silence(error);
      }
    },
  };
}

/** A script that few readers need. Its name and what it is given are kept between releases. */
export async function load<Part>(base: string, name: string): Promise<Part> {
  return (await import(/* webpackIgnore: true */ /* @vite-ignore */ `${base}/widget.v1.${name}.js`)).default;
}

// A proxy may answer instead of the service: its page says nothing to a reader.
async function problemOf(response: Response, t: Say): Promise<Problem> {
  const { type, detail, field } = (await response.json().catch(() => null)) ?? {};
  const slug = String(type ?? (response.status === 413 ? "too-large" : "")).split(/[/:#]/).pop()!;
  return problem(t(slug as Key) || String(detail || t("wrong")), response.status, slug, String(field));
}
