-- What surrounds a decision: the outbox that announces it, the task that asks
-- for it and the log that remembers it.

-- +goose Up

-- Written in the transaction that makes the event true, published afterwards,
-- and removed once it is old. The primary key is the order of the world.
CREATE TABLE outbox (
    event_id     INTEGER PRIMARY KEY AUTOINCREMENT,
    kind         TEXT    NOT NULL,
    payload      TEXT    NOT NULL CHECK (json_valid(payload)),
    created_at   INTEGER NOT NULL,
    published_at INTEGER
) STRICT;

CREATE INDEX idx_outbox_pending ON outbox (event_id) WHERE published_at IS NULL;
CREATE INDEX idx_outbox_done    ON outbox (published_at) WHERE published_at IS NOT NULL;

-- One task a comment, opened and closed as often as it needs a person.
CREATE TABLE reviews (
    comment_id   INTEGER PRIMARY KEY REFERENCES comments(comment_id) ON DELETE CASCADE,
    state        TEXT    NOT NULL CHECK (state IN ('open', 'done')),
    opened_at    INTEGER NOT NULL,
    announced_at INTEGER,                 -- NULL: no moderator has been told yet
    done_at      INTEGER
) STRICT;

CREATE INDEX idx_reviews_open    ON reviews (opened_at, comment_id) WHERE state = 'open';
CREATE INDEX idx_reviews_untold  ON reviews (opened_at) WHERE state = 'open' AND announced_at IS NULL;

-- Append-only, but for undone_by, which is written once.
CREATE TABLE decisions (
    decision_id INTEGER PRIMARY KEY AUTOINCREMENT,
    batch       TEXT    NOT NULL DEFAULT '',   -- shared by the decisions of one bulk request
    comment_id  INTEGER NOT NULL REFERENCES comments(comment_id) ON DELETE CASCADE,
    verb        TEXT    NOT NULL CHECK (verb IN ('approve', 'reject', 'spam', 'delete', 'restore', 'undo', 'edit')),
    from_status TEXT    NOT NULL,
    to_status   TEXT    NOT NULL,
    channel     TEXT    NOT NULL CHECK (channel IN ('check', 'telegram', 'rest', 'console', 'author', 'page')),
    actor       TEXT    NOT NULL,
    actor_name  TEXT    NOT NULL DEFAULT '',
    reason      TEXT    NOT NULL DEFAULT '',
    text_before TEXT,                          -- set when the decision changed the text
    text_after  TEXT,
    review_was_open INTEGER NOT NULL DEFAULT 0,
    decided_at  INTEGER NOT NULL,
    undoes      INTEGER REFERENCES decisions(decision_id) ON DELETE SET NULL,
    undone_by   INTEGER REFERENCES decisions(decision_id) ON DELETE SET NULL
) STRICT;

CREATE INDEX idx_decisions_comment   ON decisions (comment_id, decision_id);
CREATE INDEX idx_decisions_batch     ON decisions (batch, decision_id) WHERE batch <> '';
CREATE INDEX idx_decisions_undoes    ON decisions (undoes);
CREATE INDEX idx_decisions_undone_by ON decisions (undone_by);

-- A request with an Idempotency-Key that was answered: the same key and body
-- get the same answer for 24 hours.
CREATE TABLE replays (
    replay_key TEXT    PRIMARY KEY,
    body_hash  TEXT    NOT NULL,
    comment_id INTEGER NOT NULL REFERENCES comments(comment_id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX idx_replays_comment ON replays (comment_id);
CREATE INDEX idx_replays_age     ON replays (created_at);

-- Form tokens that were used; each is good once.
CREATE TABLE form_uses (
    form_key TEXT    PRIMARY KEY,
    used_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX idx_form_uses_age ON form_uses (used_at);

-- +goose Down

DROP TABLE form_uses;
DROP TABLE replays;
DROP TABLE decisions;
DROP TABLE reviews;
DROP TABLE outbox;
