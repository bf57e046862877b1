-- Who may decide, by which key or chat, and what each of them changed.

-- +goose Up

-- A key is shown once and stored as a hash; site_id NULL means every site.
CREATE TABLE api_keys (
    key_id       INTEGER PRIMARY KEY AUTOINCREMENT,
    key_hash     TEXT    NOT NULL UNIQUE,
    name         TEXT    NOT NULL,
    role         TEXT    NOT NULL CHECK (role IN ('admin', 'moderator')),
    scope        TEXT    NOT NULL DEFAULT '' CHECK (scope IN ('', 'author')),
    site_id      TEXT    REFERENCES sites(site_id) ON DELETE CASCADE,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER,
    revoked_at   INTEGER
) STRICT;

CREATE INDEX idx_api_keys_site ON api_keys (site_id);

CREATE TABLE moderators (
    moderator_id  INTEGER PRIMARY KEY AUTOINCREMENT,
    name          TEXT    NOT NULL,
    role          TEXT    NOT NULL CHECK (role IN ('admin', 'moderator')),
    site_id       TEXT    REFERENCES sites(site_id) ON DELETE CASCADE,  -- NULL: every site
    telegram_user INTEGER UNIQUE,             -- NULL: not linked yet
    code_hash     TEXT    UNIQUE,             -- the one-time code for /start, NULL once used
    code_expires  INTEGER,
    created_at    INTEGER NOT NULL,
    revoked_at    INTEGER
) STRICT;

CREATE INDEX idx_moderators_site ON moderators (site_id);

-- A card is the Telegram message that asks for a decision: one for each
-- comment and chat. It is due when it must be sent or brought up to date.
CREATE TABLE cards (
    card_id    INTEGER PRIMARY KEY AUTOINCREMENT,
    comment_id INTEGER NOT NULL REFERENCES comments(comment_id) ON DELETE CASCADE,
    chat_id    INTEGER NOT NULL,
    message_id INTEGER NOT NULL DEFAULT 0,    -- 0: not sent yet
    shows      TEXT    NOT NULL DEFAULT '',   -- what the message says now, to tell whether it is stale
    due_at     INTEGER,                       -- NULL: nothing to do
    attempts   INTEGER NOT NULL DEFAULT 0,    -- failures since the last success
    problem    TEXT    NOT NULL DEFAULT '',   -- why the last attempt failed, in words
    final      INTEGER NOT NULL DEFAULT 0,    -- the message can no longer be edited
    sent_at    INTEGER,
    UNIQUE (comment_id, chat_id)
) STRICT;

CREATE INDEX idx_cards_due     ON cards (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX idx_cards_message ON cards (chat_id, message_id);

-- Trouble of a whole chat: a blocked bot, a chat that became another one.
CREATE TABLE chats (
    chat_id     INTEGER PRIMARY KEY,
    moved_to    INTEGER,                      -- the supergroup that a group became
    problem     TEXT    NOT NULL DEFAULT '',
    failures    INTEGER NOT NULL DEFAULT 0,
    retry_at    INTEGER
) STRICT;

CREATE TABLE audit (
    audit_id  INTEGER PRIMARY KEY AUTOINCREMENT,
    at        INTEGER NOT NULL,
    channel   TEXT    NOT NULL,
    actor     TEXT    NOT NULL,
    action    TEXT    NOT NULL,               -- such as "site.set"
    subject   TEXT    NOT NULL,               -- such as "site:blog"
    detail    TEXT    NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX idx_audit_at ON audit (at);

-- +goose Down

DROP TABLE audit;
DROP TABLE chats;
DROP TABLE cards;
DROP TABLE moderators;
DROP TABLE api_keys;
