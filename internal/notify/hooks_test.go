package notify_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/postil/postil/internal/apptest/storetest"
	"github.com/postil/postil/internal/moderation"
	"github.com/postil/postil/internal/notify"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	ctx  = context.Background()
	ann  = postil.By{Channel: postil.ByREST, Actor: "key:1", Name: "Ann"}
	loop = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
)

// receiver is a program that is told, over real HTTP.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []call
	answer func(n int) int // the status of the n-th answer, from 0
}

type call struct {
	header http.Header
	body   string
}

func newReceiver(t *testing.T, answer func(n int) int) *receiver {
	t.Helper()
	r := &receiver{answer: answer}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		raw, _ := io.ReadAll(req.Body)
		r.mu.Lock()
		n := len(r.got)
		r.got = append(r.got, call{req.Header.Clone(), string(raw)})
		r.mu.Unlock()
		w.WriteHeader(r.answer(n))
	}))
	t.Cleanup(r.Close)
	return r
}

func fine(int) int { return http.StatusNoContent }

func (r *receiver) calls() []call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]call{}, r.got...)
}

// office is a store, a door and webhooks whose clock runs fast.
type office struct {
	t     *testing.T
	store *store.Store
	door  *moderation.Door
	hooks *notify.Hooks
	mu    sync.Mutex
	shift time.Duration
	last  postil.EventID
}

func (o *office) now() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return time.Now().UTC().Add(o.shift)
}

func (o *office) pass(d time.Duration) {
	o.mu.Lock()
	o.shift += d
	o.mu.Unlock()
	o.hooks.Wake()
}

func open(t *testing.T, nets []netip.Prefix) *office {
	t.Helper()
	o := &office{t: t}
	s, err := store.Open(ctx, slog.New(slog.DiscardHandler), storetest.Path(t), store.Options{Now: func(context.Context) time.Time { return o.now() }})
	if err != nil {
		t.Fatal(err)
	}
	o.store, o.door = s, moderation.NewDoor(s, time.Minute, s.Now)
	running, stopStore := context.WithCancel(ctx)
	stored := make(chan error, 1)
	go func() { stored <- s.Run(running) }()
	if _, err := s.AddSite(ctx, postil.Site{ID: "blog", Name: "Blog", Policy: postil.HoldAll}, ann); err != nil {
		t.Fatal(err)
	}
	o.hooks = notify.New(slog.New(slog.DiscardHandler), s, notify.Options{Networks: nets, Secret: secret, Now: o.now})
	telling, stop := context.WithCancel(ctx)
	told := make(chan error, 1)
	go func() { told <- o.hooks.Run(telling) }()
	t.Cleanup(func() {
		stop()
		<-told
		stopStore()
		<-stored
		_ = s.Close()
	})
	return o
}

func secret(hook int64, version int) []byte {
	return fmt.Appendf(nil, "secret %d of %d", version, hook)
}

func (o *office) hook(url string, format postil.WebhookFormat, events ...string) postil.Webhook {
	o.t.Helper()
	w, err := o.store.AddWebhook(ctx, postil.Webhook{Name: "W", URL: url, Format: format, Events: events, Active: true}, ann)
	if err != nil {
		o.t.Fatal(err)
	}
	return w
}

func (o *office) write(name, text string) postil.CommentID {
	o.t.Helper()
	out, err := o.store.AddComment(ctx, postil.NewComment{Site: "blog", Post: postil.PostRef{ID: "/p", Title: "Hello", URL: "https://blog.example/p"},
		Author: postil.Author{Name: name, Email: "ann@mail.example"}, Origin: postil.Origin{Device: "dev", Network: "net"}, Text: text, HTML: "<p>x</p>", Nonce: "n"}, nil)
	if err != nil {
		o.t.Fatal(err)
	}
	return out.Comment.ID
}

func (o *office) decide(id postil.CommentID, verb postil.Verb, by postil.By) {
	o.t.Helper()
	if _, err := o.door.Decide(ctx, postil.DecisionRequest{Comment: id, Verb: verb, By: by}); err != nil {
		o.t.Fatal(err)
	}
	o.relay()
}

// relay hands on what the store has announced, each event twice.
func (o *office) relay() {
	o.t.Helper()
	events, err := o.store.PendingEvents(ctx, o.last, 1000)
	if err != nil {
		o.t.Fatal(err)
	}
	for _, ev := range events {
		o.last = ev.ID
		for range 2 {
			if err := o.hooks.HandleEvent(ctx, ev); err != nil {
				o.t.Fatal(err)
			}
		}
	}
}

func (o *office) until(what string, ok func() bool) {
	o.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !ok(); {
		if time.Now().After(deadline) {
			o.t.Fatal("it did not come to this: " + what)
		}
		<-time.After(5 * time.Millisecond)
	}
}

func (o *office) deliveries(w postil.Webhook, state postil.DeliveryState) []postil.Delivery {
	o.t.Helper()
	list, err := o.store.Deliveries(ctx, w.ID, state, 0, 100)
	if err != nil {
		o.t.Fatal(err)
	}
	return list
}

func proves(c call, key []byte) bool {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte(c.header.Get("webhook-id") + "." + c.header.Get("webhook-timestamp") + "." + c.body))
	return strings.Contains(c.header.Get("webhook-signature"), "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}

func TestADecisionIsToldOnceSignedAndWithoutWhatIsPrivate(t *testing.T) {
	t.Parallel()
	o, r := open(t, loop), newReceiver(t, fine)
	w := o.hook(r.URL, postil.PlainJSON, "comment.approved")
	id := o.write("Ann", "Well *said*")
	o.decide(id, postil.Approve, ann)
	o.decide(id, postil.Reject, ann) // not asked for
	o.until("it is told", func() bool { return len(o.deliveries(w, postil.DeliveryDone)) == 1 })
	got := r.calls()
	if len(got) != 1 {
		t.Fatalf("%d calls", len(got))
	}
	if !proves(got[0], secret(w.ID, 1)) || proves(got[0], secret(w.ID, 2)) {
		t.Errorf("signed %v", got[0].header)
	}
	var n map[string]any
	if err := json.Unmarshal([]byte(got[0].body), &n); err != nil {
		t.Fatal(err)
	}
	comment, decision := n["comment"].(map[string]any), n["decision"].(map[string]any)
	if n["type"] != "comment.approved" || n["id"] != got[0].header.Get("webhook-id") || comment["text"] != "Well *said*" || decision["by"] != "Ann" || decision["to"] != "approved" {
		t.Errorf("%s", got[0].body)
	}
	for _, private := range []string{"mail.example", "dev", "net\""} {
		if strings.Contains(got[0].body, private) {
			t.Errorf("%q is told: %s", private, got[0].body)
		}
	}
}

func TestTheSameEventIsToldWhicheverWayItWasDecided(t *testing.T) {
	t.Parallel()
	o, r := open(t, loop), newReceiver(t, fine)
	o.hook(r.URL, postil.PlainJSON)
	channels := []postil.Channel{postil.ByTelegram, postil.ByREST, postil.ByConsole, postil.ByCheck}
	for _, ch := range channels {
		o.decide(o.write("Ann", "text by "+string(ch)), postil.Approve, postil.By{Channel: ch, Actor: "x", Name: "X"})
	}
	o.until("all are told", func() bool { return len(r.calls()) == len(channels) })
	shapes := map[string]bool{}
	for _, c := range r.calls() {
		var n struct {
			Type     string
			Decision struct{ Decision, From, To string }
		}
		if err := json.Unmarshal([]byte(c.body), &n); err != nil {
			t.Fatal(err)
		}
		shapes[fmt.Sprint(n)] = true
	}
	if len(shapes) != 1 {
		t.Errorf("%v", shapes)
	}
}

func TestWhatFailsComesAgainInOrderAndIsGivenUpInTheEnd(t *testing.T) {
	t.Parallel()
	o := open(t, loop)
	broken := true
	var mu sync.Mutex
	r := newReceiver(t, func(int) int {
		mu.Lock()
		defer mu.Unlock()
		if broken {
			return http.StatusInternalServerError
		}
		return http.StatusOK
	})
	w := o.hook(r.URL, postil.PlainJSON)
	first := o.write("Ann", "one")
	o.decide(first, postil.Approve, ann)
	o.decide(first, postil.Reject, ann)
	o.until("it failed", func() bool { d := o.deliveries(w, postil.DeliveryDue); return len(d) == 2 && d[1].Attempts == 1 })
	for i := range 9 {
		o.pass(25 * time.Hour)
		o.until(fmt.Sprint("it failed again ", i), func() bool {
			for _, d := range o.deliveries(w, "") {
				if d.Event.To == postil.Approved && d.Attempts == i+2 {
					return true
				}
			}
			return false
		})
	}
	o.until("it is given up", func() bool { return len(o.deliveries(w, postil.DeliveryDead)) == 1 })
	if d := o.deliveries(w, postil.DeliveryDead)[0]; d.Status != 500 || !strings.Contains(d.Problem, "500") {
		t.Errorf("%+v", d)
	}
	mu.Lock()
	broken = false
	mu.Unlock()
	before := len(r.calls())
	if n, err := o.store.Replay(ctx, w.ID, nil, ann); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	o.pass(25 * time.Hour)
	o.until("both have arrived", func() bool { return len(o.deliveries(w, postil.DeliveryDone)) == 2 })
	var types []string
	for _, c := range r.calls()[before:] {
		types = append(types, strings.Split(c.body, `"`)[7])
	}
	if got := strings.Join(types, " "); !strings.HasSuffix(got, "comment.approved comment.rejected") {
		t.Errorf("they came as %s", got)
	}
}

func TestARotatedSecretSignsForADayLonger(t *testing.T) {
	t.Parallel()
	o, r := open(t, loop), newReceiver(t, fine)
	w := o.hook(r.URL, postil.PlainJSON)
	w, err := o.store.SetWebhook(ctx, w.ID, ann, func(w *postil.Webhook) error { w.Version++; return nil })
	if err != nil {
		t.Fatal(err)
	}
	if o.hooks.Secret(w) != "whsec_"+base64.StdEncoding.EncodeToString(secret(w.ID, 2)) {
		t.Error("another secret is shown")
	}
	o.decide(o.write("Ann", "one"), postil.Approve, ann)
	o.until("it is told", func() bool { return len(r.calls()) == 1 })
	o.pass(25 * time.Hour)
	o.decide(o.write("Ann", "two"), postil.Approve, ann)
	o.until("it is told", func() bool { return len(r.calls()) == 2 })
	for i, old := range []bool{true, false} {
		c := r.calls()[i]
		if !proves(c, secret(w.ID, 2)) || proves(c, secret(w.ID, 1)) != old {
			t.Errorf("call %d is signed %s", i, c.header.Get("webhook-signature"))
		}
	}
}

func TestSEC_04_NobodyIsFollowedElsewhere(t *testing.T) {
	t.Parallel()
	inner := newReceiver(t, fine)
	for _, status := range []int{301, 302, 303, 307, 308} {
		o := open(t, loop)
		outer := httptest.NewServer(http.RedirectHandler(inner.URL, status))
		w := o.hook(outer.URL, postil.PlainJSON)
		o.decide(o.write("Ann", "one"), postil.Approve, ann)
		o.until("it failed", func() bool { d := o.deliveries(w, postil.DeliveryDue); return len(d) == 1 && d[0].Status == status })
		outer.Close()
	}
	if n := len(inner.calls()); n != 0 {
		t.Errorf("%d signed bodies were replayed elsewhere", n)
	}
}

func TestPrivateAddressesAreNotCalledByWhateverNameTheyGo(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, fine)
	o := open(t, nil)
	_, port, _ := strings.Cut(strings.TrimPrefix(r.URL, "http://"), ":")
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "10.0.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "[fd00::1]",
		"[fe80::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "127.1", "0x7f000001", "2130706433"} {
		w := postil.Webhook{ID: 1, Version: 1, URL: "http://" + host + ":" + port + "/secret-path", Format: postil.PlainJSON}
		status, _, problem := o.hooks.Test(ctx, w)
		if status != 0 || problem == "" {
			t.Errorf("%s was called: %d", host, status)
		}
		if strings.Contains(problem, "secret-path") {
			t.Errorf("%s: the problem shows the address: %s", host, problem)
		}
	}
	if n := len(r.calls()); n != 0 {
		t.Errorf("%d calls arrived", n)
	}
	// The same by a name that was allowed on purpose.
	o = open(t, loop)
	if status, _, problem := o.hooks.Test(ctx, postil.Webhook{ID: 1, Version: 1, URL: "http://127.0.0.1:" + port, Format: postil.PlainJSON}); status != 204 || problem != "" {
		t.Errorf("%d, %s", status, problem)
	}
}

func TestSEC_08_EveryFormatIsValidJSONThatCallsNobody(t *testing.T) {
	t.Parallel()
	text := "\"quotes\" \\ back\nslash @everyone @here <!channel> <@U123> <@&9> [a](javascript:x) *b* \u202e\x00 </script> ＠room"
	for _, format := range []postil.WebhookFormat{postil.PlainJSON, postil.SlackText, postil.DiscordText, postil.MatrixText} {
		t.Run(string(format), func(t *testing.T) {
			t.Parallel()
			o, r := open(t, loop), newReceiver(t, fine)
			o.hook(r.URL, format)
			o.decide(o.write("<!here> @channel", text), postil.Approve, postil.By{Channel: postil.ByREST, Actor: "k", Name: "@everyone"})
			o.until("it is told", func() bool { return len(r.calls()) == 1 })
			var decoded any
			if err := json.Unmarshal([]byte(r.calls()[0].body), &decoded); err != nil {
				t.Fatalf("%v: %s", err, r.calls()[0].body)
			}
			if format == postil.PlainJSON {
				if got := decoded.(map[string]any)["comment"].(map[string]any)["text"]; got != text {
					t.Errorf("%q", got)
				}
				return
			}
			for _, said := range texts(decoded) {
				for _, mention := range []string{"@everyone", "@here", "@channel", "@room", "＠room", "<@U", "<@&"} {
					if strings.Contains(said, mention) {
						t.Errorf("%q stands in %q", mention, said)
					}
				}
			}
			if top := decoded.(map[string]any); format == postil.SlackText && strings.Contains(top["text"].(string), "<!") {
				t.Errorf("%s", top["text"])
			}
		})
	}
}

// texts returns every text in a decoded body.
func texts(v any) (out []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, x := range v {
			out = append(out, texts(x)...)
		}
	case map[string]any:
		for _, x := range v {
			out = append(out, texts(x)...)
		}
	}
	return out
}

func TestOneBrokenReceiverHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	o := open(t, loop)
	broken, well := newReceiver(t, func(int) int { return http.StatusTeapot }), newReceiver(t, fine)
	bad, good := o.hook(broken.URL, postil.PlainJSON), o.hook(well.URL, postil.PlainJSON)
	for range 5 {
		o.decide(o.write("Ann", "one"), postil.Approve, ann)
	}
	o.until("the other has all", func() bool { return len(o.deliveries(good, postil.DeliveryDone)) == 5 })
	o.until("the broken one is left alone", func() bool { d := o.deliveries(bad, postil.DeliveryDue); return len(d) == 5 && d[4].Attempts == 1 })
	if n := len(broken.calls()); n != 1 {
		t.Errorf("it was called %d times", n)
	}
}
