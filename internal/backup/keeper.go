package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Make writes a verified backup to a new file, or leaves nothing.
type Make func(ctx context.Context, path string) error

// Options of a Keeper.
type Options struct {
	Dir   string           // where backups are kept; "": none are made
	Since time.Time        // when there was something to lose for the first time
	Now   func() time.Time // default: the system's clock
}

// Keeper makes a backup each night and forgets the old ones.
type Keeper struct {
	lg   *slog.Logger
	opt  Options
	make Make

	mu      sync.Mutex
	last    time.Time // of the last good one
	tried   time.Time
	problem error // of the last try, nil when it succeeded
}

const (
	night    = 3                // o'clock, in the machine's time zone
	retry    = time.Hour        // after a failure
	tooOld   = 49 * time.Hour   // two nights were missed
	lookEach = time.Minute      // whether it is time
	longest  = 30 * time.Minute // that making one may take
)

// NewKeeper returns a keeper of backups. It reads from the directory which was
// the last good one.
func NewKeeper(lg *slog.Logger, opt Options, m Make) *Keeper {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	k := &Keeper{lg: lg, opt: opt, make: m}
	if kept := list(opt.Dir); len(kept) > 0 {
		k.last = kept[0].at
	}
	return k
}

// Run looks every minute whether a backup is due, until ctx ends.
func (k *Keeper) Run(ctx context.Context) error {
	if k.opt.Dir == "" {
		return nil
	}
	if err := k.try(); err != nil { // said now, and not in the night
		k.lg.Warn("no backup can be made", "dir", k.opt.Dir, "err", err)
	}
	look := time.NewTicker(lookEach)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
			k.look(ctx)
		}
	}
}

// try notes whether backups can be written.
func (k *Keeper) try() error {
	err := Writable(k.opt.Dir)
	k.mu.Lock()
	k.problem = err
	k.mu.Unlock()
	return err
}

// look makes a backup when one is due.
func (k *Keeper) look(ctx context.Context) {
	now := k.opt.Now()
	if !k.due(now) {
		if k.tried.IsZero() && k.Status() != nil {
			_ = k.try() // somebody may have mended what was wrong at the start
		}
		return
	}
	err := k.once(ctx, now)
	if err != nil && ctx.Err() != nil {
		return // the service stops; the next start makes up for it
	}
	k.mu.Lock()
	k.tried, k.problem = now, err
	if err == nil {
		k.last = now
	}
	k.mu.Unlock()
	if err != nil {
		k.lg.Warn("no backup could be made; it is tried again in an hour", "dir", k.opt.Dir, "err", err)
		return
	}
	k.lg.Info("a backup was made and verified", "dir", k.opt.Dir)
	if err := rotate(k.opt.Dir); err != nil {
		k.lg.Warn("old backups cannot be removed", "dir", k.opt.Dir, "err", err)
	}
}

func (k *Keeper) due(now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.problem != nil && now.Sub(k.tried) < retry {
		return false
	}
	last := k.last
	if last.IsZero() {
		last = k.opt.Since
	}
	return !now.Before(nextNight(last))
}

// nextNight is when the backup after one of the given moment is due.
func nextNight(after time.Time) time.Time {
	t := time.Date(after.Year(), after.Month(), after.Day(), night, 0, 0, 0, after.Location())
	if !t.After(after) {
		t = time.Date(after.Year(), after.Month(), after.Day()+1, night, 0, 0, 0, after.Location())
	}
	return t
}

func (k *Keeper) once(ctx context.Context, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	if err := Writable(k.opt.Dir); err != nil {
		return err
	}
	half, _ := filepath.Glob(filepath.Join(k.opt.Dir, "*.partial")) // of a process that was killed
	for _, path := range half {
		os.Remove(path)
	}
	return k.make(ctx, filepath.Join(k.opt.Dir, nameAt(now)))
}

// Writable makes the directory of backups if it is not there, and tells why
// nothing can be written into it.
func Writable(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".try-*.partial")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Last returns when the last good backup was made, the zero time for never.
func (k *Keeper) Last() time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.last
}

// Status says what is wrong with the backups, nil for nothing.
func (k *Keeper) Status() error {
	if k.opt.Dir == "" {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	switch since := k.opt.Since; {
	case k.problem != nil && errors.Is(k.problem, fs.ErrPermission):
		return fmt.Errorf("backups cannot be written to %s; make it writable for the user that runs Postil", k.opt.Dir)
	case k.problem != nil:
		return fmt.Errorf("the last backup could not be made; the log says why, and a good one is %s", ageOf(k.last))
	case !k.last.IsZero() && k.opt.Now().Sub(k.last) > tooOld:
		return fmt.Errorf("the last good backup is %s", ageOf(k.last))
	case k.last.IsZero() && k.opt.Now().Sub(since) > tooOld:
		return errors.New("there is no backup yet")
	}
	return nil
}

func ageOf(last time.Time) string {
	if last.IsZero() {
		return "not there"
	}
	return "from " + last.UTC().Format("2006-01-02 15:04") + " UTC"
}
