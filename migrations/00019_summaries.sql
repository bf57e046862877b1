-- A summary of each site goes to its moderators by the day or by the week. When
-- the next one is due stands here, so that a restart, or a second node, neither
-- forgets nor repeats one.
--
-- personal none: site_summaries

-- +goose Up

CREATE TABLE site_summaries (
    site_id  TEXT    PRIMARY KEY REFERENCES sites(site_id) ON DELETE CASCADE,
    schedule TEXT    NOT NULL,                  -- for which the time was reckoned, such as "weekly 9 Europe/Berlin"
    due_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- +goose Down

DROP TABLE site_summaries;
