package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/postil/postil/internal/exporter"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/store"
)

// whose names a person in one of three ways.
type whose struct {
	Email   string `placeholder:"ADDRESS" help:"The person with this mail address."`
	Author  string `placeholder:"ID" help:"The person whom moderators see under this id (device or account)."`
	EditKey string `placeholder:"KEY" help:"The person who holds this edit key of a comment."`
}

func (w whose) given() bool { return w.Email+w.Author+w.EditKey != "" }

func (w whose) body() map[string]any {
	return map[string]any{"email": w.Email, "author": w.Author, "edit_key": w.EditKey}
}

type exportCommand struct {
	Site          string `placeholder:"KEY" help:"The site to print, as JSON Lines."`
	WithAddresses bool   `help:"Mail addresses of commenters too."`
	Who           whose  `embed:""`
}

type eraseCommand struct {
	Who   whose `embed:""`
	Texts bool  `help:"What the person wrote too; without it the texts stay as those of a deleted user."`
}

// people is the store as the privacy routes see it.
type people struct{ *store.Store }

// Export writes a site in the native format.
func (p people) Export(ctx context.Context, w io.Writer, site postil.SiteID, addresses bool) error {
	_, err := exporter.Write(ctx, w, p.Store, site, exporter.Options{Addresses: addresses, Now: p.Now(ctx)})
	return err
}

// erase asks for the erasure of a person and says what was touched.
func (cl *client) erase(ctx context.Context, c *commands, out io.Writer) error {
	if !c.Erase.Who.given() {
		return &usageError{errors.New("say who is meant: --email, --author or --edit-key")}
	}
	body := c.Erase.Who.body()
	body["texts"] = c.Erase.Texts
	if err := cl.print(ctx, out, "POST", "people/erase", body); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "Backups made before keep what was erased until they are rotated away, after four weeks at the latest; delete them sooner if you must.")
	return err
}

// runExport prints a site or what is stored about a person.
func runExport(ctx context.Context, c *commands, p Process) error {
	switch e := c.Export; {
	case e.Who.given() && e.Site == "":
		return remote(ctx, c, p, "export")
	case e.Site == "" || e.Who.given():
		return &usageError{errors.New("say what to export: --site KEY, or a person by --email, --author or --edit-key")}
	}
	if cl, ok := reach(ctx, c); ok {
		return cl.export(ctx, c, p.Stdout)
	}
	return exportHere(ctx, c, p)
}

// export passes on what the server writes.
func (cl *client) export(ctx context.Context, c *commands, out io.Writer) error {
	q := url.Values{"site": {c.Export.Site}}
	if c.Export.WithAddresses {
		q.Set("addresses", "yes")
	}
	r, err := cl.request(ctx, "GET", "exports?"+q.Encode(), nil)
	if err != nil {
		return err
	}
	res, err := cl.http.Do(r)
	if err != nil {
		return fmt.Errorf("the server cannot be reached: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		raw, _ := io.ReadAll(io.LimitReader(res.Body, 1<<16))
		return refusal(raw, res.StatusCode)
	}
	_, err = io.Copy(out, res.Body)
	return err
}

// exportHere exports from the store when no server runs.
func exportHere(ctx context.Context, c *commands, p Process) (err error) {
	lg := slog.New(slog.NewTextHandler(p.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	a, err := New(ctx, lg, c.Config, Terminal{})
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	stored := make(chan error, 1)
	go func() { stored <- a.store.Run(running) }()
	defer func() { stop(); err = errors.Join(err, <-stored, a.Close()) }()
	_, err = exporter.Write(ctx, p.Stdout, a.store, postil.SiteID(c.Export.Site), exporter.Options{Addresses: c.Export.WithAddresses, Now: time.Now()})
	return err
}
