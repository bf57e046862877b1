-- Who is told of what happens to comments, and what is still to be told.
--
-- personal none: webhooks, deliveries

-- +goose Up

CREATE TABLE webhooks (
    webhook_id     INTEGER PRIMARY KEY AUTOINCREMENT,
    site_id        TEXT    REFERENCES sites(site_id) ON DELETE CASCADE,  -- NULL: every site
    name           TEXT    NOT NULL,
    url            TEXT    NOT NULL,
    format         TEXT    NOT NULL CHECK (format IN ('json', 'slack', 'discord', 'matrix')),
    events         TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(events)),  -- []: all
    active         INTEGER NOT NULL DEFAULT 1,
    secret_version INTEGER NOT NULL DEFAULT 1,  -- the secret is derived from it and never stored
    rotated_at     INTEGER,                     -- the version before is good for a day longer
    created_at     INTEGER NOT NULL
) STRICT;

CREATE INDEX idx_webhooks_site ON webhooks (site_id);

-- One event for one webhook. What is sent is made from the comment as it is
-- then; the event holds ids alone.
CREATE TABLE deliveries (
    delivery_id INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook_id  INTEGER NOT NULL REFERENCES webhooks(webhook_id) ON DELETE CASCADE,
    event_id    INTEGER NOT NULL,
    event       TEXT    NOT NULL CHECK (json_valid(event)),
    comment_id  INTEGER NOT NULL,               -- no reference: an erased comment is told of, too
    state       TEXT    NOT NULL CHECK (state IN ('due', 'done', 'dead')),
    due_at      INTEGER NOT NULL,
    attempts    INTEGER NOT NULL DEFAULT 0,
    status      INTEGER NOT NULL DEFAULT 0,     -- HTTP status of the last answer, 0: there was none
    problem     TEXT    NOT NULL DEFAULT '',    -- why the last attempt failed, in words
    created_at  INTEGER NOT NULL,
    UNIQUE (webhook_id, event_id)
) STRICT;

CREATE INDEX idx_deliveries_due   ON deliveries (due_at) WHERE state = 'due';
CREATE INDEX idx_deliveries_order ON deliveries (webhook_id, comment_id, event_id) WHERE state = 'due';
CREATE INDEX idx_deliveries_state ON deliveries (webhook_id, state, delivery_id);
CREATE INDEX idx_deliveries_hook  ON deliveries (webhook_id, delivery_id);
CREATE INDEX idx_deliveries_age   ON deliveries (created_at) WHERE state <> 'due';

-- +goose Down

DROP TABLE deliveries;
DROP TABLE webhooks;
