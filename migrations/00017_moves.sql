-- What taking a move or a correction back needs to know.
--
-- personal decisions | name before and after a moderator's correction | so that it can be taken back | as long as the comment, or until the person is erased

-- +goose Up

ALTER TABLE post_moves ADD COLUMN made INTEGER NOT NULL DEFAULT 0 CHECK (made IN (0, 1)); -- there was no post to_id before

-- Of a comment that was split off: what it answered; NULL: nothing, or it went
-- along with what it answers.
ALTER TABLE moved_comments ADD COLUMN parent_before INTEGER;

ALTER TABLE decisions ADD COLUMN name_before   TEXT;     -- set when the decision changed the name
ALTER TABLE decisions ADD COLUMN name_after    TEXT;
ALTER TABLE decisions ADD COLUMN parent_before INTEGER;  -- set when the decision moved the comment; 0: it was a root
ALTER TABLE decisions ADD COLUMN parent_after  INTEGER;

CREATE INDEX idx_post_moves_posts ON post_moves (site_id, to_id, move_id) WHERE undone_at IS NULL;
CREATE INDEX idx_post_moves_left  ON post_moves (site_id, from_id, move_id) WHERE undone_at IS NULL;

-- +goose Down

DROP INDEX idx_post_moves_left;
DROP INDEX idx_post_moves_posts;
ALTER TABLE decisions DROP COLUMN parent_after;
ALTER TABLE decisions DROP COLUMN parent_before;
ALTER TABLE decisions DROP COLUMN name_after;
ALTER TABLE decisions DROP COLUMN name_before;
ALTER TABLE moved_comments DROP COLUMN parent_before;
ALTER TABLE post_moves DROP COLUMN made;
