-- The light backend: how often posts are read, and the questions of readers.
--
-- Views are numbers and nothing else: no row says who read. They come in
-- batches of sums, each in one transaction, and each batch has the number that
-- its writer gave it, so that one that is sent again is not counted again.

-- +goose Up

-- A read counts in three rows of its post: the one of its hour (kept for 30
-- days), the one of its day and the total (kept for good). The same three exist
-- for the whole site, under the post ''.
CREATE TABLE views (
    site_id TEXT    NOT NULL REFERENCES sites(site_id) ON DELETE CASCADE,
    post_id TEXT    NOT NULL,
    span    TEXT    NOT NULL CHECK (span IN ('hour', 'day', 'total')),
    at      INTEGER NOT NULL,                 -- begin of the span, unix milliseconds; 0 for the total
    n       INTEGER NOT NULL,
    PRIMARY KEY (site_id, post_id, span, at)
) STRICT, WITHOUT ROWID;

CREATE INDEX idx_views_span ON views (span, at, site_id);

-- One row for each process that ever counted, with its last batch.
CREATE TABLE view_writers (
    writer TEXT    PRIMARY KEY,
    batch  INTEGER NOT NULL,
    at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX idx_view_writers_at ON view_writers (at);

-- question_id begins with the day, so that ids of a day stand together. The
-- actor is the daily keyed hash of an address: it says which questions of one
-- day have one origin, and nothing on the next day.
CREATE TABLE questions (
    question_id TEXT    PRIMARY KEY,
    site_id     TEXT    NOT NULL REFERENCES sites(site_id) ON DELETE CASCADE,
    question    TEXT    NOT NULL,
    folded      TEXT    NOT NULL,             -- the question as searching compares it
    actor_id    TEXT    NOT NULL,
    tags        TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(tags)),
    asked_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX idx_questions_site ON questions (site_id, asked_at, question_id);
CREATE INDEX idx_questions_all  ON questions (asked_at, question_id);

-- +goose Down

DROP TABLE questions;
DROP TABLE view_writers;
DROP TABLE views;
