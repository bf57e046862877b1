-- What the desk must remember over a restart: when somebody must be reminded,
-- which message was on its way, which message stands for many comments, and
-- what a moderator has used up today.

-- +goose Up

-- When the workflow looks at an open task again, and what it has done so far.
ALTER TABLE reviews ADD COLUMN due_at       INTEGER;  -- NULL: nothing is to come
ALTER TABLE reviews ADD COLUMN reminded_at  INTEGER;  -- the last reminder that counted this task
ALTER TABLE reviews ADD COLUMN escalated_at INTEGER;  -- when the next chat was asked

UPDATE reviews SET due_at = opened_at WHERE state = 'open';

CREATE INDEX idx_reviews_due ON reviews (due_at, comment_id) WHERE state = 'open' AND due_at IS NOT NULL;

-- Set while a message is on its way: the highest message id that was known in
-- the chat before. After a crash it tells where to look for the message.
ALTER TABLE cards ADD COLUMN sending  INTEGER;
-- The group that the message was sent to, when that has become chat_id since.
ALTER TABLE cards ADD COLUMN stood_in INTEGER;

ALTER TABLE chats ADD COLUMN language    TEXT NOT NULL DEFAULT '';  -- of the person behind a private chat
ALTER TABLE chats ADD COLUMN muted_until INTEGER;                   -- no new cards before

-- A board is one message that stands for many comments of a burst.
CREATE TABLE boards (
    board_id   INTEGER PRIMARY KEY AUTOINCREMENT,
    chat_id    INTEGER NOT NULL,
    message_id INTEGER NOT NULL DEFAULT 0,    -- 0: not sent yet
    shows      TEXT    NOT NULL DEFAULT '',   -- what the message says now, to tell whether it is stale
    batch      TEXT    NOT NULL DEFAULT '',   -- of the last bulk decision taken here
    undone     INTEGER NOT NULL DEFAULT 0,    -- that batch was taken back
    walking    INTEGER NOT NULL DEFAULT 0,    -- its comments are shown one by one
    due_at     INTEGER,                       -- NULL: nothing to do
    attempts   INTEGER NOT NULL DEFAULT 0,
    problem    TEXT    NOT NULL DEFAULT '',
    created_at INTEGER NOT NULL,
    grown_at   INTEGER NOT NULL               -- when the last comment joined
) STRICT;

CREATE INDEX idx_boards_due  ON boards (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX idx_boards_chat ON boards (chat_id, board_id);

CREATE TABLE board_cards (
    card_id  INTEGER PRIMARY KEY REFERENCES cards(card_id) ON DELETE CASCADE,
    board_id INTEGER NOT NULL REFERENCES boards(board_id) ON DELETE CASCADE,
    apart    INTEGER NOT NULL DEFAULT 0       -- it was shown as a card of its own since
) STRICT;

CREATE INDEX idx_board_cards_board ON board_cards (board_id, card_id);

-- How often somebody did something expensive on one day.
CREATE TABLE quotas (
    quota TEXT    NOT NULL,                   -- what is limited, such as "search"
    actor TEXT    NOT NULL,
    day   TEXT    NOT NULL,                   -- in UTC, such as 2026-11-30
    used  INTEGER NOT NULL,
    PRIMARY KEY (quota, actor, day)
) STRICT, WITHOUT ROWID;

CREATE INDEX idx_quotas_day ON quotas (day);

-- +goose Down

DROP TABLE quotas;
DROP TABLE board_cards;
DROP TABLE boards;
ALTER TABLE chats DROP COLUMN muted_until;
ALTER TABLE chats DROP COLUMN language;
ALTER TABLE cards DROP COLUMN stood_in;
ALTER TABLE cards DROP COLUMN sending;
DROP INDEX idx_reviews_due;
ALTER TABLE reviews DROP COLUMN escalated_at;
ALTER TABLE reviews DROP COLUMN reminded_at;
ALTER TABLE reviews DROP COLUMN due_at;
