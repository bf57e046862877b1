//go:build strace

package store

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// kill -9 does not notice a missing fsync, since the kernel still has the
// pages. Here the kernel itself tells what the writer asked it to do: strace
// watches this binary, which is started again as a program that writes and
// says "ack" on its standard output after each acknowledgement.

const (
	helperPath = "POSTIL_TEST_SYNC_PATH"
	helperMode = "POSTIL_TEST_SYNC_MODE" // FULL or OFF
	rounds     = 20
	together64 = 64
)

func init() { helper = writeAndAck }

func writeAndAck() (code int, taken bool) {
	path := os.Getenv(helperPath)
	if path == "" {
		return 0, false
	}
	if err := ackRounds(path, os.Getenv(helperMode)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1, true
	}
	return 0, true
}

func ackRounds(path, mode string) error {
	s, err := Open(ctx, quiet, path, Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	if mode == "OFF" {
		if _, err := s.writer.Exec("PRAGMA synchronous = OFF"); err != nil {
			return err
		}
	}
	errs := make(chan error, together64)
	for i := range together64 { // they wait for the writer, so they are one batch
		go func() { errs <- s.Write(ctx, set(fmt.Sprint("group ", i))) }()
	}
	for len(s.jobs) < together64 {
		runtime.Gosched()
	}
	os.Stdout.WriteString("begin\n")
	running, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- s.Run(running) }()
	for range together64 {
		if err := <-errs; err != nil {
			return err
		}
	}
	os.Stdout.WriteString("ack group\n")
	for i := range rounds {
		var all sync.WaitGroup
		for j := range 1 + i%4 {
			all.Go(func() {
				if err := s.Write(ctx, set(fmt.Sprint("round ", i, " ", j))); err != nil {
					errs <- err
				}
			})
		}
		all.Wait()
		os.Stdout.WriteString("ack round\n")
	}
	stop()
	select {
	case err := <-errs:
		return err
	default:
		return <-done
	}
}

// trace runs the program under strace and returns what it asked the kernel.
func trace(t *testing.T, mode string) []string {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Fatal("strace is not installed, and without it nobody can tell whether the writer syncs. Install the package “strace” (apt-get install strace) and run the test again.")
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "trace")
	cmd := exec.Command(strace, "-f", "-y", "-s", "16", "-e", "trace=write,pwrite64,pwritev,fsync,fdatasync", "-o", out, os.Args[0])
	cmd.Env = append(os.Environ(), helperPath+"="+filepath.Join(dir, "postil.db"), helperMode+"="+mode)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("the traced program failed: %v\n%s", err, said.String())
	}
	file, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var lines []string
	for scan := bufio.NewScanner(file); scan.Scan(); {
		lines = append(lines, scan.Text())
	}
	return lines
}

// verdict is what a trace says about acknowledgements.
type verdict struct {
	acks, early int // acknowledgements, and those given before the sync
	groupSyncs  int // syncs for the one batch of 64
}

var (
	writesLog = regexp.MustCompile(`\b(write|pwrite64|pwritev)\(\d+<[^>]*\.db-wal>`)
	syncsLog  = regexp.MustCompile(`\b(fsync|fdatasync)\(\d+<[^>]*\.db-wal>`)
	resumed   = regexp.MustCompile(`<\.\.\. (fsync|fdatasync) resumed>.*= 0`)
)

// judge follows the write-ahead log: at each acknowledgement something must
// have been written since the last one, and all of it must have been synced.
// A sync counts from its end.
func judge(lines []string) (v verdict) {
	written, dirty, syncing, begun := false, false, map[string]bool{}, false
	synced := func() {
		dirty = false
		if begun && v.acks == 0 {
			v.groupSyncs++
		}
	}
	for _, l := range lines {
		thread, _, _ := strings.Cut(l, " ")
		switch {
		case strings.Contains(l, `"begin`):
			begun = true
		case strings.Contains(l, `"ack `):
			v.acks++
			if dirty || !written {
				v.early++
			}
			written = false
		case writesLog.MatchString(l):
			written, dirty = true, true
		case syncsLog.MatchString(l) && strings.Contains(l, "unfinished"):
			syncing[thread] = true
		case syncsLog.MatchString(l) && strings.HasSuffix(l, "= 0"):
			synced()
		case syncing[thread] && resumed.MatchString(l):
			delete(syncing, thread)
			synced()
		}
	}
	return v
}

func TestNothingIsAcknowledgedBeforeItIsOnDisk(t *testing.T) {
	v := judge(trace(t, "FULL"))
	if v.acks != rounds+1 {
		t.Fatalf("the trace shows %d acknowledgements of %d", v.acks, rounds+1)
	}
	if v.early > 0 {
		t.Errorf("%d of %d acknowledgements were given before the sync", v.early, v.acks)
	}
	if v.groupSyncs < 1 || v.groupSyncs > 2 { // the log's first header is synced on its own
		t.Errorf("%d functions that waited together took %d syncs, not one", together64, v.groupSyncs)
	}
	t.Logf("%d acknowledgements, each after its sync; %d functions shared %d", v.acks, together64, v.groupSyncs)
}

// The proof proves something: without syncs the same test fails.
func TestTheProofNoticesAMissingSync(t *testing.T) {
	if v := judge(trace(t, "OFF")); v.acks != rounds+1 || v.early != v.acks {
		t.Errorf("with synchronous=OFF %d of %d acknowledgements look early; the proof is blind", v.early, v.acks)
	}
}
