-- What is decided while the service runs: dynamic configuration and feature
-- flags, by one mechanism. A value is one row; every change is a line of the
-- history, written in the same transaction, and the number of that line orders
-- the changes on every node.

-- +goose Up

CREATE TABLE settings (
    kind       TEXT    NOT NULL CHECK (kind IN ('config', 'flag')),
    name       TEXT    NOT NULL,
    site_id    TEXT    REFERENCES sites(site_id) ON DELETE CASCADE,  -- NULL: everywhere
    value      TEXT    NOT NULL CHECK (json_valid(value)),           -- null: the default counts (again)
    revision   INTEGER NOT NULL,                                     -- of settings_log; 0 for what is older than it
    changed_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX idx_settings_name ON settings (kind, name, coalesce(site_id, ''));
CREATE INDEX idx_settings_site ON settings (site_id);

-- Append-only. Lines of a removed site stay, so site_id is no reference.
CREATE TABLE settings_log (
    revision   INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT    NOT NULL CHECK (kind IN ('config', 'flag')),
    name       TEXT    NOT NULL,
    site_id    TEXT    NOT NULL DEFAULT '',      -- '': everywhere
    before     TEXT    NOT NULL CHECK (json_valid(before)),
    after      TEXT    NOT NULL CHECK (json_valid(after)),
    channel    TEXT    NOT NULL,
    actor      TEXT    NOT NULL,
    actor_name TEXT    NOT NULL DEFAULT '',
    reason     TEXT    NOT NULL DEFAULT '',
    undoes     INTEGER NOT NULL DEFAULT 0,       -- the revision that was taken back
    at         INTEGER NOT NULL
) STRICT;

CREATE INDEX idx_settings_log_name ON settings_log (kind, name, revision);
CREATE INDEX idx_settings_log_kind ON settings_log (kind, revision);

-- What stood on the site is a setting like any other; what is the default says
-- nothing and moves nowhere.
INSERT INTO settings (kind, name, site_id, value, revision, changed_at)
    SELECT 'config', 'policy.mode', site_id, json_quote(policy), 0, created_at FROM sites WHERE policy <> 'first-comment';
INSERT INTO settings (kind, name, site_id, value, revision, changed_at)
    SELECT 'config', 'policy.max_links', site_id, json_quote(max_links), 0, created_at FROM sites WHERE max_links <> 2;
INSERT INTO settings (kind, name, site_id, value, revision, changed_at)
    SELECT 'config', 'policy.lockdown', site_id, 'true', 0, created_at FROM sites WHERE lockdown = 1;
INSERT INTO settings (kind, name, site_id, value, revision, changed_at)
    SELECT 'config', 'lists.hold_words', site_id, json(blocked), 0, created_at FROM sites WHERE json_array_length(blocked) > 0;

ALTER TABLE sites DROP COLUMN policy;
ALTER TABLE sites DROP COLUMN max_links;
ALTER TABLE sites DROP COLUMN lockdown;
ALTER TABLE sites DROP COLUMN blocked;

-- +goose Down

ALTER TABLE sites ADD COLUMN policy    TEXT    NOT NULL DEFAULT 'first-comment';
ALTER TABLE sites ADD COLUMN max_links INTEGER NOT NULL DEFAULT 2;
ALTER TABLE sites ADD COLUMN lockdown  INTEGER NOT NULL DEFAULT 0 CHECK (lockdown IN (0, 1));
ALTER TABLE sites ADD COLUMN blocked   TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(blocked));

UPDATE sites SET
    policy    = coalesce((SELECT t.value ->> '$' FROM settings t WHERE t.kind = 'config' AND t.name = 'policy.mode'      AND t.site_id = sites.site_id), policy),
    max_links = coalesce((SELECT t.value ->> '$' FROM settings t WHERE t.kind = 'config' AND t.name = 'policy.max_links' AND t.site_id = sites.site_id), max_links),
    lockdown  = coalesce((SELECT t.value ->> '$' FROM settings t WHERE t.kind = 'config' AND t.name = 'policy.lockdown'  AND t.site_id = sites.site_id), lockdown),
    blocked   = coalesce((SELECT t.value         FROM settings t WHERE t.kind = 'config' AND t.name = 'lists.hold_words' AND t.site_id = sites.site_id AND t.value <> 'null'), blocked);

DROP TABLE settings_log;
DROP TABLE settings;
