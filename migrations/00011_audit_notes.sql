-- What an operator asks afterwards (who changed what, and what was it before),
-- what moderators tell each other, and the threads they put in order.

-- personal notes | what moderators note about an author (keyed hash) or a comment, and who did | to treat people alike | as long as the comment, or until the person is erased
-- personal none: reply_templates, post_redirects, post_moves, moved_comments

-- +goose Up

-- before and after hold settings and states, as JSON objects of what differs.
-- Texts of comments never stand here: the decision log has them, and erasing
-- people must not need to look into this table.
ALTER TABLE audit ADD COLUMN actor_name TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN site_id    TEXT NOT NULL DEFAULT '';   -- '': of all sites; no foreign key, the log outlives what it tells of
ALTER TABLE audit ADD COLUMN before     TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(before));
ALTER TABLE audit ADD COLUMN after      TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(after));
ALTER TABLE audit ADD COLUMN batch      TEXT NOT NULL DEFAULT '';   -- shared by what one request did

CREATE INDEX idx_audit_site ON audit (site_id, audit_id);

-- +goose StatementBegin
CREATE TRIGGER audit_is_append_only BEFORE UPDATE ON audit BEGIN
    SELECT raise(ABORT, 'the audit log is append-only');
END;
-- +goose StatementEnd

-- Private notes of moderators, on a comment or on an author of a site; an
-- author is known by the hash of a device, of an account or of a mail address.
CREATE TABLE notes (
    note_id    INTEGER PRIMARY KEY AUTOINCREMENT,
    site_id    TEXT    NOT NULL REFERENCES sites(site_id) ON DELETE CASCADE,
    comment_id INTEGER REFERENCES comments(comment_id) ON DELETE CASCADE,  -- NULL: on an author
    author     TEXT    NOT NULL DEFAULT '',
    body       TEXT    NOT NULL,
    actor      TEXT    NOT NULL,
    actor_name TEXT    NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX idx_notes_site    ON notes (site_id, author, note_id);
CREATE INDEX idx_notes_comment ON notes (comment_id, note_id);

-- Answers that moderators keep for questions that come again.
CREATE TABLE reply_templates (
    template_id INTEGER PRIMARY KEY AUTOINCREMENT,
    site_id     TEXT    REFERENCES sites(site_id) ON DELETE CASCADE,       -- NULL: for every site
    name        TEXT    NOT NULL,
    body        TEXT    NOT NULL,             -- with {variables}
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
) STRICT;

CREATE INDEX idx_reply_templates_site ON reply_templates (site_id);

-- The old keys of posts that were renamed or merged. They are found again
-- whatever still uses them: old pages, imports, counters.
CREATE TABLE post_redirects (
    site_id    TEXT    NOT NULL REFERENCES sites(site_id) ON DELETE CASCADE,
    old_id     TEXT    NOT NULL,
    post_id    TEXT    NOT NULL,              -- never itself an old key
    created_at INTEGER NOT NULL,
    PRIMARY KEY (site_id, old_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX idx_post_redirects_target ON post_redirects (site_id, post_id);

-- Comments that moved together from one post to another: a merge, a rename or
-- a split. What is written here suffices to take it back.
CREATE TABLE post_moves (
    move_id    INTEGER PRIMARY KEY AUTOINCREMENT,
    site_id    TEXT    NOT NULL REFERENCES sites(site_id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL CHECK (kind IN ('merge', 'rename', 'split')),
    from_id    TEXT    NOT NULL,
    to_id      TEXT    NOT NULL,
    from_post  TEXT    NOT NULL CHECK (json_valid(from_post)),  -- title, url and state of the post that was left
    redirects  TEXT    NOT NULL CHECK (json_valid(redirects)),  -- the old keys that pointed at it
    comments   INTEGER NOT NULL,
    moved_at   INTEGER NOT NULL,
    undone_at  INTEGER
) STRICT;

CREATE INDEX idx_post_moves_site ON post_moves (site_id, move_id);

CREATE TABLE moved_comments (
    move_id    INTEGER NOT NULL REFERENCES post_moves(move_id) ON DELETE CASCADE,
    comment_id INTEGER NOT NULL REFERENCES comments(comment_id) ON DELETE CASCADE,
    PRIMARY KEY (move_id, comment_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX idx_moved_comments_comment ON moved_comments (comment_id);

-- A key with the scope author writes under a name and badge of its own, through
-- the checks or trusted, so many times a minute and an hour.
ALTER TABLE api_keys ADD COLUMN author_name TEXT    NOT NULL DEFAULT '';
ALTER TABLE api_keys ADD COLUMN badge       TEXT    NOT NULL DEFAULT '';
ALTER TABLE api_keys ADD COLUMN checked     INTEGER NOT NULL DEFAULT 0 CHECK (checked IN (0, 1)); -- its comments go through the checks
ALTER TABLE api_keys ADD COLUMN per_minute  INTEGER NOT NULL DEFAULT 0;                          -- 0: as readers
ALTER TABLE api_keys ADD COLUMN per_hour    INTEGER NOT NULL DEFAULT 0;

-- +goose Down

ALTER TABLE api_keys DROP COLUMN per_hour;
ALTER TABLE api_keys DROP COLUMN per_minute;
ALTER TABLE api_keys DROP COLUMN checked;
ALTER TABLE api_keys DROP COLUMN badge;
ALTER TABLE api_keys DROP COLUMN author_name;
DROP TABLE moved_comments;
DROP TABLE post_moves;
DROP TABLE post_redirects;
DROP TABLE reply_templates;
DROP TABLE notes;
DROP TRIGGER audit_is_append_only;
DROP INDEX idx_audit_site;
ALTER TABLE audit DROP COLUMN batch;
ALTER TABLE audit DROP COLUMN after;
ALTER TABLE audit DROP COLUMN before;
ALTER TABLE audit DROP COLUMN site_id;
ALTER TABLE audit DROP COLUMN actor_name;
