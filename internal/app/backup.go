package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/postil/postil/internal/backup"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/store"
	"github.com/postil/postil/internal/token"
)

type backupCommands struct {
	Make struct {
		File          string `arg:"" help:"The file to make; it must not exist."`
		WithoutSecret bool   `help:"Leave the secret of the installation out."`
	} `cmd:"" default:"withargs" help:"Make a verified backup, also while the server runs."`
	Verify struct {
		File string `arg:""`
	} `cmd:"" help:"Read a backup whole and say whether it is good."`
}

// buildBackups makes the task that makes a backup each night.
func (a *App) buildBackups(ctx context.Context) error {
	dir, nightly := a.cfg.backups()
	if !nightly {
		dir = ""
	}
	sites, err := a.store.Sites(ctx)
	if err != nil {
		return err
	}
	since := time.Now()
	if len(sites) > 0 && sites[0].Created.Before(since) {
		since = sites[0].Created.Local()
	}
	a.backups = backup.NewKeeper(a.lg, backup.Options{Dir: dir, Since: since}, func(ctx context.Context, path string) error {
		_, err := store.Backup(ctx, a.database(), path, a.cfg.manifest(true))
		a.noticed.backup(ctx, filepath.Base(path), err)
		return err
	})
	a.tasks = append(a.tasks, namedTask{"backups", a.backups.Run})
	return nil
}

func (a *App) database() string { return filepath.Join(a.cfg.Data, backup.Database) }

// manifest is what a backup that is made now says of itself. The secret is in
// it when it is kept in the data directory and not given from outside.
func (c *Config) manifest(withSecret bool) store.Manifest {
	v, _ := version()
	m := store.Manifest{Made: time.Now().UTC(), Program: v}
	secret, kept := c.knownSecret()
	if !secret.IsZero() {
		m.Mark = token.NewKeys(secret).Mark()
	}
	if withSecret && kept {
		m.Secret = secret.Reveal()
	}
	return m
}

// knownSecret returns the secret without making one; kept tells that it stands
// in the data directory.
func (c *Config) knownSecret() (secret token.Secret, kept bool) {
	if !c.Secret.IsZero() {
		return c.Secret, false
	}
	path := filepath.Join(c.Data, backup.Secret)
	if _, err := os.Stat(path); err != nil {
		return token.Secret{}, false
	}
	secret, err := token.LoadSecret(path)
	return secret, err == nil
}

// backupsFor makes backups for those who ask over HTTP.
type backupsFor struct{ a *App }

// Backup makes a backup in a file of its own, which done removes.
func (b backupsFor) Backup(ctx context.Context, by postil.By, withSecret bool) (path string, done func(), err error) {
	dir, err := os.MkdirTemp(b.a.cfg.Data, "backup-*")
	if err != nil {
		return "", nil, err
	}
	done = func() { os.RemoveAll(dir) }
	path = filepath.Join(dir, "backup.db")
	_, err = store.Backup(ctx, b.a.database(), path, b.a.cfg.manifest(withSecret))
	b.a.noticed.backup(ctx, "asked for by "+string(by.Channel), err)
	if err == nil {
		err = b.a.store.Record(ctx, by, "backup.make", "installation")
	}
	if err != nil {
		done()
	}
	return path, done, err
}

// runBackup asks the server for a backup or, when none runs, makes it here.
func runBackup(ctx context.Context, c *commands, p Process) error {
	to := c.Backup.Make.File
	if _, err := os.Stat(to); err == nil {
		return &usageError{fmt.Errorf("%s exists already; a backup never overwrites a file. Choose another name", to)}
	}
	m, err := backupTo(ctx, c, to)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "%s holds %s, and was verified.\n", to, contents(m))
	switch {
	case m.Secret != "":
		fmt.Fprintln(p.Stdout, "The secret of the installation is in it: keep the file as you would keep a password.")
	default:
		fmt.Fprintln(p.Stdout, "The secret of the installation is not in it: keep that too, or edit keys and sign-in links stop working after a restore.")
	}
	return nil
}

func backupTo(ctx context.Context, c *commands, to string) (m store.Manifest, err error) {
	if cl, ok := reach(ctx, c); ok {
		path := "backups"
		if c.Backup.Make.WithoutSecret {
			path += "?secret=no"
		}
		return cl.fetch(ctx, path, to)
	}
	lock, err := lockData(c.Data)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	return store.Backup(ctx, filepath.Join(c.Data, backup.Database), to, c.Config.manifest(!c.Backup.Make.WithoutSecret))
}

// fetch downloads a backup and verifies what arrived.
func (cl *client) fetch(ctx context.Context, path, to string) (m store.Manifest, err error) {
	r, err := cl.request(ctx, "POST", path, nil)
	if err != nil {
		return m, err
	}
	res, err := cl.http.Do(r)
	if err != nil {
		return m, fmt.Errorf("the server cannot be reached: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		raw, _ := io.ReadAll(io.LimitReader(res.Body, 1<<16))
		return m, refusal(raw, res.StatusCode)
	}
	part := to + ".partial"
	os.Remove(part)
	if err = backup.Write(part, res.Body); err != nil {
		return m, fmt.Errorf("the backup did not arrive whole: %w", err)
	}
	if m, err = store.Verify(ctx, part); err == nil && !m.Sealed {
		err = errors.New("what arrived is no backup")
	}
	if err == nil {
		err = os.Rename(part, to)
	}
	if err != nil {
		os.Remove(part)
		return m, err
	}
	return m, backup.SyncDir(filepath.Dir(to))
}

// runVerify says whether a backup is good and what is in it.
func runVerify(ctx context.Context, c *commands, p Process) error {
	m, err := store.Verify(ctx, c.Backup.Verify.File)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "%s is good: %s.\n", c.Backup.Verify.File, contents(m))
	if !m.Sealed {
		fmt.Fprintln(p.Stdout, "It was not made by “postil backup”, so that nothing says whether a comment was changed since.")
	}
	return nil
}

// contents says in words what is in a backup.
func contents(m store.Manifest) string {
	words := []string{fmt.Sprintf("%s comments on %s posts of %s sites", postil.Thousands(int(m.Rows["comments"])),
		postil.Thousands(int(m.Rows["posts"])), postil.Thousands(int(m.Rows["sites"])))}
	if !m.Made.IsZero() {
		words = append(words, "as of "+m.Made.UTC().Format("2006-01-02 15:04:05")+" UTC")
	}
	words = append(words, fmt.Sprintf("schema %d", m.Schema))
	return strings.Join(words, ", ")
}

// reach returns a client of the server that was named or runs on this data
// directory; ok is false when there is none.
func reach(ctx context.Context, c *commands) (cl *client, ok bool) {
	if c.Server != "" {
		return &client{http.DefaultClient, strings.TrimRight(c.Server, "/"), c.Key}, true
	}
	dial := dialLocal(c.Data)
	probe, err := dial(ctx, "", "")
	if err != nil {
		return nil, false
	}
	probe.Close()
	return &client{&http.Client{Transport: &http.Transport{DialContext: dial}}, "http://local", ""}, true
}

// runRestore puts a backup in the place of the database.
func runRestore(ctx context.Context, c *commands, p Process) (err error) {
	m, err := store.Recognise(ctx, c.Restore.File)
	if err != nil {
		return err
	}
	if err := c.Config.makeData(); err != nil {
		return &usageError{err}
	}
	lock, err := lockData(c.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	now := time.Now().UTC()
	fresh := filepath.Join(c.Data, "restoring.db")
	for _, half := range []string{fresh, fresh + "-journal"} { // of a try that was cut off
		if err := os.Remove(half); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	defer os.Remove(fresh)
	if err = backup.Copy(c.Restore.File, fresh); err == nil {
		err = store.Adopt(ctx, fresh, token.NewNonce(), m, now)
	}
	if err != nil {
		return fmt.Errorf("nothing was changed: %w", err)
	}
	aside := filepath.Join(c.Data, "replaced-"+now.Format("20060102T150405.000Z"))
	store.Settle(ctx, filepath.Join(c.Data, backup.Database))
	if err := backup.Place(c.Data, fresh, aside); err != nil {
		return err
	}
	said, err := c.Config.restoreSecret(m, aside)
	if err != nil {
		return err
	}
	if err := backup.GiveToOwner(c.Data); err != nil {
		return fmt.Errorf("the restored files cannot be given to the owner of %s: %w", c.Data, err)
	}
	return c.restored(ctx, p, m, aside, said)
}

// restored looks once more at what is there now, and says it.
func (c *commands) restored(ctx context.Context, p Process, m store.Manifest, aside, said string) error {
	rows, err := store.Rows(ctx, filepath.Join(c.Data, backup.Database))
	if err != nil {
		return err
	}
	if rows["comments"] != m.Rows["comments"] {
		return fmt.Errorf("the restored database has %d comments instead of %d; what was there before is in %s", rows["comments"], m.Rows["comments"], aside)
	}
	fmt.Fprintf(p.Stdout, "Restored and verified: %s.\n", contents(m))
	if os.Remove(aside) != nil { // it holds something
		fmt.Fprintf(p.Stdout, "What was there before is in %s; delete it when all is well.\n", aside)
	}
	if said != "" {
		fmt.Fprintln(p.Stdout, said)
	}
	return nil
}

// restoreSecret puts the secret of the backup into the data directory, or says
// what its absence means.
func (c *Config) restoreSecret(m store.Manifest, aside string) (said string, err error) {
	have, kept := c.knownSecret()
	same := !have.IsZero() && token.NewKeys(have).Mark() == m.Mark
	switch {
	case same || m.Mark == "":
		return "", nil
	case m.Secret == "" && have.IsZero():
		return "The secret of the installation was not in the backup, and there is none here: put the old one into " + filepath.Join(c.Data, backup.Secret) + ", or edit keys and sign-in links given out before stop working.", nil
	case m.Secret == "":
		return "The backup was made with another secret than the one here, and it is not in it: edit keys and sign-in links given out before do not work until the old one is back.", nil
	case !kept && !have.IsZero():
		return "POSTIL_SECRET is another secret than the one of the backup and was left as it is: edit keys and sign-in links given out before do not work with it.", nil
	}
	if err := backup.Aside(c.Data, backup.Secret, aside); err != nil {
		return "", err
	}
	if err := backup.Write(filepath.Join(c.Data, backup.Secret), strings.NewReader(m.Secret+"\n")); err != nil {
		return "", err
	}
	return "The secret of the backup is in its place.", backup.SyncDir(c.Data)
}
