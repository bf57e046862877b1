-- Finding everything of a person who asks what is stored, or to be erased.
--
-- What is stored about people is said here in one form, from which
-- deploy/privacy.md has its table. A later migration that adds a table says it
-- in the same form; one without anything about people is named under "none".
--
-- personal comments | text as typed, and as HTML; an edit that waits | to be read | until its author or a moderator erases it, or the site is removed
-- personal comments | name, website | shown with the comment | as long as the comment, or until the person is erased
-- personal comments | mail address | to answer, and to know a returning author; never shown | as long as the comment, or until the person is erased
-- personal comments | actor id (keyed hash of the address, another one each day) | against floods and double reactions | 30 days
-- personal comments | network id (keyed hash of the /24 or /48), and that network in words when a spam service is asked | to ban and select waves of spam | 30 days
-- personal comments | device (keyed hash of a random key in the browser) | to know a returning author without an account | as long as the comment, or until the person is erased
-- personal comments | what the browser calls itself | a sign for the checks | as long as the comment, or until the person is erased
-- personal users | id and name of an account | to know a returning author | until the account is erased
-- personal decisions | texts before and after a change; names of moderators | so that a decision can be taken back and explained | as long as the comment
-- personal reactions | person (keyed hash of the device or of the address of a day) and emoji | to count each once | a day without a device, else until the person is erased
-- personal reports | person (keyed hash), reason and words | to tell moderators what is wrong | the person a day without a device; the rest as long as the comment
-- personal replays | keyed hashes of a request | so that a request sent twice is one comment | 24 hours
-- personal form_uses | keyed hash of a form token | so that a form is good once | 25 hours
-- personal questions | question and actor id | for the author of the blog | 30 days
-- personal cards | chat and message in Telegram | to bring cards up to date | as long as the comment
-- personal moderators | name and Telegram id | to know who may decide | until the site is removed
-- personal api_keys | name and hash of a key, last use | to know who may come in | until the site is removed
-- personal sessions | what the browser of a moderator calls itself, times | so that its owner can end it | a while after its end
-- personal rules | whom a ban or a trust means (keyed hash, id, word, name or host) and how people read it | to keep abuse out and friends in | until it ends or is removed; an erasure removes a trust and the name on a ban
-- personal settings_log | who changed what | to explain and take back | for good
-- personal quotas | how often a moderator did something expensive | to bound it | days
-- personal audit | who changed what | to explain how things came to be | 2 years
-- personal comment_search | words of texts and names, hashes of addresses and hosts | to find comments | as long as the comment
-- personal none: meta, settings, boards, board_cards, sites, posts, outbox, reviews, chats, views, view_writers, models, post_search, search_posts, search_due, signin_links

-- +goose Up

CREATE INDEX idx_comments_email ON comments (lower(author_email)) WHERE author_email <> '';
CREATE INDEX idx_reactions_of   ON reactions (person);
CREATE INDEX idx_reports_of     ON reports (person) WHERE person <> '';

-- +goose Down

DROP INDEX idx_reports_of;
DROP INDEX idx_reactions_of;
DROP INDEX idx_comments_email;
