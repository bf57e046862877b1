// Sends what a reader wrote and remembers what is theirs: new comments, replies, changes,
// deletions and reactions, with the edit keys that prove it.

import type { Api, Problem } from "./api";
import type { Entry, Progress } from "./composer";
import type { Config } from "./config";
import { draftOf, keptFor, type Draft } from "./drafts";
import { device, mineAt, type Mine } from "./mine";
import type { ProofPart } from "./part";
import { remember } from "./storage";
import { now } from "./time";
import type { Form, OwnComment, Posted } from "./types";

export interface Writing {
  own_: OwnComment[];
  mine_: Mine;
  draft_(target: string): Draft;
  form_(): Promise<Form>; // asked for once, and again after a token is used, old or not given
  loadOwn_(): Promise<void>; // costs nothing for somebody who never wrote here
  post_(entry: Entry, parent: string | null, progress: Progress): Promise<[comment: OwnComment, again: boolean]>; // resolves when the server has it for good
  about_<Answer>(id: string, method: string, rest: string, body: object): Promise<Answer>; // a request below a comment's address, with the device and edit key
  changed_(id: string, change: Partial<OwnComment> | null): Promise<void>; // an own comment is now so; null: deleted
}

export function writingAt(api: Api, { site_: site, post_: post, title_: title, url_: url }: Config): Writing {
  const mine = mineAt(site, post);
  let asked: { at: number; form: Promise<Form> } | null = null;
  let proof: Promise<string | void> | null = null;
  let told: Progress | undefined;

  function form(): Promise<Form> {
    if (!asked || asked.at < Date.now() - keptFor) {
      const form = api.ask_<Form>("GET", `/form?${new URLSearchParams({ post })}`);
      asked = { at: Date.now(), form };
      proof = null;
      form.then(solve, () => (asked = null));
    }
    return asked.form;
  }

  // Begun while the reader still writes. A missing solution makes the comment wait, no more.
  function solve({ challenge }: Form): void {
    if (challenge?.algorithm === "SHA-256") proof = api.part_<ProofPart>("proof").then((solve) => solve(challenge, (percent) => told?.(percent))).catch(() => undefined);
  }

  async function prepare(draft: Draft, { name, email, website, text, trap }: Entry, parent: string | null, progress: Progress) {
    told = progress;
    const given = await form().catch((error) => {
      if (error.status_ === 403) throw error; // this page may not write: say why
      return null; // without a token the comment is looked at more closely
    });
    const author = { name, email: email || undefined, website: website || undefined };
    const solution = (await proof) ?? undefined;
    return draft.attempt_(JSON.stringify([text, author]), () =>
      JSON.stringify({
        post,
        parent_id: parent ?? undefined,
        author,
        text,
        title,
        url,
        device: device(),
        form: given ? { token: given.token, trap, solution } : undefined,
      }),
    );
  }

  function keep(comment: OwnComment): OwnComment {
    self.own_ = [...self.own_.filter((other) => other.id !== comment.id), comment];
    return comment;
  }

  const self: Writing = {
    own_: [],
    mine_: mine,
    draft_: (target) => draftOf(site, post, target),
    form_: form,
    async loadOwn_() {
      const keys = mine.keys_().map(({ key }) => key);
      if (keys.length) self.own_ = (await api.ask_<{ comments?: OwnComment[] }>("POST", "/comments/own", { keys })).comments ?? [];
    },
    async post_(entry, parent, progress) {
      const draft = self.draft_(parent ?? "new");
      const { body, key } = await prepare(draft, entry, parent, progress);
      try {
        const { comment, edit_key } = await api.ask_<Posted>("POST", "/comments", body, { "Idempotency-Key": key });
        const { name, email, website, text } = entry;
        const { id } = comment;
        draft.clear_();
        asked = null;
        remember("me", { name, email, website });
        const again = mine.keys_().some((kept) => kept.id === id);
        if (edit_key) mine.keep_(id, edit_key);
        const author = { name, website: null, avatar: null, badge: null };
        // The answer says what the server has; what it leaves out is known here.
        return [keep({ author, created_at: new Date(now()).toISOString(), status: "pending", text, ...comment, parent_id: comment.parent_id ?? parent }), again];
      } catch (error) {
        if ((error as Problem).slug_ === "idempotency-mismatch") draft.drop_();
        throw error;
      }
    },
    about_(id, method, rest, body) {
      const key = mine.keys_().find((kept) => kept.id === id)?.key;
      return api.ask_(method, `/comments/${encodeURIComponent(id)}${rest}`, { ...body, device: device() }, key ? { Authorization: `Bearer ${key}` } : {});
    },
    changed_(id, change) {
      self.draft_(`edit-${id}`).clear_();
      const before = self.own_.find((other) => other.id === id)!;
      if (change) keep({ ...before, html: undefined, ...change });
      else {
        mine.keep_(id);
        self.own_ = self.own_.filter((other) => other !== before);
      }
      return self.loadOwn_().catch(() => undefined); // the change is saved; how it looks can wait
    },
  };
  return self;
}
