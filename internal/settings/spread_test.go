package settings_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/postil/postil/internal/apptest/ports"
	"github.com/postil/postil/internal/apptest/storetest"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/queue"
	"github.com/postil/postil/internal/settings"
	"github.com/postil/postil/internal/store"
)

var (
	quiet = slog.New(slog.DiscardHandler)
	admin = postil.By{Channel: postil.ByREST, Actor: "key:1", Name: "Ann"}
)

// during runs a task until the test ends.
func during(t testing.TB, run func(context.Context) error) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func openStore(t testing.TB) *store.Store {
	s, err := store.Open(t.Context(), quiet, storetest.Path(t), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	during(t, s.Run)
	return s
}

// outside is a broker that stands for itself and can be killed and started
// again on the same port.
type outside struct {
	t    testing.TB
	dir  string
	port int
	*server.Server
}

func newOutside(t testing.TB) *outside {
	return &outside{t: t, dir: t.TempDir(), port: ports.Free(t)}
}

func (o *outside) start() {
	ns, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: o.port, JetStream: true, StoreDir: o.dir, NoSigs: true, NoLog: true})
	if err != nil {
		o.t.Fatal(err)
	}
	ns.Start()
	if !ns.ReadyForConnections(20 * time.Second) {
		o.t.Fatal("the broker does not start")
	}
	o.Server = ns
}

func (o *outside) kill() {
	o.Shutdown()
	o.WaitForShutdown()
}

func (o *outside) url() string { return fmt.Sprintf("nats://127.0.0.1:%d", o.port) }

// node is one process of the service, as far as settings go.
func node(t testing.TB, s *store.Store, cfg queue.Config) *settings.Live {
	cfg.InstallID = "test"
	b := queue.New(quiet, cfg)
	l := settings.New(quiet, s, settings.Options{})
	if err := l.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	table := b.Table("SETTINGS")
	l.Share(table)
	if err := b.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Stop)
	during(t, table.Watch(l.Begin, l.Told).Run)
	eventually(t, "the node has a broker", func() bool { return b.Status() == nil })
	return l
}

func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it did not happen in time: %s", what)
		}
	}
}

func links(t testing.TB, l *settings.Live, n int) {
	t.Helper()
	key := postil.SettingKey{Kind: postil.ConfigSetting, Name: settings.MaxLinks.Name}
	if _, err := l.Set(t.Context(), postil.SettingChange{SettingKey: key, Value: json.RawMessage(fmt.Sprint(n)), By: admin, Reason: "because"}); err != nil {
		t.Fatal(err)
	}
}

func has(l *settings.Live, n int) func() bool {
	return func() bool { return settings.MaxLinks.Get(l.Now(), "") == n }
}

// threeNodes are three processes with one store that know each other's changes.
func threeNodes(t testing.TB) (nodes []*settings.Live) {
	o := newOutside(t)
	o.start()
	t.Cleanup(o.kill)
	s := openStore(t)
	for range 3 {
		nodes = append(nodes, node(t, s, queue.Config{URL: o.url()}))
	}
	links(t, nodes[0], 99) // every watch has begun once this is everywhere
	for i := range nodes {
		eventually(t, "the nodes are connected", has(nodes[i], 99))
	}
	return nodes
}

// change changes a setting on one node and waits until all have it.
func change(t testing.TB, nodes []*settings.Live, n int) time.Duration {
	begun := time.Now()
	links(t, nodes[n%3], n)
	for i := range nodes {
		eventually(t, "every node sees the change", has(nodes[i], n))
	}
	return time.Since(begun)
}

func TestAChangeIsSeenByAllOfThreeNodes(t *testing.T) {
	nodes := threeNodes(t)
	for n := range 10 {
		change(t, nodes, n)
	}
}

// The time is that of the person who changes something: storing it is part of it.
func BenchmarkChangeOnThreeNodes(b *testing.B) {
	nodes := threeNodes(b)
	var took []time.Duration
	for n := 0; b.Loop(); n++ {
		took = append(took, change(b, nodes, n%90))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

func TestABrokerThatLostEverythingIsFilledAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "nats")
	s := openStore(t)
	l := node(t, s, queue.Config{Dir: dir})
	links(t, l, 7)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if !has(l, 7)() {
		t.Error("the value was lost with the directory")
	}
	fresh := node(t, s, queue.Config{Dir: filepath.Join(t.TempDir(), "other")})
	if !has(fresh, 7)() {
		t.Error("a new process on an empty broker does not know the value")
	}
}

func TestTheLastValueCountsWhileTheBrokerIsAway(t *testing.T) {
	o := newOutside(t)
	o.start()
	s := openStore(t)
	one, two := node(t, s, queue.Config{URL: o.url()}), node(t, s, queue.Config{URL: o.url()})
	links(t, one, 5)
	eventually(t, "both see the change", has(two, 5))
	o.kill()
	links(t, one, 6) // stored, and seen where it was made
	if !has(one, 6)() || !has(two, 5)() {
		t.Error("the last values do not count")
	}
	o.start()
	t.Cleanup(o.kill)
	eventually(t, "the change comes with the broker", has(two, 6))
}

func TestAChangeHasItsHistoryAuditAndEventAndCanBeTakenBack(t *testing.T) {
	s := openStore(t)
	l := settings.New(quiet, s, settings.Options{})
	desk := settings.NewDesk(l, s)
	links(t, l, 3)
	links(t, l, 4)
	links(t, l, 4) // changes nothing
	key := postil.SettingKey{Kind: postil.ConfigSetting, Name: settings.MaxLinks.Name}
	if _, err := desk.Rollback(t.Context(), key, admin, "too many"); err != nil || !has(l, 3)() {
		t.Errorf("rolled back to %d, %v", settings.MaxLinks.Get(l.Now(), ""), err)
	}
	log, err := desk.History(t.Context(), postil.ConfigSetting, key.Name, 0, 10)
	if err != nil || len(log) != 3 {
		t.Fatalf("history %+v, %v", log, err)
	}
	if v := log[0]; string(v.Before) != "4" || string(v.After) != "3" || v.Undoes != log[1].Revision || v.Reason != "too many" || v.By.Name != "Ann" {
		t.Errorf("the rollback is told as %+v", v)
	}
	events, err := s.PendingEvents(t.Context(), 0, 10)
	if err != nil || len(events) != 3 || events[0].Kind != postil.ConfigChanged || events[0].Setting != key.Name {
		t.Errorf("events %+v, %v", events, err)
	}
	again := settings.New(quiet, s, settings.Options{})
	if err := again.Load(t.Context()); err != nil || !has(again, 3)() {
		t.Errorf("after a restart: %d, %v", settings.MaxLinks.Get(again.Now(), ""), err)
	}
	if _, err := desk.Rollback(t.Context(), postil.SettingKey{Kind: postil.ConfigSetting, Name: "limits.text"}, admin, ""); postil.KindOf(err) != postil.NotFound {
		t.Errorf("nothing to take back: %v", err)
	}
	if _, err := l.Set(t.Context(), postil.SettingChange{SettingKey: postil.SettingKey{Kind: postil.ConfigSetting, Name: "limits.text", Site: "nowhere"}, Value: json.RawMessage("7")}); postil.KindOf(err) != postil.NotFound {
		t.Errorf("a site that does not exist: %v", err)
	}
}
