package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/postil/postil/internal/backup"
	"github.com/postil/postil/internal/doctor"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/store"
	"github.com/postil/postil/internal/telegram"
)

// errIll ends the command with an exit code; the findings were printed.
var errIll = errors.New("something is broken; see above")

// runDoctor examines the installation that the settings describe.
func runDoctor(ctx context.Context, c *commands, p Process) error {
	c.Config = c.Config.withDefaults()
	all := doctor.Examine(ctx, c.patient(ctx))
	write := doctor.WriteText
	if c.Doctor.JSON {
		write = doctor.WriteJSON
	}
	if err := write(p.Stdout, all); err != nil {
		return err
	}
	if doctor.Count(all, doctor.Broken) > 0 {
		return errIll
	}
	return nil
}

// patient shows the doctor where everything is.
func (c *commands) patient(ctx context.Context) doctor.Patient {
	cfg := &c.Config
	path := filepath.Join(cfg.Data, backup.Database)
	dir, nightly := cfg.backups()
	if !nightly {
		dir = ""
	}
	cl, running := reach(ctx, c)
	p := doctor.Patient{
		URL: cfg.base(), Listen: cfg.Listen, Data: cfg.Data, BackupDir: dir, NATSURL: cfg.NATSURL, Header: cfg.ClientIPHeader, Page: c.Doctor.Page,
		Settings: cfg.Check, Running: running,
		Database: func(ctx context.Context) error { return store.Examine(ctx, path) },
		Upgrade: func(ctx context.Context) (int, error) {
			steps, err := store.Pending(ctx, path)
			return len(steps), err
		},
		Backups: func() error {
			if _, err := os.Stat(dir); err == nil { // the server makes it
				if err := backup.Writable(dir); err != nil {
					return fmt.Errorf("nothing can be written to %s (%w)", dir, err)
				}
			}
			return backup.NewKeeper(nil, backup.Options{Dir: dir, Since: time.Now()}, nil).Status()
		},
		Sites: func(ctx context.Context) ([]doctor.Site, error) { return sitesAt(ctx, path) },
		Ready: func(ctx context.Context) (map[string]string, error) { return cl.ready(ctx) },
		Probe: func(ctx context.Context) (string, error) { return cl.probe(ctx) },
	}
	if !cfg.TelegramToken.IsZero() {
		p.Telegram = cfg.examineBot
	}
	return p
}

func sitesAt(ctx context.Context, path string) (all []doctor.Site, err error) {
	known, err := store.SitesAt(ctx, path)
	for _, s := range known {
		all = append(all, doctor.Site{Key: string(s.ID), Origins: s.Origins})
	}
	return all, err
}

// runReady ends well when the server accepts comments, for health checks where
// there is no other program to ask with.
func runReady(ctx context.Context, c *commands, p Process) error {
	cl, ok := reach(ctx, c)
	if !ok {
		return &postil.Error{Kind: postil.Unavailable, Sentence: "No server runs on " + c.Data + "."}
	}
	r, err := http.NewRequestWithContext(ctx, "GET", cl.base+"/readyz", nil)
	if err != nil {
		return err
	}
	res, err := cl.http.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return &postil.Error{Kind: postil.Unavailable, Sentence: "The server does not accept comments at the moment."}
	}
	_, err = io.Copy(p.Stdout, res.Body)
	return err
}

// ready asks a running server how it is.
func (cl *client) ready(ctx context.Context) (map[string]string, error) {
	r, err := http.NewRequestWithContext(ctx, "GET", cl.base+"/readyz", nil)
	if err != nil {
		return nil, err
	}
	res, err := cl.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var said struct{ Checks map[string]string }
	return said.Checks, json.NewDecoder(res.Body).Decode(&said)
}

// probe asks a running server to say once how a request arrived.
func (cl *client) probe(ctx context.Context) (string, error) {
	raw, err := cl.do(ctx, "POST", "probes", nil)
	if err != nil {
		return "", err
	}
	var said struct{ Path string }
	return said.Path, json.Unmarshal(raw, &said)
}

// examineBot looks at the bot of the settings.
func (c *Config) examineBot(ctx context.Context) (all []doctor.Finding) {
	chats, err := c.Chats()
	if err != nil {
		return nil // the settings tell
	}
	cfg := telegram.Config{Token: c.TelegramToken, API: c.TelegramAPI, Mode: telegram.Mode(c.TelegramMode), WebhookURL: c.base() + "/hooks/telegram", WebhookSecret: c.TelegramToken}
	for _, rule := range chats {
		cfg.Chats = append(cfg.Chats, telegram.ChatRule{Chat: rule.Chat, Site: postil.SiteID(rule.Site)})
	}
	for _, o := range telegram.Examine(ctx, cfg) {
		f := doctor.Finding{Check: "telegram", State: doctor.Fine, What: o.What, Why: o.Why, Line: o.Line}
		if o.Line != "" {
			f.State = doctor.Broken
		}
		all = append(all, f)
	}
	return all
}
