package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/postil"
)

// fillWith makes n comments in the site "big": a tenth of them roots, some
// pending, some spam, some with a card, a decision and a review task.
func fillWith(t testing.TB, s *Store, n int) {
	t.Helper()
	err := s.Write(ctx, func(tx *Tx) error {
		for _, query := range []string{
			`INSERT INTO sites (site_id, name, created_at) VALUES ('big', 'Big', 0)`,
			`INSERT INTO users (user_id, name, created_at) VALUES ('u1', 'Uma', 0)`,
			`WITH RECURSIVE n (value) AS (VALUES (0) UNION ALL SELECT value + 1 FROM n WHERE value < 99)
			 INSERT INTO posts (site_id, post_id, created_at) SELECT 'big', '/' || value, 0 FROM n`,
			`WITH RECURSIVE n (value) AS (VALUES (10) UNION ALL SELECT value + 1 FROM n WHERE value < ? + 9)
			 INSERT INTO comments (comment_id, site_id, post_id, user_id, parent_comment_id, comment_body, comment_html, status, created_at, author_name,
				actor_id, network_id, device_hash, twin_hash, text_hash, edit_nonce, checked_at, root_comment_id, depth, reply_path, visibility, reply_count, score)
			 SELECT value, 'big', '/' || (value / 10 % 100), iif(value % 1000 = 0, 'u1', NULL), iif(value % 10 = 0, NULL, value / 10 * 10), 'text ' || value, '<p>text</p>',
				CASE value % 20 WHEN 3 THEN 'pending' WHEN 4 THEN 'spam' ELSE 'approved' END, value * 1000, 'Ann',
				'actor', 'network', 'device' || (value % 501), 'twin' || value, 'hash' || (value % 50000), 'n', iif(value % 1000 = 3, NULL, 1), value / 10 * 10, value % 10 <> 0,
				iif(value % 10 = 0, x'', unhex(printf('%016X%016X', value * 1000, value))), value % 20 NOT IN (3, 4), iif(value % 10 = 0, 8, 0), value % 7
			 FROM n`,
			`INSERT INTO decisions (comment_id, verb, from_status, to_status, channel, actor, decided_at) SELECT comment_id, 'approve', 'pending', 'approved', 'rest', 'key:1', created_at FROM comments WHERE site_id = 'big' AND status = 'approved'`,
			`INSERT INTO reviews (comment_id, state, opened_at) SELECT comment_id, 'open', created_at FROM comments WHERE site_id = 'big' AND status = 'pending'`,
			`INSERT INTO cards (comment_id, chat_id, shows) SELECT comment_id, 7, 'pending' FROM comments WHERE site_id = 'big' AND comment_id % 5 = 0`,
			`INSERT INTO reactions (comment_id, person, emoji, fleeting, created_at) SELECT comment_id, 'person', '👍', 1, created_at FROM comments WHERE site_id = 'big' AND comment_id % 5 = 0`,
			`INSERT INTO reports (site_id, comment_id, person, fleeting, created_at) SELECT site_id, comment_id, 'person', 1, created_at FROM comments WHERE site_id = 'big' AND comment_id % 5 = 0`,
			`INSERT INTO outbox (kind, payload, created_at, published_at) SELECT 'comment.decided', '{}', 0, 1 FROM comments WHERE site_id = 'big' AND comment_id % 5 = 0`,
		} {
			args := []any{}
			if strings.Contains(query, "?") {
				args = append(args, n)
			}
			if _, err := tx.exec(query, args...); err != nil {
				return fmt.Errorf("%w in %s", err, query)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// exerciser calls everything that a store can do and fails for errors.
type exerciser struct {
	testing.TB
	s *Store
}

func (e exerciser) ok(_ any, err error) {
	e.Helper()
	if err != nil {
		e.Error(err)
	}
}

func (e exerciser) done(err error) { e.Helper(); e.ok(nil, err) }

func (e exerciser) everything() {
	e.people()
	e.rules()
	e.comments()
	e.moves()
	e.readers()
	e.threads()
	e.lists()
	e.cards()
	e.tasks()
	e.webhooks()
	e.light()
	e.settings()
	e.signals()
	e.audits()
	e.upkeep()
	e.search()
}

func (e exerciser) settings() {
	s := e.s
	key := postil.SettingKey{Kind: postil.ConfigSetting, Name: "limits.text"}
	e.ok(s.SetSetting(ctx, postil.SettingChange{SettingKey: key, Value: []byte("7"), By: somebody}))
	_, _, err := s.Settings(ctx)
	e.done(err)
	e.ok(s.Setting(ctx, key))
	e.ok(s.SettingLog(ctx, postil.ConfigSetting, "", 0, 10))
	e.ok(s.SettingLog(ctx, postil.ConfigSetting, "limits.text", 100, 10))
}

func (e exerciser) people() {
	s := e.s
	_, err := s.SetSite(ctx, "blog", somebody, func(v *postil.Site) error { v.Name = "B"; return nil })
	e.done(err)
	e.ok(s.Sites(ctx))
	k, err := s.AddKey(ctx, postil.APIKey{Name: "k", Role: postil.AdminRole, Site: "blog"}, "hash", somebody)
	e.done(err)
	e.ok(s.Keys(ctx))
	e.ok(s.KeyByHash(ctx, "hash"))
	e.done(s.KeyUsed(ctx, k.ID))
	e.sessions(k.ID)
	e.done(s.RevokeKey(ctx, k.ID, somebody))
	m, err := s.AddModerator(ctx, postil.Moderator{Name: "Mo", Role: postil.ModeratorRole, Site: "blog"}, "code", s.Now(ctx).Add(time.Hour), somebody)
	e.done(err)
	e.ok(s.LinkModerator(ctx, "code", 42))
	e.ok(s.ModeratorByTelegram(ctx, 42))
	e.ok(s.Moderators(ctx))
	e.done(s.RevokeModerator(ctx, m.ID, somebody))
	e.done(s.Record(ctx, somebody, "backup.make", "installation"))
	e.ok(s.Meta(ctx, "probe"))
	e.done(s.Probe(ctx))
	e.ok(s.PostsAfter(ctx, "big", "/1", 10))
	e.ok(s.CommentsAfter(ctx, "big", 20, 10))
	e.ok(s.DecisionsOn(ctx, []postil.CommentID{20, 21}))
	e.ok(s.ViewsAfter(ctx, "big", postil.ViewRow{}, 10))
	e.ok(s.PersonalData(ctx, postil.Identity{Author: "u1", Email: "nobody@mail.example"}))
	e.ok(s.PersonalData(ctx, postil.Identity{Comment: 12}))
	e.ok(s.AddComment(ctx, postil.NewComment{Site: "blog", Post: postil.PostRef{ID: "/p"}, Author: postil.Author{Name: "Eve", Email: "eve@mail.example"}, Text: "x", Nonce: "n",
		Origin: postil.Origin{Device: "eve"}}, nil))
	e.ok(s.Erase(ctx, postil.Identity{Email: "Eve@mail.example"}, true, somebody))
	e.notes()
	e.ok(s.Authors(ctx, postil.AuthorFilter{Site: "big", Limit: 5}))
	e.ok(s.Authors(ctx, postil.AuthorFilter{Site: "big", Limit: 5, Query: "ann", Cursor: mark{20_000, 20}.String()}))
	e.ok(s.KnownAuthor(ctx, "big", "u1"))
	e.ok(s.KnownAuthor(ctx, "big", "device13"))
	e.ok(s.Erase(ctx, postil.Identity{Author: "u1"}, false, somebody))
}

func (e exerciser) notes() {
	s := e.s
	n, err := s.AddNote(ctx, postil.Note{Site: "big", Author: "device13", Text: "x"}, somebody)
	e.done(err)
	e.ok(s.AddNote(ctx, postil.Note{Site: "big", Comment: 20, Text: "x"}, somebody))
	e.ok(s.NotesOn(ctx, "big", 20, ""))
	e.ok(s.NotesOn(ctx, "big", 0, "device13"))
	e.ok(s.Note(ctx, n.ID))
	e.done(s.RemoveNote(ctx, n, somebody))
	r, err := s.AddReplyTemplate(ctx, postil.ReplyTemplate{Site: "blog", Name: "n", Text: "x"}, somebody)
	e.done(err)
	e.ok(s.ReplyTemplates(ctx, ""))
	e.ok(s.ReplyTemplates(ctx, "blog"))
	e.ok(s.ReplyTemplate(ctx, r.ID))
	e.done(s.RemoveReplyTemplate(ctx, r, somebody))
}

func (e exerciser) sessions(key int64) {
	s, ends := e.s, e.s.Now(ctx).Add(time.Hour)
	v, err := s.AddSession(ctx, postil.Session{Key: key, Ends: ends}, "session")
	e.done(err)
	e.ok(s.SessionByHash(ctx, "session"))
	e.done(s.SessionSeen(ctx, v.ID))
	e.ok(s.Sessions(ctx))
	e.done(s.EndSession(ctx, v.ID, somebody))
	m, err := s.AddModerator(ctx, postil.Moderator{Name: "Si", Role: postil.ModeratorRole}, "si", ends, somebody)
	e.done(err)
	e.done(s.AddSigninLink(ctx, m.ID, "link", ends, somebody))
	e.ok(s.SigninLink(ctx, "link"))
	e.ok(s.UseSigninLink(ctx, "link", postil.Session{Ends: ends}, "another"))
}

func (e exerciser) moves() {
	s := e.s
	c := say(e, s, "to be split off", 0)
	to(e, s, c.ID, postil.Approved)
	e.ok(s.Tally(ctx, "big", "/1"))
	e.ok(s.MovePost(ctx, postil.MoveRequest{Site: "blog", Kind: postil.Split, From: "/p", To: "/q", Comments: []postil.CommentID{c.ID}, By: somebody}))
	e.ok(s.MovePost(ctx, postil.MoveRequest{Site: "blog", Kind: postil.Rename, From: "/q", To: "/r", By: somebody}))
	m, err := s.MovePost(ctx, postil.MoveRequest{Site: "blog", Kind: postil.Merge, From: "/r", To: "/p", By: somebody})
	e.done(err)
	e.ok(s.Redirects(ctx, "blog"))
	e.ok(s.Moves(ctx, "blog", 0, 10))
	e.ok(s.UndoMove(ctx, m.ID, somebody))
	e.ok(s.UndoMove(ctx, m.ID-1, somebody))
	e.ok(s.UndoMove(ctx, m.ID-2, somebody))
}

func (e exerciser) comments() {
	s := e.s
	title := "T"
	e.ok(s.SetPost(ctx, "blog", "/p", postil.PostChange{Title: &title}, somebody))
	e.ok(s.Counts(ctx, "big", []postil.PostID{"/1", "/2", "/3"}))
	n := postil.NewComment{Site: "blog", Post: postil.PostRef{ID: "/p"}, Text: "root", HTML: "<p>root</p>", Nonce: "n", FormKey: "form",
		Replay: postil.Replay{Key: "key", Body: "body", Twin: "twin"}, Origin: postil.Origin{Device: "dev"}}
	root, err := s.AddComment(ctx, n, nil)
	e.done(err)
	e.ok(s.AddComment(ctx, n, nil))
	c := root.Comment
	to(e, s, c.ID, postil.Approved)
	reply := say(e, s, "reply", c.ID)
	to(e, s, reply.ID, postil.Approved)
	out := to(e, s, c.ID, postil.Deleted)
	e.ok(s.Change(ctx, reply.ID, func(postil.Comment, postil.Decision) (*postil.Change, error) {
		return &postil.Change{To: postil.Approved, Review: postil.OpenReview, NewDraft: &postil.TextChange{Text: "x"}, Checks: &postil.Conclusion{}}, nil
	}))
	to(e, s, reply.ID, postil.Deleted)
	e.ok(s.Change(ctx, c.ID, func(_ postil.Comment, last postil.Decision) (*postil.Change, error) {
		return &postil.Change{Verb: postil.UndoneVerb, To: postil.Approved, By: somebody, Undoes: last.ID, Text: &postil.TextChange{Text: "new"}}, nil
	}))
	e.ok(s.Decision(ctx, out.Decision.ID))
	e.ok(s.Batch(ctx, "b"))
	e.ok(s.History(ctx, c.ID))
	e.ok(s.Comments(ctx, []postil.CommentID{c.ID, reply.ID, 12}))
	e.ok(s.Detail(ctx, reply.ID))
	e.ok(s.Memory(ctx, c))
	c.UserID = "u1"
	e.ok(s.Memory(ctx, c))
	e.ok(s.ApprovedOf(ctx, c, 5))
	c.UserID = ""
	e.ok(s.ApprovedOf(ctx, c, 5))
}

func (e exerciser) rules() {
	s := e.s
	word := postil.Ruling{Site: "blog", Subject: postil.Subject{Kind: postil.OnWord, Value: "casino"}, Effect: postil.EffectSignal, Shown: "casino", List: "public"}
	for range 2 {
		e.ok(s.Import(ctx, []postil.Ruling{word}, somebody))
	}
	ban, err := s.Lay(ctx, postil.Ruling{Subject: postil.Subject{Kind: postil.OnDevice, Value: "device13"}, Effect: postil.EffectBan}, somebody)
	e.done(err)
	e.ok(s.Ruling(ctx, ban.ID))
	for _, f := range []postil.RulingFilter{{Limit: 5}, {Sites: []postil.SiteID{"blog"}, List: "public", Limit: 5}, {Before: 100, Limit: 5}} {
		e.ok(s.Rulings(ctx, f))
	}
	e.ok(s.RulingLists(ctx))
	e.ok(s.ListEntries(ctx, "blog"))
	e.ok(s.Memory(ctx, postil.Comment{ID: 13, Site: "blog"}))
	e.ok(s.Lift(ctx, ban.ID, somebody))
	e.ok(s.DropList(ctx, "blog", "public", somebody))
}

func (e exerciser) readers() {
	s := e.s
	c := say(e, s, "liked", 0)
	to(e, s, c.ID, postil.Approved)
	for _, on := range []bool{true, false} {
		e.done(s.AddReport(ctx, postil.Report{Site: "blog", Comment: c.ID, Person: postil.Person{ID: fmt.Sprint("p", on)}}, nothing))
		e.ok(s.React(ctx, postil.Reaction{Site: "blog", Comment: c.ID, Person: postil.Person{ID: "p"}, Emoji: "👍", On: on}))
	}
	for _, f := range []postil.ReportFilter{{}, {Site: "big"}, {Comment: c.ID}, {Open: true}, {Site: "big", Open: true}} {
		f.Limit = 2
		p, err := s.Reports(ctx, f)
		e.done(err)
		if f.Cursor = p.Next; f.Cursor != "" {
			e.ok(s.Reports(ctx, f))
		}
	}
	out := to(e, s, c.ID, postil.Deleted)
	e.ok(s.Change(ctx, c.ID, func(postil.Comment, postil.Decision) (*postil.Change, error) {
		return &postil.Change{Verb: postil.UndoneVerb, To: postil.Approved, By: somebody, Undoes: out.Decision.ID}, nil
	}))
}

func (e exerciser) threads() {
	s := e.s
	e.ok(s.Recent(ctx, "big", 20))
	e.ok(s.RecentOn(ctx, "big", "/3", 20))
	for _, sort := range []postil.Sort{postil.Oldest, postil.Newest, postil.Top} {
		q := postil.ThreadQuery{Site: "big", Post: "/3", Sort: sort, Limit: 5}
		first := page(e, s, q)
		q.Cursor = first.Next
		second := page(e, s, q)
		q.Cursor = second.Prev
		page(e, s, q)
		q.Cursor, q.Limit = "", postil.MaxPageRoots
		inside := page(e, s, q) // 200 roots do not fit: the page ends inside a root
		q.Cursor = inside.Next
		page(e, s, q)
		q.Cursor = position{kind: insideRoot, id: 1030, path: []byte{0}}.encode(sort)
		page(e, s, q)
		q.Cursor, q.Focus = "", 1031
		page(e, s, q)
	}
}

func (e exerciser) lists() {
	e.ok(e.s.ListComments(ctx, postil.CommentFilter{ByDoubt: true, Sites: []postil.SiteID{"big"}, Limit: 5}))
	e.ok(e.s.ListComments(ctx, postil.CommentFilter{ByDoubt: true, Sites: []postil.SiteID{"big"}, Limit: 5, Cursor: mark{100, 5}.String()}))
	for _, f := range listFilters() {
		first, err := e.s.ListComments(ctx, f)
		e.done(err)
		if len(first.Comments) == 0 {
			e.Errorf("nothing matches %+v; the statement shows nothing", f)
		}
		if f.Cursor = first.Next; f.Cursor != "" {
			e.ok(e.s.ListComments(ctx, f))
		}
	}
}

// listFilters are all the ways in which a moderator's list is narrowed.
func listFilters() (out []postil.CommentFilter) {
	for _, sites := range [][]postil.SiteID{nil, {"big"}, {"big", "blog"}} {
		for _, statuses := range [][]postil.Status{nil, {postil.Pending}, {postil.Pending, postil.Spam}} {
			for _, post := range []postil.PostID{"", "/2"} {
				for _, more := range []postil.CommentFilter{{}, {From: time.UnixMilli(1), To: time.Now()}, {Query: "text", To: time.Now()}, {Author: "device13"}} {
					more.Sites, more.Statuses, more.Post, more.Limit = sites, statuses, post, 5
					if more.Author != "" && post != "" {
						continue
					}
					out = append(out, more)
					if len(statuses) != 1 && more.Author == "" {
						more.NeedsYou = true
						out = append(out, more)
					}
				}
			}
		}
	}
	return out
}

func (e exerciser) cards() {
	s := e.s
	e.done(s.WantCard(ctx, 13, []int64{7, 8}))
	e.ok(s.RefreshCards(ctx, 13))
	e.ok(s.NextCardDue(ctx))
	due, err := s.DueCards(ctx, 10)
	e.done(err)
	if len(due) == 0 {
		e.Fatal("no card is due")
	}
	due[0].Message = 5
	e.done(s.CardDone(ctx, due[0], s.Now(ctx)))
	e.done(s.CardFailed(ctx, due[0], "down", s.Now(ctx)))
	e.ok(s.CardsOf(ctx, 13))
	e.ok(s.CardByMessage(ctx, 7, 5))
	e.ok(s.UndeliveredCards(ctx))
	e.done(s.MoveCards(ctx, 8, 9))
	e.done(s.ChatState(ctx, postil.Chat{ID: 7, Problem: "blocked"}))
	e.ok(s.Chats(ctx))
	stale, err := s.StaleCards(ctx)
	e.done(err)
	if stale == 0 {
		e.Error("no card is stale")
	}
	e.done(s.CardSending(ctx, due[0].ID, 4, "x"))
	e.ok(s.LastMessage(ctx, 7))
	e.ok(s.LastMessage(ctx, 0))
	e.ok(s.Undelivered(ctx, 10))
	e.done(s.SetChatLanguage(ctx, 7, "de"))
	e.done(s.MuteChat(ctx, 7, s.Now(ctx)))
	e.ok(s.TakeQuota(ctx, "search", "key:1", 5))
	_, _, err = s.TakeDay(ctx, "keys", "key:1", "2026-11-30", 5)
	e.done(err)
	e.done(s.ReturnDay(ctx, "keys", "key:1", "2026-11-30"))
	e.boards()
}

func (e exerciser) boards() {
	s := e.s
	e.done(s.WantCard(ctx, 43, []int64{70}))
	cards, err := s.CardsOf(ctx, 43)
	e.done(err)
	e.done(s.Collect(ctx, 70, []int64{cards[0].ID}))
	due, err := s.DueBoards(ctx)
	e.done(err)
	if len(due) != 1 {
		e.Fatalf("%d boards are due", len(due))
	}
	b := due[0]
	e.ok(s.Board(ctx, b.ID))
	e.ok(s.LastBoard(ctx, 70))
	items, err := s.BoardItems(ctx, b.ID)
	e.done(err)
	if len(items) != 1 || items[0].Comment.ID != 43 || !items[0].Open {
		e.Errorf("%+v", items)
	}
	e.done(s.BoardFailed(ctx, b.ID, "down", s.Now(ctx)))
	e.done(s.BoardDone(ctx, b, cards[0].ID, s.Now(ctx)))
	e.done(s.SetBoard(ctx, b))
	e.done(s.RecallBoards(ctx, 70, time.UnixMilli(1)))
	e.done(s.ShowApart(ctx, b.ID, cards[0].ID))
}

func (e exerciser) webhooks() {
	s := e.s
	w, err := s.AddWebhook(ctx, postil.Webhook{Name: "W", URL: "https://hooks.example/", Format: postil.PlainJSON, Active: true, Site: "big"}, somebody)
	e.done(err)
	e.ok(s.SetWebhook(ctx, w.ID, somebody, func(w *postil.Webhook) error { w.Version++; return nil }))
	e.ok(s.Webhook(ctx, w.ID))
	for id := range 3 {
		e.ok(s.AddDeliveries(ctx, postil.Event{ID: postil.EventID(id + 1), Kind: postil.CommentDecided, Site: "big", Comment: 13, To: postil.Approved}))
	}
	due, err := s.DueDeliveries(ctx, w.ID, 10)
	e.done(err)
	if len(due) != 1 || due[0].Event.ID != 1 {
		e.Fatalf("due are %+v", due)
	}
	e.ok(s.NextDelivery(ctx))
	due[0].State = postil.DeliveryDead
	e.done(s.DeliveryTried(ctx, due[0]))
	e.ok(s.Deliveries(ctx, w.ID, "", 0, 10))
	e.ok(s.Deliveries(ctx, w.ID, postil.DeliveryDead, 0, 10))
	e.ok(s.Replay(ctx, w.ID, nil, somebody))
	e.ok(s.Replay(ctx, w.ID, []int64{due[0].ID}, somebody))
	e.done(s.RemoveWebhook(ctx, w.ID, somebody))
}

func (e exerciser) tasks() {
	s := e.s
	e.done(s.LookAgain(ctx))
	e.ok(s.NextTaskDue(ctx))
	_, more, err := s.Advance(ctx, 5, func(now time.Time, due []postil.Task) (steps []postil.Step) {
		for _, t := range due {
			steps = append(steps, postil.Step{Task: t, Next: now.Add(time.Hour)})
		}
		steps[0].Notices = []postil.Event{{Kind: postil.NoticeRaised, Notice: postil.Reminder, Site: due[0].Site}}
		return steps
	})
	e.done(err)
	if !more {
		e.Error("few tasks are due")
	}
	_, _, err = s.WaitingSince(ctx, "big")
	e.done(err)
}

func (e exerciser) upkeep() {
	s := e.s
	e.ok(s.Backlog(ctx))
	e.done(s.MarkPublished(ctx, []postil.EventID{1}))
	e.done(s.Announced(ctx, 13))
	e.ok(s.Review(ctx, 13))
	_, _, err := s.OpenReviews(ctx)
	e.done(err)
	e.ok(s.PendingEvents(ctx, 0, 10))
	e.ok(s.StatusTotals(ctx))
	e.ok(s.Traces(ctx, "actor", "network"))
	e.done(s.SaveModel(ctx, "blog", []byte{1}, 1))
	_, _, err = s.Model(ctx, "blog")
	e.done(err)
	_, _, err = s.Lessons(ctx, "blog", 0, 10)
	e.done(err)
	e.ok(s.Taken(ctx, 0, 10))
	e.ok(s.LastDecision(ctx))
	n, err := s.Reannounce(ctx, s.Now(ctx).Add(time.Second), 1000) // more than the exercise leaves in the outbox
	e.done(err)
	if n == 0 {
		e.Error("nothing was announced again")
	}
	e.done(s.Sweep(ctx))
	e.done(s.RemoveSite(ctx, "blog", somebody))
}

// search fills the index anew and then breaks it, which nothing else survives.
func (e exerciser) search() {
	s := e.s
	e.ok(s.ListComments(ctx, postil.CommentFilter{Query: "text + 1", Limit: 5}))
	e.done(s.RebuildSearch(ctx))
	e.ok(s.Unindexed(ctx))
	e.done(s.Write(ctx, func(tx *Tx) error {
		if err := breakSearch(tx); err != nil {
			return err
		}
		return tx.w.guarded(func() error { _, err := tx.index(dueNow, indexChunk); return err }) // gives the index up
	}))
}

// breakSearch takes the index away, as a damaged file does, and changes a comment.
func breakSearch(tx *Tx) error {
	if _, err := tx.exec("DROP TABLE comment_search"); err != nil {
		return err
	}
	_, err := tx.exec("UPDATE comments SET author_name = author_name || 'x' WHERE comment_id = 13")
	return err
}

// nothing is a rule that wants nothing.
func nothing(postil.Comment, postil.Decision) (*postil.Change, error) { return nil, nil }

func (e exerciser) audits() {
	for _, f := range []postil.AuditFilter{{}, {Query: "site"}, {Sites: []postil.SiteID{"blog"}}, {Sites: []postil.SiteID{"blog", "big"}},
		{Actor: "a", Action: "site.", Subject: "site:blog", Channel: postil.ByREST, From: time.UnixMilli(1), To: time.Now(), Cursor: "9"}} {
		e.ok(e.s.Audit(ctx, f))
	}
}
