-- What moderators lay down for the future, and what the checks remember of
-- who sent what.

-- +goose Up

-- What a network sent within a day, for whoever opens a form there.
CREATE INDEX idx_comments_trail ON comments (network_id, created_at) WHERE network_id <> '';

-- +goose Down

DROP INDEX idx_comments_trail;
