package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"
)

// What the machine must have: room for a day of comments and for a backup, and
// a disk that can acknowledge a comment while its writer waits.
const (
	littleSpace = 1 << 30
	noSpace     = 100 << 20
	slowSync    = 100 * time.Millisecond
)

func settings(_ context.Context, p *Patient) []Finding {
	err := p.Settings()
	if err == nil {
		return fine("settings", "The settings make sense.")
	}
	var all []Finding
	for line := range strings.Lines(err.Error()) {
		what, example, _ := strings.Cut(strings.TrimSpace(line), " Example: ")
		all = append(all, Finding{"settings", Broken, what, "The server does not start with it.", example})
	}
	return all
}

func directory(_ context.Context, p *Patient) []Finding {
	const check = "data-directory"
	info, err := os.Stat(p.Data)
	if errors.Is(err, fs.ErrNotExist) {
		return found(Warning, check, fmt.Sprintf("The data directory %s does not exist yet.", p.Data), "It is made at the first start, if this is the right name.", "POSTIL_DATA="+p.Data)
	}
	if err == nil && !info.IsDir() {
		err = errors.New("it is a file")
	}
	if err == nil {
		err = writable(p.Data)
	}
	if err != nil {
		return found(Broken, check, fmt.Sprintf("The data directory %s cannot be used: %v.", p.Data, err), "No comment can be stored.", "chown -R "+name()+" "+p.Data)
	}
	if mode := info.Mode().Perm(); mode&0o007 != 0 {
		return found(Warning, check, fmt.Sprintf("The data directory is open to everybody on this machine (mode %04o).", mode), "Comments that wait and mail addresses are in it.", "chmod 700 "+p.Data)
	}
	return fine(check, "The data directory %s can be written.", p.Data)
}

func name() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "postil"
}

func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString("postil doctor")
	return errors.Join(err, f.Sync(), f.Close())
}

func space(_ context.Context, p *Patient) []Finding {
	const check = "disk-space"
	free, err := FreeBytes(p.Data)
	switch {
	case err != nil:
		return unknown(check, "The free space cannot be read: %v.", err)
	case free < noSpace:
		return found(Broken, check, fmt.Sprintf("There are %d MiB free at %s.", free>>20, p.Data), "Comments are refused when the disk is full.", "POSTIL_BACKUP_DIR=/another/disk/postil-backups")
	case free < littleSpace:
		return found(Warning, check, fmt.Sprintf("There are %d MiB free at %s.", free>>20, p.Data), "A backup needs as much room as the database.", "POSTIL_BACKUP_DIR=/another/disk/postil-backups")
	}
	return fine(check, "There are %d GiB free.", free>>30)
}

// disk measures how long it takes to acknowledge something.
func disk(_ context.Context, p *Patient) []Finding {
	const check = "disk-speed"
	f, err := os.CreateTemp(p.Data, ".doctor-*")
	if err != nil {
		return unknown(check, "Nothing can be written to %s.", p.Data)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	best := time.Hour
	for range 5 {
		began := time.Now()
		if _, err := f.WriteString("postil doctor"); err != nil {
			return unknown(check, "Nothing can be written to %s: %v.", p.Data, err)
		}
		if err := f.Sync(); err != nil {
			return found(Broken, check, fmt.Sprintf("The disk does not confirm what is written: %v.", err), "Nobody can promise that a comment survives a power cut.", "POSTIL_DATA=/a/local/disk/postil")
		}
		best = min(best, time.Since(began))
	}
	if best > slowSync {
		return found(Warning, check, fmt.Sprintf("The disk needs %v to confirm a write.", best.Round(time.Millisecond)), "Every commenter waits for that.", "POSTIL_DATA=/a/local/disk/postil")
	}
	return fine(check, "The disk confirms a write in %v.", best.Round(10*time.Microsecond))
}

func database(ctx context.Context, p *Patient) []Finding {
	const check = "database"
	path := filepath.Join(p.Data, "postil.db")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return unknown(check, "There is no database yet; the first start makes it.")
	}
	if err := p.Database(ctx); err != nil {
		return found(Broken, check, fmt.Sprintf("The database %s is not as it must be: %v.", path, err), "Comments may be lost or cannot be read.", "systemctl stop postil; postil restore "+filepath.Join(p.Data, "backups", "postil-….db"))
	}
	return fine(check, "The database is whole.")
}

func upgrades(ctx context.Context, p *Patient) []Finding {
	n, err := p.Upgrade(ctx)
	switch {
	case err != nil:
		return nil // database tells
	case n > 0:
		return found(Warning, "upgrade", fmt.Sprintf("The database is %d steps behind this program.", n), "The next start copies it and brings it up to date.", "postil migrate --check")
	}
	return nil
}

func backups(_ context.Context, p *Patient) []Finding {
	const check = "backups"
	if p.BackupDir == "" {
		return found(Warning, check, "No backup is made at night.", "Whoever loses the disk loses every comment.", "POSTIL_BACKUP_DIR="+filepath.Join(p.Data, "backups"))
	}
	if _, err := os.Stat(p.BackupDir); err == nil {
		if err := writable(p.BackupDir); err != nil {
			return found(Broken, check, fmt.Sprintf("No backup can be written to %s: %v.", p.BackupDir, err), "The service runs on, and has no backup.", "chown -R "+name()+" "+p.BackupDir)
		}
	}
	if err := p.Backups(); err != nil {
		return found(Warning, check, "About the backups: "+err.Error()+".", "What was said since then is lost with the disk.", "postil backup "+filepath.Join(p.BackupDir, "by-hand.db"))
	}
	return fine(check, "Backups are kept in %s.", p.BackupDir)
}

// listener tells whether the address is free, or taken by us.
func listener(ctx context.Context, p *Patient) []Finding {
	const check = "listen"
	if p.Running {
		host, port, _ := net.SplitHostPort(p.Listen)
		if host == "" || host == "0.0.0.0" || host == "::" {
			host = "127.0.0.1"
		}
		if err := p.isPostil(ctx, "http://"+net.JoinHostPort(host, port)+"/healthz"); err != nil {
			return found(Broken, check, fmt.Sprintf("A server runs on %s, and it does not answer on %s: %v.", p.Data, p.Listen, err), "It was started with another address than the one given here, or hangs.", "POSTIL_LISTEN="+p.Listen)
		}
		return fine(check, "The server answers on %s.", p.Listen)
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", p.Listen)
	if err != nil {
		return found(Broken, check, fmt.Sprintf("Nobody can listen on %s: %v.", p.Listen, err), "The server does not start.", "POSTIL_LISTEN=127.0.0.1:8081")
	}
	ln.Close()
	return found(Warning, check, "No server runs on this data directory.", "Proxy, streams and addresses cannot be looked at without one.", "systemctl start postil")
}

// service passes on what the running server says of itself.
func service(ctx context.Context, p *Patient) (all []Finding) {
	const check = "readyz"
	if !p.Running {
		return nil
	}
	parts, err := p.Ready(ctx)
	if err != nil {
		return found(Broken, check, fmt.Sprintf("The server does not say how it is: %v.", err), "It hangs, or is just starting.", "systemctl restart postil")
	}
	for part, says := range parts {
		if says != "ok" && says != "off" {
			all = append(all, Finding{check, Warning, fmt.Sprintf("The server says of its %s: %s.", part, says), "Comments are kept, and something waits.", "journalctl -u postil"})
		}
	}
	if len(all) == 0 {
		return fine(check, "The server says that it is well.")
	}
	return all
}
