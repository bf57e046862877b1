-- What a network sent within a day is counted for every comment: from an index
-- that has all it takes, without the rows.

-- +goose Up

-- With the trap field, so that form_state need not be taken apart.
CREATE INDEX idx_comments_traces ON comments (network_id, created_at, comment_id, actor_id, status, form_state ->> '$.Trap') WHERE network_id <> '';
DROP INDEX idx_comments_trail;

-- +goose Down

CREATE INDEX idx_comments_trail ON comments (network_id, created_at) WHERE network_id <> '';
DROP INDEX idx_comments_traces;
