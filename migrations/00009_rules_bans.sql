-- What moderators lay down for the future, and what the checks remember of
-- who sent what.

-- +goose Up

-- A rule says what happens to comments in which its subject is met: an author
-- (by device, account or network), or something that stands in the comment (a
-- name, a word, the host of a link). A subject has one rule on a site: the
-- latest word counts.
CREATE TABLE rules (
    rule_id    INTEGER PRIMARY KEY AUTOINCREMENT,
    site_id    TEXT    REFERENCES sites(site_id) ON DELETE CASCADE,  -- NULL: every site
    kind       TEXT    NOT NULL CHECK (kind IN ('device', 'user', 'network', 'name', 'word', 'host')),
    value      TEXT    NOT NULL,              -- as it is compared: a hash, an id, a host, a folded name or word
    effect     TEXT    NOT NULL CHECK (effect IN ('ban', 'trust', 'hold', 'spam', 'allow', 'signal')),
    shown      TEXT    NOT NULL DEFAULT '',   -- as people read it; words and names are matched by it
    reason     TEXT    NOT NULL DEFAULT '',
    list       TEXT    NOT NULL DEFAULT '',   -- the list that it was imported with, '' for a rule of its own
    until_at   INTEGER,                       -- NULL: for ever
    channel    TEXT    NOT NULL,
    actor      TEXT    NOT NULL,
    actor_name TEXT    NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX idx_rules_subject ON rules (kind, value, coalesce(site_id, ''));
CREATE INDEX idx_rules_site           ON rules (site_id);
CREATE INDEX idx_rules_list           ON rules (list, rule_id) WHERE list <> '';
CREATE INDEX idx_rules_own            ON rules (rule_id) WHERE list = '';
CREATE INDEX idx_rules_until          ON rules (until_at) WHERE until_at IS NOT NULL;

-- How doubtful a stop by the checks was, in thousandths: 0 is certain, NULL is
-- no stop by the checks.
ALTER TABLE comments ADD COLUMN doubt INTEGER;

-- The network of an address in words, such as "203.0.113.0/24", for a spam
-- service that the operator lets have it; else ''. It is emptied with network_id.
ALTER TABLE comments ADD COLUMN network_prefix TEXT NOT NULL DEFAULT '';

CREATE INDEX idx_comments_doubt ON comments (site_id, status, doubt, comment_id) WHERE doubt IS NOT NULL;

-- What a network sent within a day, for whoever opens a form there.
CREATE INDEX idx_comments_trail ON comments (network_id, created_at) WHERE network_id <> '';

-- Whether a name was seen before.
CREATE INDEX idx_comments_name ON comments (site_id, author_name);

-- +goose Down

DROP INDEX idx_comments_name;
DROP INDEX idx_comments_trail;
DROP INDEX idx_comments_doubt;
ALTER TABLE comments DROP COLUMN network_prefix;
ALTER TABLE comments DROP COLUMN doubt;
DROP TABLE rules;
