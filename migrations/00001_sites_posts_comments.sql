-- The heart: sites own posts, posts own comments.
--
-- Times are unix milliseconds, UTC. Tables are STRICT, so that a wrong type is
-- an error and not a surprise. SQLite indexes no foreign key by itself; every
-- one below has an index.

-- +goose Up

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sites (
    site_id    TEXT    PRIMARY KEY CHECK (length(site_id) BETWEEN 1 AND 64),
    name       TEXT    NOT NULL,
    policy     TEXT    NOT NULL DEFAULT 'first-comment',
    max_links  INTEGER NOT NULL DEFAULT 2,
    lockdown   INTEGER NOT NULL DEFAULT 0 CHECK (lockdown IN (0, 1)),
    origins    TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(origins)),   -- scheme://host[:port], the first is the blog's own
    blocked    TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(blocked)),   -- words and phrases that hold a comment
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE users (
    user_id    TEXT    PRIMARY KEY,
    name       TEXT    NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

-- A post is made by its first comment. version grows with every change that a
-- reader can see; comment_count and root_count follow visibility in the same
-- transaction, so that counting costs one row.
CREATE TABLE posts (
    site_id       TEXT    NOT NULL REFERENCES sites(site_id) ON DELETE CASCADE,
    post_id       TEXT    NOT NULL,
    title         TEXT    NOT NULL DEFAULT '',
    url           TEXT    NOT NULL DEFAULT '',
    titled_by     TEXT    NOT NULL DEFAULT 'visitor' CHECK (titled_by IN ('visitor', 'admin')),
    closed        INTEGER NOT NULL DEFAULT 0 CHECK (closed IN (0, 1)),
    version       INTEGER NOT NULL DEFAULT 0,
    comment_count INTEGER NOT NULL DEFAULT 0,
    root_count    INTEGER NOT NULL DEFAULT 0,
    created_at    INTEGER NOT NULL,
    PRIMARY KEY (site_id, post_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE comments (
    comment_id        INTEGER PRIMARY KEY AUTOINCREMENT,
    site_id           TEXT    NOT NULL,
    post_id           TEXT    NOT NULL,
    user_id           TEXT,                    -- NULL: anonymous
    parent_comment_id INTEGER,                 -- NULL: a root
    comment_body      TEXT    NOT NULL,        -- source, byte for byte as typed
    status            TEXT    NOT NULL DEFAULT 'pending'
                      CHECK (status IN ('pending', 'approved', 'rejected', 'spam', 'deleted')),
    created_at        INTEGER NOT NULL,        -- unix milliseconds, UTC

    comment_html      TEXT    NOT NULL,        -- rendered and sanitised once, when the text is stored
    author_name       TEXT    NOT NULL,
    author_email      TEXT    NOT NULL DEFAULT '',
    author_website    TEXT    NOT NULL DEFAULT '',
    author_badge      TEXT    NOT NULL DEFAULT '',
    user_gone         INTEGER NOT NULL DEFAULT 0,  -- the account behind it was erased

    actor_id          TEXT    NOT NULL DEFAULT '', -- daily keyed hash of the address
    network_id        TEXT    NOT NULL DEFAULT '', -- keyed hash of the /24 or /48, emptied after 30 days
    device_hash       TEXT    NOT NULL DEFAULT '',
    user_agent        TEXT    NOT NULL DEFAULT '',
    form_state        TEXT    NOT NULL DEFAULT '{}' CHECK (json_valid(form_state)),
    twin_hash         TEXT    NOT NULL DEFAULT '', -- same hand, post, parent and text: a re-post
    text_hash         TEXT    NOT NULL DEFAULT '', -- folded text: repetition across threads
    edit_nonce        TEXT    NOT NULL,            -- the edit key is derived from it and never stored

    status_before     TEXT    NOT NULL DEFAULT '', -- the status before the last deletion
    edited_at         INTEGER,
    revision          INTEGER NOT NULL DEFAULT 1,  -- grows with each new text, draft or not
    draft_body        TEXT,                        -- an edit that waits while comment_body stays public
    draft_html        TEXT,
    draft_at          INTEGER,

    checked_at        INTEGER,                     -- NULL: the checks are still due
    verdict           TEXT    NOT NULL DEFAULT '',
    findings          TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(findings)),

    -- What follows from other columns or rows, kept so that a page of a thread
    -- is one walk along an index. reply_path orders the replies under a root in
    -- display order: for each ancestor below the root and for the comment
    -- itself, its time and its id, eight bytes each, big-endian.
    root_comment_id   INTEGER,                     -- itself for a root
    depth             INTEGER NOT NULL DEFAULT 0,
    reply_path        BLOB    NOT NULL DEFAULT x'',
    visibility        INTEGER NOT NULL DEFAULT 0 CHECK (visibility IN (0, 1, 2)), -- hidden, shown, tombstone
    reply_count       INTEGER NOT NULL DEFAULT 0,  -- listed direct replies
    score             INTEGER NOT NULL DEFAULT 0,  -- distinct people who reacted
    top_rank          INTEGER NOT NULL GENERATED ALWAYS AS (-score) VIRTUAL, -- so that "top" is ascending in every column

    FOREIGN KEY (site_id, post_id)  REFERENCES posts(site_id, post_id)  ON DELETE CASCADE,
    FOREIGN KEY (user_id)           REFERENCES users(user_id)           ON DELETE SET NULL,
    FOREIGN KEY (parent_comment_id) REFERENCES comments(comment_id)     ON DELETE CASCADE
) STRICT;

CREATE INDEX idx_comments_post_id    ON comments (site_id, post_id, status, created_at, comment_id);
CREATE INDEX idx_comments_user_id    ON comments (user_id, site_id, status);
CREATE INDEX idx_comments_parent_id  ON comments (parent_comment_id);
CREATE INDEX idx_comments_created_at ON comments (site_id, created_at, comment_id);
CREATE INDEX idx_comments_status     ON comments (site_id, status, created_at, comment_id);
CREATE INDEX idx_comments_all        ON comments (created_at, comment_id);
CREATE INDEX idx_comments_device     ON comments (site_id, device_hash, status) WHERE device_hash <> '';
CREATE INDEX idx_comments_twin       ON comments (twin_hash, created_at) WHERE twin_hash <> '';
CREATE INDEX idx_comments_text       ON comments (site_id, text_hash, created_at) WHERE text_hash <> '';
CREATE INDEX idx_comments_network    ON comments (created_at) WHERE network_id <> '';
CREATE INDEX idx_comments_unchecked  ON comments (created_at) WHERE checked_at IS NULL;

-- The reading order of a thread: its roots by time or by score, and under each
-- root its replies by path.
CREATE INDEX idx_comments_roots   ON comments (site_id, post_id, created_at, comment_id)
    WHERE root_comment_id = comment_id AND visibility > 0;
CREATE INDEX idx_comments_top     ON comments (site_id, post_id, top_rank, created_at, comment_id)
    WHERE root_comment_id = comment_id AND visibility > 0;
CREATE INDEX idx_comments_replies ON comments (root_comment_id, reply_path, comment_id) WHERE visibility > 0;
CREATE INDEX idx_comments_tree    ON comments (root_comment_id);
CREATE INDEX idx_comments_recent  ON comments (site_id, created_at, comment_id) WHERE visibility = 1;

-- +goose Down

DROP TABLE comments;
DROP TABLE posts;
DROP TABLE users;
DROP TABLE sites;
DROP TABLE meta;
