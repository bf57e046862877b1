-- What the classifier of a site has learned. It could be learned again from the
-- decisions, of which it is a digest: losing it costs time, not truth.

-- +goose Up

CREATE TABLE models (
    site_id    TEXT    PRIMARY KEY REFERENCES sites(site_id) ON DELETE CASCADE,
    model      BLOB    NOT NULL,
    learned_to INTEGER NOT NULL,              -- the last decision that is in it
    updated_at INTEGER NOT NULL
) STRICT;

-- +goose Down

DROP TABLE models;
