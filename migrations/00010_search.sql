-- Finding comments by their words, by who wrote them and by what they link to.
--
-- Texts are folded and split into words by the program (case, accents, ß, and
-- scripts without spaces), so the index takes what it is given: its tokenizer
-- only looks for spaces. It holds no copy of a text.
--
-- What makes a comment findable changes in many places, and somebody will add
-- one more. Therefore triggers note what is due, in the same transaction,
-- whoever changed what, and the writer indexes it a moment later.

-- +goose Up

-- One row a comment. Its rowid is (created_at / 1000) << 31 | comment_id, both
-- orders of a moderator's list in one number, so that a time span is a range
-- and the newest matches come first without sorting. words are those of text,
-- waiting edit and name; marks are hashes of what a list is narrowed by.
CREATE VIRTUAL TABLE comment_search USING fts5 (words, marks, content = '', contentless_delete = 1, tokenize = 'ascii');

-- The words of titles and keys. A new title is one row here, however many
-- comments the post has; each of them carries the number of its post as a mark.
CREATE VIRTUAL TABLE post_search USING fts5 (words, content = '', contentless_delete = 1, tokenize = 'ascii');

CREATE TABLE search_posts (
    post_number INTEGER PRIMARY KEY,
    site_id     TEXT    NOT NULL,
    post_id     TEXT    NOT NULL,
    due         INTEGER NOT NULL DEFAULT 1 CHECK (due IN (0, 1, 2)), -- its words are to be indexed: no, now, later
    UNIQUE (site_id, post_id)
) STRICT;

CREATE INDEX idx_search_posts_due ON search_posts (post_number) WHERE due = 1;

-- Comments to be indexed: those that have just changed, and with later those that were there before there was an index, or after it was given up.
CREATE TABLE search_due (
    comment_id INTEGER PRIMARY KEY,
    later      INTEGER NOT NULL DEFAULT 0 CHECK (later IN (0, 1))
) STRICT;

CREATE INDEX idx_search_due_now ON search_due (comment_id) WHERE later = 0;

INSERT INTO search_posts (site_id, post_id) SELECT site_id, post_id FROM posts;
INSERT INTO search_due (comment_id, later) SELECT comment_id, 1 FROM comments;

-- +goose StatementBegin
CREATE TRIGGER search_new_post AFTER INSERT ON posts BEGIN
    INSERT INTO search_posts (site_id, post_id) VALUES (new.site_id, new.post_id);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER search_titled_post AFTER UPDATE OF title ON posts WHEN new.title <> old.title BEGIN
    UPDATE search_posts SET due = 1 WHERE site_id = new.site_id AND post_id = new.post_id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER search_gone_post AFTER DELETE ON posts BEGIN
    DELETE FROM post_search WHERE rowid = (SELECT post_number FROM search_posts WHERE site_id = old.site_id AND post_id = old.post_id);
    DELETE FROM search_posts WHERE site_id = old.site_id AND post_id = old.post_id;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER search_new_comment AFTER INSERT ON comments BEGIN
    INSERT INTO search_due (comment_id) VALUES (new.comment_id) ON CONFLICT (comment_id) DO UPDATE SET later = 0;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER search_changed_comment AFTER UPDATE OF site_id, post_id, user_id, comment_body, status, author_name, author_email, author_website,
    actor_id, network_id, device_hash, draft_body ON comments
    WHEN (new.site_id, new.post_id, new.comment_body, new.status, new.author_name, new.author_email, new.author_website,
            new.actor_id, new.network_id, new.device_hash)
      <> (old.site_id, old.post_id, old.comment_body, old.status, old.author_name, old.author_email, old.author_website,
            old.actor_id, old.network_id, old.device_hash)
      OR new.user_id IS NOT old.user_id OR new.draft_body IS NOT old.draft_body BEGIN
    INSERT INTO search_due (comment_id) VALUES (new.comment_id) ON CONFLICT (comment_id) DO UPDATE SET later = 0;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER search_gone_comment AFTER DELETE ON comments BEGIN
    DELETE FROM search_due WHERE comment_id = old.comment_id;
    DELETE FROM comment_search WHERE rowid = max(-4294967296, min(4294967295, old.created_at / 1000)) * 2147483648 + (old.comment_id & 2147483647);
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER search_asked AFTER INSERT ON reviews BEGIN
    INSERT INTO search_due (comment_id) VALUES (new.comment_id) ON CONFLICT (comment_id) DO UPDATE SET later = 0;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER search_asked_again AFTER UPDATE OF state ON reviews WHEN new.state <> old.state BEGIN
    INSERT INTO search_due (comment_id) VALUES (new.comment_id) ON CONFLICT (comment_id) DO UPDATE SET later = 0;
END;
-- +goose StatementEnd

-- +goose Down

DROP TRIGGER search_asked_again;
DROP TRIGGER search_asked;
DROP TRIGGER search_gone_comment;
DROP TRIGGER search_changed_comment;
DROP TRIGGER search_new_comment;
DROP TRIGGER search_gone_post;
DROP TRIGGER search_titled_post;
DROP TRIGGER search_new_post;
DROP TABLE search_due;
DROP TABLE search_posts;
DROP TABLE post_search;
DROP TABLE comment_search;
