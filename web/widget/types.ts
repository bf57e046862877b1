// The shapes of the HTTP contract that the widget reads. Fields may be added by the server at
// any time; nothing here may be assumed beyond what is written.

export interface Author {
  name: string;
  website: string | null;
  avatar: string | null;
  badge: string | null;
}

/** A comment as the thread shows it. A tombstone has only id, parent_id, depth and deleted. */
export interface Comment {
  id: string;
  parent_id: string | null;
  depth: number;
  deleted?: boolean;
  author?: Author;
  html?: string;
  created_at?: string;
  edited_at?: string | null;
  can_reply?: boolean;
  reactions?: Record<string, number>;
}

/** A comment as its own author sees it: with status, source text and the end of the edit window. */
export interface OwnComment extends Comment {
  status?: string;
  text?: string;
  editable_until?: string | null;
  edit_pending?: boolean; // html and text are newer than what everybody sees
}

export interface Thread {
  post: { key: string; title: string; url: string; closed: boolean };
  version: number;
  count: number;
  next_cursor: string | null;
  prev_cursor?: string | null;
  comments: Comment[];
}

/** A puzzle that costs a machine that sends thousands of comments, and a reader a moment. */
export interface Challenge {
  algorithm: string; // SHA-256
  challenge: string;
  bits: number; // leading zero bits of the hash of challenge and solution
}

/** What a composer needs before it may send. `trap` is the name of a field that people never fill. */
export interface Form {
  token: string;
  trap: string;
  limits?: { text?: number; name?: number };
  closed?: boolean; // nobody can write here now
  lockdown?: boolean;
  challenge?: Challenge | null;
  reactions?: string[]; // emoji that comments take
}

export interface Preview {
  html: string;
  hints?: string[]; // what was left out
}

export interface Posted {
  comment: OwnComment;
  edit_key?: string;
}

/** A server-sent event: this thread has reached this version. */
export interface Change {
  post: string;
  version: number;
  id?: string;
}

export type Sort = "oldest" | "newest" | "top";
