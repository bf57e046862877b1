-- What readers do beside writing: they react and they report. And what a
-- comment says of its page, which counts only once that comment is public.

-- +goose Up

ALTER TABLE sites ADD COLUMN reactions TEXT CHECK (reactions IS NULL OR json_valid(reactions)); -- emoji in order; NULL: the usual ones, []: none

-- A person is the keyed hash of a device key or, without one, of the address
-- of one day; which of the two, fleeting says. The rows are there to tell who
-- has reacted already. How often is what comments.reactions and comments.score
-- say: a row whose person cannot come back is forgotten after a while, and
-- stays counted.
CREATE TABLE reactions (
    comment_id INTEGER NOT NULL REFERENCES comments(comment_id) ON DELETE CASCADE,
    person     TEXT    NOT NULL,
    emoji      TEXT    NOT NULL,              -- without variation selectors
    fleeting   INTEGER NOT NULL CHECK (fleeting IN (0, 1)),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (comment_id, person, emoji)
) STRICT, WITHOUT ROWID;

CREATE INDEX idx_reactions_age ON reactions (created_at) WHERE fleeting = 1;

ALTER TABLE comments ADD COLUMN reactions TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(reactions)); -- number by emoji

-- A reader says that a public comment should not be. One a person and comment,
-- also after somebody has decided: what was looked at is not asked again.
CREATE TABLE reports (
    report_id  INTEGER PRIMARY KEY AUTOINCREMENT,
    site_id    TEXT    NOT NULL REFERENCES sites(site_id) ON DELETE CASCADE,
    comment_id INTEGER NOT NULL REFERENCES comments(comment_id) ON DELETE CASCADE,
    person     TEXT    NOT NULL,              -- '': forgotten
    fleeting   INTEGER NOT NULL CHECK (fleeting IN (0, 1)),
    reason     TEXT    NOT NULL DEFAULT '' CHECK (reason IN ('', 'spam', 'abuse', 'personal', 'illegal', 'off-topic', 'other')),
    note       TEXT    NOT NULL DEFAULT '',   -- in the reader's words
    created_at INTEGER NOT NULL,
    settled_at INTEGER,                       -- NULL: nobody has decided since
    settled_by INTEGER REFERENCES decisions(decision_id) ON DELETE SET NULL
) STRICT;

CREATE UNIQUE INDEX idx_reports_person ON reports (comment_id, person) WHERE person <> '';
CREATE INDEX idx_reports_comment    ON reports (comment_id, report_id);
CREATE INDEX idx_reports_site       ON reports (site_id, report_id);
CREATE INDEX idx_reports_settled_by ON reports (settled_by);
CREATE INDEX idx_reports_age        ON reports (created_at) WHERE fleeting = 1 AND person <> '';

ALTER TABLE comments ADD COLUMN report_count INTEGER NOT NULL DEFAULT 0; -- reports that nobody has decided about

-- Title and address of the page as the comment's sender gave them. Those of
-- the first comment of a post that becomes public are the post's, unless an
-- admin has named it.
ALTER TABLE comments ADD COLUMN page_title TEXT NOT NULL DEFAULT '';
ALTER TABLE comments ADD COLUMN page_url   TEXT NOT NULL DEFAULT '';

UPDATE comments SET page_title = p.title, page_url = p.url FROM posts p
    WHERE p.site_id = comments.site_id AND p.post_id = comments.post_id AND p.titled_by = 'visitor'
        AND comments.comment_id IN (SELECT min(comment_id) FROM comments GROUP BY site_id, post_id);
UPDATE posts SET title = '', url = '' WHERE titled_by = 'visitor' AND comment_count = 0;

ALTER TABLE decisions ADD COLUMN edited_before INTEGER; -- edited_at before a decision that changed the text

-- +goose Down

ALTER TABLE decisions DROP COLUMN edited_before;
ALTER TABLE comments DROP COLUMN page_url;
ALTER TABLE comments DROP COLUMN page_title;
ALTER TABLE comments DROP COLUMN report_count;
DROP TABLE reports;
ALTER TABLE comments DROP COLUMN reactions;
DROP TABLE reactions;
ALTER TABLE sites DROP COLUMN reactions;
