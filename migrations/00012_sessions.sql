-- Who is signed in to the admin page, and the links that let somebody sign in
-- once. Neither is kept in the clear: whoever has a copy of the database can
-- act for nobody.

-- +goose Up

-- A session belongs to a moderator, to a key, or to the admin key given as a
-- setting, and is worth what its owner is worth at that moment: rights are never
-- copied here. Its own end and the end of its owner both end it.
CREATE TABLE sessions (
    session_id   INTEGER PRIMARY KEY AUTOINCREMENT,
    session_hash TEXT    NOT NULL UNIQUE,
    moderator_id INTEGER REFERENCES moderators(moderator_id) ON DELETE CASCADE,
    key_id       INTEGER REFERENCES api_keys(key_id) ON DELETE CASCADE,
    setting_mark TEXT    NOT NULL DEFAULT '',   -- keyed hash of the admin key given as a setting
    agent        TEXT    NOT NULL DEFAULT '',   -- what the browser calls itself, so that its owner knows it again
    created_at   INTEGER NOT NULL,
    seen_at      INTEGER NOT NULL,              -- to the minute
    ends_at      INTEGER NOT NULL,              -- whatever happens
    ended_at     INTEGER,                       -- NULL: in force
    CHECK ((moderator_id IS NOT NULL) + (key_id IS NOT NULL) + (setting_mark <> '') = 1)
) STRICT;

CREATE INDEX idx_sessions_moderator ON sessions (moderator_id);
CREATE INDEX idx_sessions_key       ON sessions (key_id);
CREATE INDEX idx_sessions_ends      ON sessions (ends_at);

-- A row goes away when its link is used.
CREATE TABLE signin_links (
    link_hash    TEXT    PRIMARY KEY,
    moderator_id INTEGER NOT NULL REFERENCES moderators(moderator_id) ON DELETE CASCADE,
    expires_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX idx_signin_links_moderator ON signin_links (moderator_id);
CREATE INDEX idx_signin_links_expires   ON signin_links (expires_at);

-- +goose Down

DROP TABLE signin_links;
DROP TABLE sessions;
