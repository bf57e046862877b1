package apptest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/postil/postil/internal/apptest"
)

// run runs a command that must succeed and returns what it printed.
func run(t *testing.T, p *apptest.Process, more []string, args ...string) string {
	t.Helper()
	code, out, said := p.Command(t, more, args...)
	if code != 0 {
		t.Fatalf("postil %v ended with %d: %s%s", args, code, out, said)
	}
	return out
}

// everything is what a service knows, as far as it can be asked for.
func everything(t *testing.T, p *apptest.Process) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, path := range []string{"comments?limit=200", "comments/1", "comments/2", "comments/3", "posts?site=blog", "sites", "keys", "moderators", "qlog", "views?by=day"} {
		all[path] = string(p.Admin(t, "GET", path, nil).Body)
	}
	for _, path := range []string{"comments?post=/post", "counts?post=/post", "feed.atom"} {
		a, err := p.Do(t.Context(), "GET", "/api/v1/sites/blog/"+path, nil)
		if err != nil || a.Status != 200 {
			t.Fatalf("%s: %d, %v", path, a.Status, err)
		}
		all[path] = string(a.Body)
	}
	return all
}

func TestBKP_01_ABackupOfARunningServerRestoresEverythingElsewhere(t *testing.T) {
	t.Parallel()
	old := apptest.RunBinary(t, apptest.Options{})
	first := old.Post(t, apptest.Draft{Text: "The first one 🐘."})
	old.AwaitAsked(t, time.Minute, first.Comment.ID)
	old.Decide(t, first.Comment.ID, "approve")
	reply := old.Post(t, apptest.Draft{Text: "A reply.", Parent: first.Comment.ID, Name: "Ben"})
	old.AwaitAsked(t, time.Minute, reply.Comment.ID)
	old.Decide(t, reply.Comment.ID, "approve")
	waiting := old.Post(t, apptest.Draft{Text: "One that waits.", Name: "Cy"})
	old.AwaitAsked(t, time.Minute, waiting.Comment.ID)
	key := strings.TrimSpace(run(t, old, nil, "key", "create", "--role", "moderator", "--name", "before"))
	want := everything(t, old)

	file := filepath.Join(t.TempDir(), "backup.db")
	if said := run(t, old, nil, "backup", file); !strings.Contains(said, "3 comments") || !strings.Contains(said, "secret") {
		t.Errorf("backup says %s", said)
	}
	if said := run(t, old, nil, "backup", "verify", file); !strings.Contains(said, "is good") {
		t.Errorf("verify says %s", said)
	}
	if code, _, said := old.Command(t, nil, "backup", file); code != 2 || !strings.Contains(said, "never overwrites") {
		t.Errorf("over a backup: %d, %s", code, said)
	}
	if code, _, said := old.Command(t, nil, "restore", file); code != 1 || !strings.Contains(said, fmt.Sprint(old.PID())) {
		t.Errorf("BKP-02: restoring under the server: %d, %s", code, said)
	}
	old.Kill(t)

	elsewhere := apptest.Prepare(t, apptest.Options{})
	for name, content := range map[string]string{"postil.db-wal": "of another generation", "postil.db-shm": "and its index"} {
		if err := os.WriteFile(filepath.Join(elsewhere.Data, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if said := run(t, elsewhere, nil, "restore", file); !strings.Contains(said, "Restored and verified") || !strings.Contains(said, "secret") {
		t.Errorf("restore says %s", said)
	}
	elsewhere.Start(t)
	for what, was := range want {
		if is := everything(t, elsewhere)[what]; strings.ReplaceAll(is, elsewhere.URL, old.URL) != was {
			t.Errorf("%s was\n%s, and is\n%s", what, was, is)
		}
	}
	ctx := t.Context()
	if a, err := elsewhere.Do(ctx, "PATCH", "/api/v1/sites/blog/comments/"+waiting.Comment.ID, map[string]any{"text": "Changed by its author."}, "Authorization", "Bearer "+waiting.EditKey); err != nil || a.Status != 200 {
		t.Errorf("the edit key of before: %d %s, %v", a.Status, a.Body, err)
	}
	if a, err := elsewhere.Do(ctx, "GET", "/api/v1/admin/comments", nil, "Authorization", "Bearer "+key); err != nil || a.Status != 200 {
		t.Errorf("the API key of before: %d, %v", a.Status, err)
	}
	fresh := elsewhere.Post(t, apptest.Draft{Text: "And on it goes.", Name: "Di"})
	elsewhere.AwaitAsked(t, 2*time.Minute, fresh.Comment.ID)
}

func TestARestoreBringsBackWhatWasLostAndKeepsWhatWasThere(t *testing.T) {
	t.Parallel()
	p := apptest.RunBinary(t, apptest.Options{})
	kept := p.Post(t, apptest.Draft{Text: "Kept."})
	file := filepath.Join(t.TempDir(), "backup.db")
	run(t, p, nil, "backup", "--without-secret", file)
	late := p.Post(t, apptest.Draft{Text: "Too late for the backup.", Name: "Ben"})
	p.Kill(t) // what was said last stands in the log beside the file
	said := run(t, p, nil, "restore", file)
	p.Start(t)
	if p.Detail(t, kept.Comment.ID).Text != "Kept." {
		t.Error("the comment is not there")
	}
	if a := p.Admin(t, "GET", "comments/"+late.Comment.ID, nil); a.Status != 404 {
		t.Errorf("a comment from after the backup is there: %d", a.Status)
	}
	aside, err := filepath.Glob(filepath.Join(p.Data, "replaced-*"))
	if err != nil || len(aside) != 1 || !strings.Contains(said, aside[0]) {
		t.Fatalf("what was there before: %v, %v; it said %s", aside, err, said)
	}
	p.Kill(t)
	back := apptest.RunBinary(t, apptest.Options{}, "POSTIL_DATA="+aside[0])
	if back.Detail(t, late.Comment.ID).Text != "Too late for the backup." {
		t.Error("what was replaced does not have the last comment")
	}
}

func TestABackupIsMadeWithoutAServerToo(t *testing.T) {
	t.Parallel()
	p := apptest.RunBinary(t, apptest.Options{})
	p.Post(t, apptest.Draft{Text: "Said before the power cut."})
	p.Kill(t)
	file := filepath.Join(t.TempDir(), "backup.db")
	if said := run(t, p, nil, "backup", file); !strings.Contains(said, "1 comments") {
		t.Errorf("it says %s", said)
	}
	for _, wrong := range []string{filepath.Join(t.TempDir(), "no", "directory.db"), "/proc/backup.db"} {
		if code, _, said := p.Command(t, nil, "backup", wrong); code != 1 || !strings.Contains(said, "no backup was made") {
			t.Errorf("%s: %d, %s", wrong, code, said)
		}
	}
	if err := os.WriteFile(file, []byte("not what it was"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"backup", "verify", file}, {"restore", file}} {
		if code, _, said := p.Command(t, nil, args...); code != 1 || !strings.Contains(said, file) {
			t.Errorf("%v of a broken file: %d, %s", args, code, said)
		}
	}
	p.Start(t) // and nothing was touched
	if p.Detail(t, "1").Text != "Said before the power cut." {
		t.Error("a refused restore changed something")
	}
}

func TestABackupOverTheNetworkNeedsAnAdminOfAllSitesAndLeavesTheSecretOut(t *testing.T) {
	t.Parallel()
	p := apptest.RunBinary(t, apptest.Options{})
	p.Post(t, apptest.Draft{Text: "Far away."})
	remote := []string{"--server", p.Base, "--key"}
	file := filepath.Join(t.TempDir(), "backup.db")
	if said := run(t, p, nil, append([]string{"backup", file}, append(remote, apptest.AdminKey)...)...); !strings.Contains(said, "is not in it") {
		t.Errorf("it says %s", said)
	}
	for _, args := range [][]string{{"--role", "moderator"}, {"--role", "admin", "--site", "blog"}} {
		weak := strings.TrimSpace(run(t, p, nil, append([]string{"key", "create"}, args...)...))
		to := filepath.Join(t.TempDir(), "backup.db")
		if code, _, said := p.Command(t, nil, append([]string{"backup", to}, append(remote, weak)...)...); code != 1 || !strings.Contains(said, "needs a key") {
			t.Errorf("%v: %d, %s", args, code, said)
		}
		if left, _ := filepath.Glob(to + "*"); len(left) > 0 {
			t.Errorf("%v left %v", args, left)
		}
	}
}
