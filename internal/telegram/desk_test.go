package telegram_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/postil/postil/internal/apptest/fakebot"
	"github.com/postil/postil/internal/apptest/storetest"
	"github.com/postil/postil/internal/moderation"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/store"
	"github.com/postil/postil/internal/telegram"
)

const (
	botToken = "123456:AAH-very-secret_bot-token"
	group    = int64(-1001)
)

var (
	anna = fakebot.User{ID: 7, FirstName: "Anna", Username: "anna"}
	bert = fakebot.User{ID: 8, FirstName: "Bert"}
	eve  = fakebot.User{ID: 66, FirstName: "Eve"}
	rest = postil.By{Channel: postil.ByREST, Actor: "key:1", Name: "Carla"}
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// secret is a token as the configuration holds it.
type secret string

func (s secret) Reveal() string { return string(s) }

// clock runs faster than the world, so that minutes can be waited for.
type clock struct {
	start time.Time
	speed int64
	shift time.Duration
	mu    sync.Mutex
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.start.Add(c.shift + time.Since(c.start)*time.Duration(c.speed))
}

func (c *clock) after(d time.Duration) <-chan time.Time {
	return time.After(d / time.Duration(c.speed))
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shift += d
}

// taps allows n taps and then none.
type taps struct {
	mu   sync.Mutex
	left int
}

func (t *taps) Take(context.Context, string) (bool, time.Duration, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.left--
	return t.left >= 0, 5 * time.Second, nil
}

// author posts the moderators' answers.
type author struct {
	store *store.Store
	door  *moderation.Door
}

func (a author) Reply(ctx context.Context, parent postil.CommentID, text string, by postil.By) (postil.Receipt, error) {
	clean, err := postil.CleanText(text)
	if err != nil {
		return postil.Receipt{}, err
	}
	p, err := a.store.Comment(ctx, parent)
	if err != nil {
		return postil.Receipt{}, err
	}
	if _, err := a.door.Decide(ctx, postil.DecisionRequest{Comment: parent, Verb: postil.Approve, By: by}); err != nil {
		return postil.Receipt{}, err
	}
	out, err := a.store.AddComment(ctx, postil.NewComment{Site: p.Site, Post: postil.PostRef{ID: p.Post}, Parent: parent, Trusted: true, By: by,
		Author: postil.Author{Name: by.Name, Badge: "author"}, Text: clean, HTML: clean, Nonce: "n"}, a.door.AtOnce(by))
	return postil.Receipt{Comment: out.Comment}, err
}

// logs collects what is logged, for looking for secrets.
type logs struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// room is a whole desk: a real store and door, a Bot API that listens, and the
// bot between them.
type room struct {
	t        *testing.T
	fake     *fakebot.Server
	store    *store.Store
	door     *moderation.Door
	clock    *clock
	taps     *taps
	orders   *taps
	authors  telegram.Authors
	switches telegram.Switches
	logs     *logs
	cfg      telegram.Config
	http     *http.Client
	bot      *telegram.Bot
	stop     func()
}

// open returns a desk with a group and two moderators; the bot does not run
// yet. speed is how many seconds pass in one.
func open(t *testing.T, speed int64) *room {
	t.Helper()
	r := &room{t: t, fake: fakebot.New(botToken), clock: &clock{start: time.Now().UTC(), speed: speed}, taps: &taps{left: 1000}, orders: &taps{left: 1000}, logs: &logs{},
		http: &http.Client{Transport: &http.Transport{}}}
	r.fake.AddChat(group, "supergroup")
	r.fake.SetClock(r.clock.now)
	r.fake.SetCallbackTTL(15 * time.Second * time.Duration(speed)) // the bot does not run faster
	base, stopFake := r.fake.Listen()
	r.openStore()
	r.door = moderation.NewDoor(r.store, 15*time.Minute, r.store.Now)
	r.cfg = telegram.Config{Token: secret(botToken), API: base, Chats: []telegram.ChatRule{{Chat: group}}, Moderators: []int64{anna.ID, bert.ID}}
	t.Cleanup(func() {
		r.halt()
		stopFake()
		r.http.CloseIdleConnections()
	})
	r.make()
	return r
}

func (r *room) openStore() {
	r.t.Helper()
	ctx := context.Background()
	s, err := store.Open(ctx, slog.New(slog.DiscardHandler), storetest.Path(r.t),
		store.Options{Now: func(context.Context) time.Time { return r.clock.now() }})
	if err != nil {
		r.t.Fatal(err)
	}
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- s.Run(running) }()
	r.t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			r.t.Error(err)
		}
		_ = s.Close()
	})
	r.store = s
	if _, err := s.AddSite(ctx, postil.Site{ID: "blog", Name: "Ann's blog", Policy: postil.HoldAll, MaxLinks: 2, Origins: []string{"https://blog.example"}}, rest); err != nil {
		r.t.Fatal(err)
	}
}

// make makes the bot anew, as after a restart.
func (r *room) make() {
	r.t.Helper()
	bot, err := telegram.New(slog.New(slog.NewTextHandler(r.logs, &slog.HandlerOptions{Level: slog.LevelDebug})), r.cfg, r.deps())
	if err != nil {
		r.t.Fatal(err)
	}
	r.bot = bot
}

func (r *room) deps() telegram.Deps {
	return telegram.Deps{Store: r.store, Desk: r.door, Replier: author{r.store, r.door}, Taps: r.taps, Orders: r.orders, Authors: r.authors, Switches: r.switches, HashCode: func(s string) string { return "hash of " + s },
		SignIn: func(_ context.Context, moderator int64, by postil.By) (string, time.Time, error) {
			return fmt.Sprintf("https://c.example/admin/signin/%d-%s", moderator, by.Actor), r.clock.now().Add(15 * time.Minute), nil
		},
		Now: r.clock.now, After: r.clock.after, HTTP: r.http}
}

func (r *room) run() *room {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.bot.Run(ctx) }()
	r.stop = func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				r.t.Error(err)
			}
		case <-time.After(2 * time.Minute):
			r.t.Error("the bot does not stop")
		}
	}
	return r
}

func (r *room) halt() {
	if r.stop != nil {
		r.stop()
		r.stop = nil
	}
}

// words is what a test says about a comment that is to be written.
type words struct {
	site              postil.SiteID
	name, text, title string
	website, device   string
	parent            postil.CommentID
}

// write stores a comment and asks the moderators about it, as the checks do.
func (r *room) write(w words) postil.Comment {
	r.t.Helper()
	if w.site == "" {
		w.site = "blog"
	}
	if w.name == "" {
		w.name = "Ann"
	}
	if w.title == "" {
		w.title = "Hello"
	}
	out, err := r.store.AddComment(context.Background(), postil.NewComment{Site: w.site, Parent: w.parent,
		Post:   postil.PostRef{ID: "/p", Title: w.title, URL: "https://blog.example/p"},
		Author: postil.Author{Name: w.name, Website: w.website}, Origin: postil.Origin{Device: w.device}, Text: w.text, HTML: "<p>x</p>", Nonce: "n"}, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	r.hold(out.Comment.ID)
	return out.Comment
}

func (r *room) hold(id postil.CommentID) {
	r.t.Helper()
	c := r.change(id, func(c postil.Comment, _ postil.Decision) (*postil.Change, error) {
		return &postil.Change{To: c.Status, Review: postil.OpenReview, Checks: &postil.Conclusion{Verdict: postil.VerdictHold,
			Findings: []postil.Finding{{Check: "known", Weight: 1, Reason: "the author's first comment"}}}}, nil
	})
	r.event(postil.Event{Kind: postil.ReviewRequested, Site: c.Site, Post: c.Post, Comment: c.ID})
}

func (r *room) change(id postil.CommentID, rule postil.Rule) postil.Comment {
	r.t.Helper()
	if _, err := r.store.Change(context.Background(), id, rule); err != nil {
		r.t.Fatal(err)
	}
	return r.comment(id)
}

func (r *room) event(ev postil.Event) {
	r.t.Helper()
	if err := r.bot.HandleEvent(context.Background(), ev); err != nil {
		r.t.Fatal(err)
	}
}

// decide decides elsewhere than in Telegram.
func (r *room) decide(id postil.CommentID, verb postil.Verb) postil.Outcome {
	r.t.Helper()
	out, err := r.door.Decide(context.Background(), postil.DecisionRequest{Comment: id, Verb: verb, By: rest})
	if err != nil {
		r.t.Fatal(err)
	}
	r.event(postil.Event{Kind: postil.CommentDecided, Site: "blog", Post: "/p", Comment: id, To: out.Status})
	return out
}

func (r *room) comment(id postil.CommentID) postil.Comment {
	r.t.Helper()
	c, err := r.store.Comment(context.Background(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

func (r *room) wantStatus(id postil.CommentID, want postil.Status) {
	r.t.Helper()
	if got := r.comment(id).Status; got != want {
		r.t.Fatalf("the comment is %s, want %s", got, want)
	}
}

// await waits until the fake holds what ok asks for.
func (r *room) await(what string, ok func(*fakebot.State) bool) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := r.fake.WaitFor(ctx, ok); err != nil {
		r.t.Fatalf("%s: %v\n%s", what, err, r.logs)
	}
}

// until waits until ok holds for what the store knows.
func (r *room) until(what string, ok func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !ok(); {
		if time.Now().After(deadline) {
			r.t.Fatalf("it did not come to this: %s\n%s", what, r.logs)
		}
		<-time.After(5 * time.Millisecond)
	}
}

// card waits for the n-th message of the bot in a chat.
func (r *room) card(chat int64, n int) (m fakebot.Message) {
	r.t.Helper()
	r.await(fmt.Sprintf("message %d of the bot", n), func(st *fakebot.State) bool {
		own := byBot(st.Messages(chat))
		if len(own) >= n {
			m = own[n-1]
		}
		return len(own) >= n
	})
	return m
}

func byBot(all []fakebot.Message) (own []fakebot.Message) {
	for _, m := range all {
		if m.From.IsBot && m.From.ID == 123456 {
			own = append(own, m)
		}
	}
	return own
}

// recorded waits until no card is due any more, so that a press finds its card.
func (r *room) recorded() {
	r.t.Helper()
	r.until("every card is recorded", func() bool {
		cards, err := r.store.DueCards(context.Background(), 1000)
		return err == nil && len(cards) == 0
	})
}

// edited waits until a message contains the words.
func (r *room) edited(chat, message int64, words string) (m fakebot.Message) {
	r.t.Helper()
	r.await("the message says "+words, func(st *fakebot.State) bool {
		m = find(st.Messages(chat), message)
		return strings.Contains(m.Text, words)
	})
	return m
}

func find(list []fakebot.Message, id int64) fakebot.Message {
	for _, m := range list {
		if m.ID == id {
			return m
		}
	}
	return fakebot.Message{}
}

// press presses a button and returns what the presser is told.
func (r *room) press(m fakebot.Message, label string, by fakebot.User) fakebot.CallbackAnswer {
	r.t.Helper()
	id, err := r.fake.Press(m.ChatID, m.ID, label, by)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.answer(id)
}

func (r *room) answer(query string) (a fakebot.CallbackAnswer) {
	r.t.Helper()
	r.await("the press is answered", func(st *fakebot.State) bool {
		for _, a = range st.Answers() {
			if a.ID == query {
				return true
			}
		}
		return false
	})
	return a
}

func wantIn(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in:\n%s", part, text)
		}
	}
}

func wantLabels(t *testing.T, m fakebot.Message, want ...string) {
	t.Helper()
	if got := strings.Join(m.Labels(), "|"); got != strings.Join(want, "|") {
		t.Errorf("buttons %s, want %s", got, strings.Join(want, "|"))
	}
}

func TestACommentIsShownAndApprovedWithOnePress(t *testing.T) {
	t.Parallel()
	r := open(t, 1).run()
	c := r.write(words{text: "First line\nsecond line", website: "https://ann.example/x", device: "d"})
	card := r.card(group, 1)
	wantIn(t, card.Text, "Ann's blog · Hello", "Ann · first comment · ann.example", "First line\nsecond line", "held: the author's first comment")
	wantLabels(t, card, "✅ Approve", "🚫 Reject", "🗑 Spam")
	if !card.NoLinkPreview {
		t.Error("link previews are on")
	}
	if a := r.press(card, "Approve", anna); a.Text != "✅ Approved" || a.ShowAlert {
		t.Errorf("answered %+v", a)
	}
	card = r.edited(group, card.ID, "✅ Approved by Anna · ")
	wantLabels(t, card, "↩️ Undo", "🚫 Reject")
	r.wantStatus(c.ID, postil.Approved)
	if a := r.press(card, "Undo", bert); !strings.Contains(a.Text, "waits again") {
		t.Errorf("answered %+v", a)
	}
	card = r.edited(group, card.ID, "Waits again by Bert")
	wantLabels(t, card, "✅ Approve", "🚫 Reject", "🗑 Spam")
	r.wantStatus(c.ID, postil.Pending)
}
