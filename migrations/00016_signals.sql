-- What happened, minute by minute, without looking into logs: a signal for each
-- thing that matters, the figures of each minute, and what somebody was told
-- about trouble. And changes of settings that are to happen later.
--
-- A signal about a comment carries its number and the names of checks, never a
-- text or a name of its author: it outlives both.
--
-- personal signals | name of the moderator who decided | to explain how things came to be | 30 days
-- personal planned_settings | who planned what | so that the change is in their name | until it happens or is dropped
-- personal none: figures, incidents

-- +goose Up

CREATE TABLE signals (
    signal_id  INTEGER PRIMARY KEY AUTOINCREMENT,
    at         INTEGER NOT NULL,
    kind       TEXT    NOT NULL,                -- such as comment.received; see postil.SignalKind
    site_id    TEXT    NOT NULL DEFAULT '',     -- '': the whole installation; lines of a removed site stay
    comment_id INTEGER NOT NULL DEFAULT 0,      -- no reference: an erased comment was there, too
    outcome    TEXT    NOT NULL DEFAULT '',     -- of a decision: the status after it
    channel    TEXT    NOT NULL DEFAULT '',     -- of a decision: where it was taken
    actor_name TEXT    NOT NULL DEFAULT '',     -- of a decision: by whom
    detail     TEXT    NOT NULL DEFAULT '',
    took       INTEGER NOT NULL DEFAULT 0,      -- milliseconds: how long it waited, or how slow it was
    n          INTEGER NOT NULL DEFAULT 1       -- how often, where one line stands for many
) STRICT;

CREATE INDEX idx_signals_at   ON signals (at, signal_id);
CREATE INDEX idx_signals_kind ON signals (kind, at);

-- One row for each minute and process. Sums are those of the process alone, so
-- that those of many add up; the last five are the same for all that share a
-- store.
CREATE TABLE figures (
    minute      INTEGER NOT NULL,               -- its begin, unix milliseconds
    node        TEXT    NOT NULL,               -- a process: another one after each start
    requests    INTEGER NOT NULL DEFAULT 0,
    hits        INTEGER NOT NULL DEFAULT 0,     -- reads answered from memory
    loads       INTEGER NOT NULL DEFAULT 0,     -- reads that asked the database
    turned_away INTEGER NOT NULL DEFAULT 0,     -- reads that were refused, because too many loads waited
    wrong       INTEGER NOT NULL DEFAULT 0,     -- answers 4xx but 429
    limited     INTEGER NOT NULL DEFAULT 0,     -- answers 429
    busy        INTEGER NOT NULL DEFAULT 0,     -- answers 503
    failed      INTEGER NOT NULL DEFAULT 0,     -- answers 5xx but 503
    posts       INTEGER NOT NULL DEFAULT 0,     -- comments taken in
    decisions   INTEGER NOT NULL DEFAULT 0,
    views       INTEGER NOT NULL DEFAULT 0,
    queue       INTEGER NOT NULL DEFAULT 0,     -- comments that wait for a person
    queue_age   INTEGER NOT NULL DEFAULT 0,     -- milliseconds that the oldest has waited
    backlog     INTEGER NOT NULL DEFAULT 0,     -- events that the broker does not have yet
    undelivered INTEGER NOT NULL DEFAULT 0,     -- cards
    streams     INTEGER NOT NULL DEFAULT 0,     -- open ones, of the process
    PRIMARY KEY (minute, node)
) STRICT, WITHOUT ROWID;

-- Trouble of ours that somebody is told of: once when it begins, now and then
-- while it lasts, and once when it is over.
CREATE TABLE incidents (
    incident_id INTEGER PRIMARY KEY AUTOINCREMENT,
    alert       TEXT    NOT NULL,               -- such as "backlog"
    began_at    INTEGER NOT NULL,
    told_at     INTEGER NOT NULL,               -- when it was spoken of last
    ended_at    INTEGER,                        -- NULL: it lasts
    value       REAL    NOT NULL,               -- as it was spoken of last
    worst       REAL    NOT NULL,
    detail      TEXT    NOT NULL DEFAULT ''
) STRICT;

CREATE UNIQUE INDEX idx_incidents_open ON incidents (alert) WHERE ended_at IS NULL;
CREATE INDEX idx_incidents_began ON incidents (began_at);

CREATE TABLE planned_settings (
    plan_id    INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT    NOT NULL CHECK (kind IN ('config', 'flag')),
    name       TEXT    NOT NULL,
    site_id    TEXT    REFERENCES sites(site_id) ON DELETE CASCADE,  -- NULL: everywhere
    value      TEXT    NOT NULL CHECK (json_valid(value)),           -- null: back to the default
    due_at     INTEGER NOT NULL,
    channel    TEXT    NOT NULL,
    actor      TEXT    NOT NULL,
    actor_name TEXT    NOT NULL DEFAULT '',
    reason     TEXT    NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX idx_planned_settings_due  ON planned_settings (due_at, plan_id);
CREATE INDEX idx_planned_settings_site ON planned_settings (site_id);

-- +goose Down

DROP TABLE planned_settings;
DROP TABLE incidents;
DROP TABLE figures;
DROP TABLE signals;
