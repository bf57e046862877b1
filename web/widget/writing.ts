// Sends what a reader wrote and remembers what is theirs: new comments, replies, changes and
// deletions, with the edit keys that prove it.

import { Problem, type Api } from "./api";
import type { Entry } from "./composer";
import type { Config } from "./config";
import { Draft } from "./drafts";
import { device, keepProfile, Mine } from "./mine";
import type { Form, OwnComment } from "./types";

const formAge = 20 * 3_600_000; // milliseconds; the server takes a token for a day

export class Writing {
  own: OwnComment[] = [];
  private readonly mine: Mine;
  private asked: { at: number; form: Promise<Form> } | null = null;

  constructor(
    readonly api: Api,
    private readonly config: Config,
  ) {
    this.mine = new Mine(config.site, config.post);
  }

  draft(target: string): Draft {
    return new Draft(this.config.site, this.config.post, target);
  }

  /** The form token and limits: asked for once, and again after a token is used, old or not given. */
  form(): Promise<Form> {
    if (!this.asked || this.asked.at < Date.now() - formAge) {
      const form = this.api.form(this.config.post);
      this.asked = { at: Date.now(), form };
      form.catch(() => (this.asked = null));
    }
    return this.asked.form;
  }

  /** Asks what became of the own comments. Costs nothing for somebody who never wrote here. */
  async loadOwn(): Promise<void> {
    const keys = this.mine.keys();
    if (keys.length) this.own = await this.api.own(keys);
  }

  /** Sends a comment; resolves when the server has it for good. */
  async post(entry: Entry, parent: string | null): Promise<OwnComment> {
    const { draft, attempt } = await this.prepare(entry, parent);
    try {
      const { comment, edit_key } = await this.api.post(attempt.body, attempt.key);
      draft.clear();
      this.asked = null;
      keepProfile({ name: entry.name, email: entry.email, website: entry.website });
      if (edit_key) this.mine.add(comment.id, edit_key);
      return this.keep(this.complete(comment, entry, parent));
    } catch (error) {
      if (error instanceof Problem && error.slug === "idempotency-mismatch") draft.dropAttempt();
      throw error;
    }
  }

  async edit(id: string, text: string): Promise<void> {
    const { comment } = await this.api.edit(id, this.keyOf(id), text);
    this.draft(`edit-${id}`).clear();
    const before = this.own.find((other) => other.id === id);
    if (before) this.keep({ ...before, html: undefined, text, ...comment });
    await this.loadOwn().catch(() => undefined); // the change is saved; how it looks can wait
  }

  async remove(id: string): Promise<void> {
    await this.api.remove(id, this.keyOf(id));
    this.mine.drop(id);
    this.own = this.own.filter((comment) => comment.id !== id);
  }

  private async prepare(entry: Entry, parent: string | null) {
    const { name, email, website, text } = entry;
    const form = await this.form().catch(() => null); // without a token the comment is looked at more closely
    const author = { name, email: email || undefined, website: website || undefined };
    const { post, title, url } = this.config;
    const draft = this.draft(parent ?? "new");
    const attempt = draft.attempt(JSON.stringify([text, author]), () =>
      JSON.stringify({
        post,
        parent_id: parent ?? undefined,
        author,
        text,
        title,
        url,
        device: device(),
        form: form ? { token: form.token, trap: entry.trap } : undefined,
      }),
    );
    return { draft, attempt };
  }

  private keep(comment: OwnComment): OwnComment {
    this.own = [...this.own.filter((other) => other.id !== comment.id), comment];
    return comment;
  }

  // The answer says what the server has; what it leaves out is known here.
  private complete(comment: OwnComment, entry: Entry, parent: string | null): OwnComment {
    return {
      ...comment,
      parent_id: comment.parent_id ?? parent,
      author: comment.author ?? { name: entry.name, website: null, avatar: null, badge: null },
      created_at: comment.created_at ?? new Date().toISOString(),
      status: comment.status ?? "pending",
      text: comment.text ?? entry.text,
    };
  }

  private keyOf(id: string): string {
    return this.mine.keyOf(id) ?? "";
  }
}
