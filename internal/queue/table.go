package queue

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

// tableTries is how often a value is put again when another node was faster.
const tableTries = 20

// Table is a small table at the broker (a JetStream key-value bucket) whose
// changes every node sees at once. It holds no truth: it may be lost with the
// broker, and whoever fills it fills it again when a watch begins.
type Table struct {
	b    *Broker
	name string
}

var tableName = regexp.MustCompile(`^[A-Z]{1,32}$`)

// Table declares a table by its name, of A–Z. Declare before Start.
func (b *Broker) Table(name string) *Table {
	b.mu.Lock()
	defer b.mu.Unlock()
	if tableName.MatchString(name) && !slices.Contains(b.tables, name) {
		b.tables = append(b.tables, name)
	}
	return &Table{b, name}
}

// config says what the table looks like at the broker. It has no bound of its
// own: who fills it bounds what is in it.
func (t *Table) config() jetstream.KeyValueConfig {
	return jetstream.KeyValueConfig{Bucket: t.name, History: 1, Storage: jetstream.FileStorage, Replicas: t.b.cfg.Replicas}
}

// declaredTables returns the tables so far.
func (b *Broker) declaredTables() (tables []*Table) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, name := range b.tables {
		tables = append(tables, &Table{b, name})
	}
	return tables
}

func ensureTable(ctx context.Context, js jetstream.JetStream, cfg jetstream.KeyValueConfig) error {
	_, err := js.KeyValue(ctx, cfg.Bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		_, err = js.CreateOrUpdateKeyValue(ctx, cfg)
	}
	return err
}

// bucket returns the table in the present session.
func (t *Table) bucket(ctx context.Context) (jetstream.KeyValue, *session, error) {
	s, err := t.b.current()
	if err != nil {
		return nil, nil, err
	}
	kv, err := s.js.KeyValue(ctx, t.name)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		t.b.doubt(s, err)
	}
	return kv, s, err
}

// Put stores a value, unless stay, which sees the present one, wants that to
// stay. Nothing that another node puts meanwhile is overwritten unseen. It
// fails at once while there is no broker.
func (t *Table) Put(ctx context.Context, key string, value []byte, stay func(present []byte) bool) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	kv, _, err := t.bucket(ctx)
	if err != nil {
		return err
	}
	for range tableTries {
		have, err := kv.Get(ctx, key)
		switch {
		case errors.Is(err, jetstream.ErrKeyNotFound):
			_, err = kv.Create(ctx, key, value)
		case err != nil:
			return err
		case stay(have.Value()):
			return nil
		default:
			_, err = kv.Update(ctx, key, value, have.Revision())
		}
		if err == nil || !errors.Is(err, jetstream.ErrKeyExists) {
			return err
		}
	}
	return fmt.Errorf("queue: the value %q of the table %s changed %d times while it was put", key, t.name, tableTries)
}

// Remove deletes a value. One that is not there is no error.
func (t *Table) Remove(ctx context.Context, key string) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	kv, _, err := t.bucket(ctx)
	if err != nil {
		return err
	}
	return kv.Purge(ctx, key)
}

// Watch returns a task that calls begin with everything in the table whenever a
// watch begins, which is at the start and after each loss of the broker, and
// told with each value that is put from then on. The two are called one at a
// time; begin may put and remove.
func (t *Table) Watch(begin func(ctx context.Context, all map[string][]byte), told func(key string, value []byte)) Task {
	return func(ctx context.Context) error {
		for ctx.Err() == nil {
			s, err := t.b.await(ctx)
			if err != nil {
				return nil
			}
			if err := t.watch(ctx, s, begin, told); err != nil && ctx.Err() == nil {
				t.b.lg.Debug("the watch of a table begins again", "table", t.name, "error", err)
				rest(ctx, pause)
			}
		}
		return nil
	}
}

func (t *Table) watch(ctx context.Context, s *session, begin func(context.Context, map[string][]byte), told func(string, []byte)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	kv, err := s.js.KeyValue(ctx, t.name)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		t.b.doubt(s, err)
	}
	if err != nil {
		return err
	}
	w, err := kv.WatchAll(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = w.Stop() }() // the session may be over
	all := map[string][]byte{}
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, open := <-w.Updates():
			switch {
			case !open:
				return errors.New("the watch ended")
			case e == nil: // everything that was there has come
				begin(ctx, all)
				all = nil
			case e.Operation() != jetstream.KeyValuePut:
			case all != nil:
				all[e.Key()] = e.Value()
			default:
				told(e.Key(), e.Value())
			}
		}
	}
}
