package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// nights is a keeper in a directory of its own whose clock is set by hand.
type nights struct {
	*Keeper
	dir  string
	at   time.Time
	fail error
}

func newNights(t *testing.T) *nights {
	n := &nights{dir: filepath.Join(t.TempDir(), "backups"), at: time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)}
	n.again()
	return n
}

// again is what a start of the service does.
func (n *nights) again() {
	since := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	n.Keeper = NewKeeper(quiet, Options{Dir: n.dir, Since: since, Now: func() time.Time { return n.at }}, func(_ context.Context, path string) error {
		if n.fail != nil {
			return n.fail
		}
		return os.WriteFile(path, []byte("good"), 0o600)
	})
}

func (n *nights) pass(hours int) {
	for range hours {
		n.at = n.at.Add(time.Hour)
		n.look(context.Background())
	}
}

func (n *nights) names(t *testing.T) (names []string) {
	t.Helper()
	for _, b := range list(n.dir) {
		names = append(names, b.at.Format("01-02 15h"))
	}
	return names
}

func TestABackupIsMadeEachNightAndAMissedOneIsMadeUpFor(t *testing.T) {
	t.Parallel()
	n := newNights(t)
	n.pass(14)
	if got := n.names(t); len(got) != 0 {
		t.Fatalf("before the first night there is %v", got)
	}
	n.pass(34)
	if got := fmt.Sprint(n.names(t)); got != "[11-04 03h 11-03 03h]" {
		t.Fatalf("after two nights there is %s", got)
	}
	n.at = n.at.Add(30 * time.Hour) // the machine was off
	n.again()
	n.pass(1)
	if got := n.names(t)[0]; got != "11-05 19h" || n.Status() != nil {
		t.Errorf("after a missed night the last is of %s, %v", got, n.Status())
	}
	n.pass(9)
	if got := n.names(t)[0]; got != "11-06 03h" {
		t.Errorf("the night after that: %s", got)
	}
}

func TestSevenDaysAndFourWeeksAreKept(t *testing.T) {
	t.Parallel()
	n := newNights(t)
	foreign := filepath.Join(n.dir, "postil-of-mine.db")
	n.pass(48)
	if err := os.WriteFile(foreign, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	n.pass(24 * 58)
	got := strings.Join(n.names(t), ", ")
	want := "01-01 03h, 12-31 03h, 12-30 03h, 12-29 03h, 12-28 03h, 12-27 03h, 12-26 03h, 12-20 03h, 12-13 03h"
	if got != want {
		t.Errorf("there are\n%s, and should be\n%s", got, want)
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Errorf("a file of somebody else was removed: %v", err)
	}
}

func TestBKP_04_AFailureIsToldKeepsTheOldOnesAndIsTriedAgain(t *testing.T) {
	t.Parallel()
	n := newNights(t)
	n.pass(24)
	for problem, want := range map[error]string{fs.ErrPermission: "make it writable", errors.New("the disk is full"): "the log says why"} {
		n.fail = problem
		n.pass(24)
		if err := n.Status(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v is told as %v", problem, err)
		}
		if got := n.names(t); len(got) != 1 || n.Last().Day() != 3 {
			t.Errorf("the old ones: %v, the last good one: %v", got, n.Last())
		}
	}
	n.fail = nil
	n.pass(1)
	if err := n.Status(); err != nil || len(n.names(t)) != 2 {
		t.Errorf("after it is mended: %v, %v", err, n.names(t))
	}
}

func TestBackupsThatStoppedAreTold(t *testing.T) {
	t.Parallel()
	n := newNights(t)
	n.at = n.at.Add(50 * time.Hour)
	if err := n.Status(); err == nil {
		t.Error("no backup for two nights is fine")
	}
	n.pass(1)
	n.at = n.at.Add(50 * time.Hour)
	if err := n.Status(); err == nil || !strings.Contains(err.Error(), "2026-11-04") {
		t.Errorf("an old backup is told as %v", err)
	}
	if err := NewKeeper(quiet, Options{}, nil).Status(); err != nil {
		t.Errorf("turned off: %v", err)
	}
}

func TestTheTaskEndsWithItsContext(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"", t.TempDir()} {
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if err := NewKeeper(quiet, Options{Dir: dir}, nil).Run(ctx); err != nil {
			t.Error(err)
		}
	}
}
