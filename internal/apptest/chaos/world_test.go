//go:build chaos

package chaos

import (
	"context"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest/fakebot"
)

const botToken = "4242:chaos"

// The people who press buttons.
var users = []fakebot.User{{ID: 71, FirstName: "Ada"}, {ID: 72, FirstName: "Ben"}}

// chatOf is the chat of the site with the given number: a private one, which
// may be written to once a second.
func chatOf(site int) int64 { return int64(1001 + site) }

// world is one data directory, everybody who uses it, and what they were told.
type world struct {
	t      *testing.T
	rng    *rand.Rand
	node   *node
	bot    *fakebot.Server
	botURL string
	ledger *ledger
	public *board

	posters    []*poster
	moderators []*moderator
	pressers   []*presser
	readers    []*reader

	telegram bool      // the mode of the process that runs, or ran last
	since    time.Time // when that mode began
	kills    []time.Time
	slowest  time.Duration
	happened map[string]int // mishaps, by name
}

func newWorld(t *testing.T, seed uint64) *world {
	t.Helper()
	w := &world{t: t, rng: rand.New(rand.NewPCG(seed, 0)), node: newNode(t), bot: fakebot.New(botToken), ledger: newLedger(), public: newBoard(), happened: map[string]int{}}
	for i := range sites {
		w.bot.AddChat(chatOf(i), "private")
	}
	url, closeBot := w.bot.Listen()
	w.botURL = url
	t.Cleanup(closeBot)
	people := uint64(1)
	rng := func() *rand.Rand { people++; return rand.New(rand.NewPCG(seed, people)) }
	for i := range 16 {
		p := &poster{w: w, rng: rng(), forms: map[place]form{}}
		if i%2 == 0 {
			p.device = "device-of-poster-" + strconv.Itoa(1000+i)
		}
		w.posters = append(w.posters, p)
	}
	for range 3 {
		w.moderators = append(w.moderators, &moderator{w: w, rng: rng()})
	}
	for _, u := range users {
		w.pressers = append(w.pressers, &presser{w: w, rng: rng(), user: u})
	}
	for range 2 {
		w.readers = append(w.readers, &reader{w: w, rng: rng()})
	}
	return w
}

func (w *world) somewhere(rng *rand.Rand) place {
	return place{sites[rng.IntN(len(sites))], posts[rng.IntN(len(posts))]}
}

// anyComment is one that was acknowledged in this round or the one before.
func (w *world) anyComment(rng *rand.Rand) (id string) {
	w.ledger.with(func() {
		for range 10 { // a few tries are enough, since rounds are short
			e := w.ledger.entries[token(w.ledger.n-rng.IntN(min(w.ledger.n, 200)+1))]
			if e != nil && e.id != "" && e.round >= w.ledger.round-1 {
				id = e.id
				return
			}
		}
	})
	return id
}

// start starts the process in the current mode and does not wait for it.
func (w *world) start() {
	w.t.Helper()
	var env []string
	if w.telegram {
		var chats, mods []string
		for i, site := range sites {
			chats = append(chats, site+"="+strconv.FormatInt(chatOf(i), 10))
		}
		for _, u := range users {
			mods = append(mods, strconv.FormatInt(u.ID, 10))
		}
		env = []string{"POSTIL_TELEGRAM_TOKEN=" + botToken, "POSTIL_TELEGRAM_API=" + w.botURL,
			"POSTIL_TELEGRAM_CHATS=" + strings.Join(chats, ","), "POSTIL_TELEGRAM_MODERATORS=" + strings.Join(mods, ","),
			"POSTIL_TELEGRAM_WAVE=0"} // each comment has a card of its own to look for
	}
	if err := w.node.start(env...); err != nil {
		w.t.Fatal(err)
	}
}

// serve starts the process and waits until it answers.
func (w *world) serve(ctx context.Context) {
	w.t.Helper()
	w.start()
	if err := w.node.answers(ctx); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) kill() {
	w.node.kill()
	w.kills = append(w.kills, time.Now())
}

// stumble kills the process up to twice while it starts.
func (w *world) stumble() {
	w.t.Helper()
	for range w.rng.IntN(3) {
		w.start()
		time.Sleep(time.Duration(w.rng.IntN(400)) * time.Millisecond)
		w.kill()
	}
}

// forgetQueue deletes what the broker had, while nothing runs.
func (w *world) forgetQueue() {
	w.t.Helper()
	if err := os.RemoveAll(filepath.Join(w.node.data, "nats")); err != nil {
		w.t.Fatal(err)
	}
}

// mode says whether the next process asks in Telegram.
func (w *world) mode(telegram bool) {
	if w.telegram != telegram || w.since.IsZero() {
		w.telegram, w.since = telegram, time.Now()
	}
}

// addSites makes the sites that the settings do not.
func (w *world) addSites(ctx context.Context) {
	w.t.Helper()
	for _, site := range sites[1:] {
		body := map[string]any{"key": site, "name": site, "origins": []string{"https://" + site + ".example"}}
		status, problem, err := w.node.ask(ctx, "POST", "/api/v1/admin/sites", adminKey, body, nil)
		if err != nil || status != http.StatusCreated && status != http.StatusOK {
			w.t.Fatalf("POST sites: %d %s %v", status, problem, err)
		}
	}
}

// load has everybody at work until the process is killed after a random while.
func (w *world) load(killAfter time.Duration) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var all sync.WaitGroup
	posters := w.posters[:8+w.rng.IntN(len(w.posters)-7)]
	for _, p := range posters {
		p.left = 12
		if w.telegram {
			p.left = 3 // cards have a pace
		}
		all.Go(func() { p.run(ctx) })
	}
	for _, m := range w.moderators {
		all.Go(func() { m.run(ctx) })
	}
	for _, r := range w.readers {
		all.Go(func() { r.run(ctx) })
	}
	if w.telegram {
		for _, p := range w.pressers {
			all.Go(func() { p.run(ctx) })
		}
	}
	rest(ctx, killAfter)
	w.perhaps(ctx)
	w.end()
	stop()
	all.Wait()
}

// board is what readers saw last.
type board struct {
	mu  sync.Mutex
	ids map[place][]string
}

func newBoard() *board { return &board{ids: map[place][]string{}} }

func (b *board) set(at place, page thread) {
	var ids []string
	for _, c := range page.Comments {
		if !c.Deleted && c.Depth < 6 {
			ids = append(ids, c.ID)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ids[at] = ids
}

// one returns a public comment of a thread, "" when none was seen.
func (b *board) one(at place, rng *rand.Rand) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	ids := b.ids[at]
	if len(ids) == 0 {
		return ""
	}
	return ids[len(ids)-1-rng.IntN(min(len(ids), 20))]
}
