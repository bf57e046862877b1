package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"

	"github.com/postil/postil/internal/postil"
)

type siteCommands struct {
	Add struct {
		Key    string   `arg:"" help:"Key of the site, such as blog."`
		Origin []string `required:"" placeholder:"URL" help:"Address of the blog, such as https://blog.example; repeat it for aliases."`
		Name   string   `help:"Name of the blog."`
	} `cmd:"" help:"Add a site."`
	List struct{} `cmd:"" help:"List sites."`
	Show struct {
		Key string `arg:""`
	} `cmd:"" help:"Show a site."`
	Set struct {
		Key    string   `arg:""`
		Change []string `arg:"" placeholder:"NAME=VALUE" help:"policy=hold-all, name=…, max_links=2, lockdown=true, origins=URL,…, blocked=word,…, reactions=👍,❤️"`
	} `cmd:"" help:"Change a site."`
	Remove struct {
		Key string `arg:""`
		Yes bool   `help:"Yes, with all its comments, for good."`
	} `cmd:"" help:"Remove a site with all its comments."`
}

type keyCommands struct {
	Create struct {
		Role  string `required:"" enum:"admin,moderator" help:"admin or moderator."`
		Scope string `enum:",author" default:"" help:"author lets it post as a named author."`
		Site  string `placeholder:"KEY" help:"Bind the key to one site."`
		Name  string `help:"What the key is for."`
	} `cmd:"" help:"Create a key and print it, once."`
	List   struct{} `cmd:"" help:"List keys."`
	Revoke struct {
		ID string `arg:""`
	} `cmd:"" help:"Revoke a key."`
}

type moderatorCommands struct {
	Link struct {
		Name string `required:"" help:"Name that other moderators read."`
		Role string `enum:"admin,moderator" default:"moderator" help:"admin or moderator."`
		Site string `placeholder:"KEY" help:"Bind the moderator to one site."`
	} `cmd:"" help:"Print a one-time code for /start CODE in Telegram."`
	Signin struct {
		Name string `required:"" help:"Name that other moderators read; one who has it already keeps the role."`
		Role string `enum:",admin,moderator" default:"" help:"admin or moderator (a new one without it)."`
		Site string `placeholder:"KEY" help:"Bind a new moderator to one site."`
	} `cmd:"" help:"Print a link that signs somebody in to the admin page, once."`
	List   struct{} `cmd:"" help:"List moderators."`
	Revoke struct {
		ID string `arg:""`
	} `cmd:"" help:"Take a moderator's role away."`
}

// remote runs a command that changes data: at the running server, or on the
// store itself when none runs, and always through the same admin API.
func remote(ctx context.Context, c *commands, p Process, command string) error {
	cl, done, err := connect(ctx, c, p)
	if err != nil {
		return err
	}
	err = cl.run(ctx, c, p.Stdout, command)
	if err == nil && command == "moderator link" {
		fmt.Fprintf(p.Stderr, "Let %s send “/start CODE” with this code to the bot, in a private chat. It works once, for a day.\n", c.Moderator.Link.Name)
	}
	return errors.Join(err, done())
}

func (cl *client) run(ctx context.Context, c *commands, out io.Writer, command string) error {
	switch s, k, m := &c.Site, &c.Keys, &c.Moderator; command {
	case "erase":
		return cl.erase(ctx, c, out)
	case "export":
		return cl.print(ctx, out, "POST", "people/export", c.Export.Who.body())
	case "site add":
		site := map[string]any{"key": s.Add.Key, "origins": s.Add.Origin}
		if s.Add.Name != "" { // else the key is the name
			site["name"] = s.Add.Name
		}
		return cl.print(ctx, out, "POST", "sites", site)
	case "site list":
		return cl.print(ctx, out, "GET", "sites", nil)
	case "site show":
		return cl.print(ctx, out, "GET", "sites/"+url.PathEscape(s.Show.Key), nil)
	case "site set":
		change, err := changes(s.Set.Change)
		if err != nil {
			return err
		}
		return cl.print(ctx, out, "PATCH", "sites/"+url.PathEscape(s.Set.Key), change)
	case "site remove":
		if !s.Remove.Yes {
			return &usageError{fmt.Errorf("this removes “%s” with all its comments, for good. Make a backup (postil backup FILE), then say it again with --yes", s.Remove.Key)}
		}
		return cl.print(ctx, out, "DELETE", "sites/"+url.PathEscape(s.Remove.Key), nil)
	case "key create":
		return cl.only(ctx, out, "secret", "keys", map[string]any{"role": k.Create.Role, "scope": k.Create.Scope, "site": k.Create.Site, "name": k.Create.Name})
	case "key list":
		return cl.print(ctx, out, "GET", "keys", nil)
	case "key revoke":
		return cl.print(ctx, out, "DELETE", "keys/"+url.PathEscape(k.Revoke.ID), nil)
	case "moderator link":
		return cl.only(ctx, out, "code", "moderators", map[string]any{"name": m.Link.Name, "role": m.Link.Role, "site": m.Link.Site})
	case "moderator signin":
		return cl.only(ctx, out, "url", "signin-links", map[string]any{"name": m.Signin.Name, "role": m.Signin.Role, "site": m.Signin.Site})
	case "moderator list":
		return cl.print(ctx, out, "GET", "moderators", nil)
	case "moderator revoke":
		return cl.print(ctx, out, "DELETE", "moderators/"+url.PathEscape(m.Revoke.ID), nil)
	}
	return fmt.Errorf("there is no command “%s”", command)
}

// changes turns NAME=VALUE pairs into the body of a PATCH.
func changes(pairs []string) (map[string]any, error) {
	body := map[string]any{}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, &usageError{fmt.Errorf("“%s” has no “=”. Example: policy=hold-all", pair)}
		}
		switch name {
		case "origins", "blocked", "reactions":
			body[name] = strings.FieldsFunc(value, func(r rune) bool { return r == ',' })
		case "max_links", "lockdown":
			if !json.Valid([]byte(value)) {
				return nil, &usageError{fmt.Errorf("“%s” is no value of %s. Examples: max_links=2, lockdown=true", value, name)}
			}
			body[name] = json.RawMessage(value)
		case "policy", "name":
			body[name] = value
		default:
			return nil, &usageError{fmt.Errorf("a site has no “%s”. There are policy, name, max_links, lockdown, origins, blocked and reactions", name)}
		}
	}
	return body, nil
}

// client speaks to the admin API.
type client struct {
	http *http.Client
	base string
	key  string
}

// connect finds the server: the one that was named, the one that runs on this
// data directory, or, when none runs, this process itself.
func connect(ctx context.Context, c *commands, p Process) (*client, func() error, error) {
	if cl, ok := reach(ctx, c); ok {
		return cl, func() error { return nil }, nil
	}
	a, err := New(ctx, slog.New(slog.NewTextHandler(p.Stderr, &slog.HandlerOptions{Level: slog.LevelError})), c.Config, Terminal{})
	if err != nil {
		return nil, nil, err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	stored := make(chan error, 1)
	go func() { stored <- a.store.Run(running) }()
	done := func() error {
		stop()
		return errors.Join(<-stored, a.Close())
	}
	return &client{&http.Client{Transport: inProcess{a.server.LocalHandler()}}, "http://local", ""}, done, nil
}

// dialLocal connects to the server on a data directory.
func dialLocal(data string) func(ctx context.Context, network, addr string) (net.Conn, error) {
	path := socketPath(data)
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}
}

// inProcess answers requests by a handler in this process.
type inProcess struct{ handler http.Handler }

func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	r.RemoteAddr = "127.0.0.1:1"
	if r.Body == nil {
		r.Body = http.NoBody
	}
	rec := httptest.NewRecorder()
	t.handler.ServeHTTP(rec, r)
	return rec.Result(), nil
}

// do sends a request to the admin API and returns the answer's body.
func (cl *client) do(ctx context.Context, method, path string, body any) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	r, err := cl.request(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	res, err := cl.http.Do(r)
	if err != nil {
		return nil, fmt.Errorf("the server cannot be reached: %w", err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 400 {
		err = refusal(raw, res.StatusCode)
	}
	return raw, err
}

// request makes a request to the admin API.
func (cl *client) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	var sent io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return nil, &usageError{fmt.Errorf("the value cannot be sent: %w", err)}
		}
		sent = bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(ctx, method, cl.base+"/api/v1/admin/"+path, sent)
	if err != nil {
		return nil, &usageError{err}
	}
	r.Header.Set("Content-Type", "application/json")
	if cl.key != "" {
		r.Header.Set("Authorization", "Bearer "+cl.key)
	}
	return r, nil
}

// refusal is the sentence of a problem document.
func refusal(raw []byte, status int) error {
	var p struct{ Detail, Field string }
	if json.Unmarshal(raw, &p) != nil || p.Detail == "" {
		return fmt.Errorf("the server answered with status %d", status)
	}
	kind := postil.Invalid
	if status >= 500 {
		kind = postil.Unavailable
	}
	return &postil.Error{Kind: kind, Field: p.Field, Sentence: p.Detail}
}

// print shows the whole answer, indented.
func (cl *client) print(ctx context.Context, out io.Writer, method, path string, body any) error {
	raw, err := cl.do(ctx, method, path, body)
	if err != nil || len(bytes.TrimSpace(raw)) == 0 {
		return err
	}
	var pretty bytes.Buffer
	if json.Indent(&pretty, raw, "", "  ") != nil {
		pretty.Write(raw)
	}
	_, err = fmt.Fprintln(out, strings.TrimSpace(pretty.String()))
	return err
}

// only shows one member of the answer, for use in scripts.
func (cl *client) only(ctx context.Context, out io.Writer, member, path string, body any) error {
	raw, err := cl.do(ctx, "POST", path, body)
	if err != nil {
		return err
	}
	var answer map[string]any
	if err := json.Unmarshal(raw, &answer); err != nil {
		return fmt.Errorf("the server's answer cannot be read: %w", err)
	}
	_, err = fmt.Fprintln(out, answer[member])
	return err
}
