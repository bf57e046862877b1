package queue

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// board is what a watcher of a table sees.
type board struct {
	mu     sync.Mutex
	begins int
	values map[string]string
}

func (b *board) begin(_ context.Context, all map[string][]byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.begins++
	b.values = map[string]string{}
	for k, v := range all {
		b.values[k] = string(v)
	}
}

func (b *board) told(key string, value []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.values[key] = string(value)
}

func (b *board) shows(key, value string) func() bool {
	return func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.values[key] == value
	}
}

func (b *board) began(n int) func() bool {
	return func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.begins >= n
	}
}

func never([]byte) bool { return false }

func TestATableIsSeenByEveryWatcherFromWhatIsInItOn(t *testing.T) {
	b := newBroker(t, Config{Dir: t.TempDir()})
	table := b.Table("SETTINGS")
	start(t, b)
	if err := table.Put(t.Context(), "config._.a", []byte("1"), never); err != nil {
		t.Fatal(err)
	}
	var one, two board
	run(t, table.Watch(one.begin, one.told))
	run(t, table.Watch(two.begin, two.told))
	for _, w := range []*board{&one, &two} {
		eventually(t, "a watcher sees what is there", w.shows("config._.a", "1"))
	}
	if err := table.Put(t.Context(), "config._.a", []byte("2"), never); err != nil {
		t.Fatal(err)
	}
	if err := table.Remove(t.Context(), "config._.none"); err != nil {
		t.Fatal(err)
	}
	for _, w := range []*board{&one, &two} {
		eventually(t, "a watcher sees the change", w.shows("config._.a", "2"))
	}
}

func TestNothingInATableIsOverwrittenByWhatIsOlder(t *testing.T) {
	b := newBroker(t, Config{Dir: t.TempDir()})
	table := b.Table("SETTINGS")
	start(t, b)
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			err := table.Put(t.Context(), "k", []byte(strconv.Itoa(n)), func(present []byte) bool {
				have, err := strconv.Atoi(string(present))
				return err == nil && have >= n
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	var seen board
	run(t, table.Watch(seen.begin, seen.told))
	eventually(t, "the newest value is there", seen.shows("k", "19"))
}

func TestAWatchBeginsAgainWhenTheBrokersDirectoryWasDeleted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "nats")
	b := newBroker(t, Config{Dir: dir})
	table := b.Table("SETTINGS")
	start(t, b)
	if err := table.Put(t.Context(), "k", []byte("old"), never); err != nil {
		t.Fatal(err)
	}
	var seen board
	fill := func(ctx context.Context, all map[string][]byte) {
		if len(all) == 0 {
			if err := table.Put(ctx, "k", []byte("again"), never); err != nil {
				t.Error(err)
			}
		}
		seen.begin(ctx, all)
	}
	run(t, table.Watch(fill, seen.told))
	eventually(t, "the watch begins", seen.shows("k", "old"))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it begins again", seen.began(2))
	eventually(t, "what it was filled with is seen", seen.shows("k", "again"))
}

func TestATableOfABrokerThatIsNotThereRefusesAtOnce(t *testing.T) {
	b := newBroker(t, Config{Dir: t.TempDir()})
	table := b.Table("SETTINGS")
	if err := table.Put(t.Context(), "k", nil, never); err == nil {
		t.Error("it was put")
	}
	if err := table.Remove(t.Context(), "k"); err == nil {
		t.Error("it was removed")
	}
}
