package doctor

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// soon is how fast the first line of a stream must be there.
const soon = 5 * time.Second

// stream opens one the readers' way and waits for its first line.
func stream(ctx context.Context, p *Patient) []Finding {
	const check = "streams"
	if !p.Running {
		return unknown(check, "Start the server to see whether live updates arrive.")
	}
	all, err := p.Sites(ctx)
	if err != nil || len(all) == 0 {
		return nil // sites tells
	}
	ctx, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	began := time.Now()
	line := ""
	res, err := p.get(ctx, p.URL+"/api/v1/sites/"+url.PathEscape(all[0].Key)+"/stream?post=/postil-doctor", "Accept", "text/event-stream")
	if err == nil {
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK {
			return nil // publicURL tells
		}
		line, err = bufio.NewReader(res.Body).ReadString('\n')
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded):
		return found(Broken, check, fmt.Sprintf("The first line of a stream does not arrive within %v: something in between keeps it back.", soon), "Readers do not see new comments, and connections pile up.", "proxy_buffering off;")
	case err != nil || !strings.HasPrefix(line, ":"):
		return unknown(check, "A stream cannot be opened: %v.", withoutURL(cmp(err, errors.New("its first line is another one"))))
	}
	return fine(check, "Live updates arrive at once (%v).", time.Since(began).Round(time.Millisecond))
}

func cmp(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

func sites(ctx context.Context, p *Patient) []Finding {
	all, err := p.Sites(ctx)
	if err != nil {
		return unknown("sites", "The sites cannot be read: %v.", err)
	}
	if len(all) == 0 {
		return found(Warning, "sites", "There is no site yet.", "The widget gets “not found” for every blog.", "postil site add blog --origin https://blog.example")
	}
	var bad []Finding
	for _, s := range all {
		if len(s.Origins) == 0 {
			bad = append(bad, Finding{"sites", Broken, fmt.Sprintf("The site %s has no origin.", s.Key), "Browsers may read its comments, and nobody may write.", fmt.Sprintf("postil site set %s origins=https://blog.example", s.Key)})
		}
	}
	if len(bad) > 0 {
		return bad
	}
	return fine("sites", "%d sites have their origins.", len(all))
}

var (
	tagPattern  = regexp.MustCompile(`(?is)<postil-comments\b[^>]*>`)
	sitePattern = regexp.MustCompile(`(?is)\bsite\s*=\s*["']?([A-Za-z0-9._-]+)`)
	srcPattern  = regexp.MustCompile(`(?is)<script\b[^>]*\bsrc\s*=\s*["']?([^"' >]+/widget(?:\.v\d+)?\.js)`)
)

// page looks at a page of a blog as its reader's browser does.
func page(ctx context.Context, p *Patient) (all []Finding) {
	const check = "page"
	if p.Page == "" {
		return unknown(check, "Give --page https://blog.example/post to have a page with the widget looked at.")
	}
	res, err := p.get(ctx, p.Page)
	if err != nil {
		return found(Broken, check, fmt.Sprintf("%s cannot be read: %v.", p.Page, withoutURL(err)), "Nothing can be said about the widget on it.", "postil doctor --page https://blog.example/post")
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, 4<<20))
	if err != nil || res.StatusCode != http.StatusOK {
		return found(Broken, check, fmt.Sprintf("%s answers with status %d.", p.Page, res.StatusCode), "Nothing can be said about the widget on it.", "postil doctor --page https://blog.example/post")
	}
	at, err := url.Parse(p.Page)
	if err != nil {
		return nil
	}
	all = append(all, p.embedded(ctx, at, string(raw))...)
	all = append(all, p.allowed(res.Header)...)
	if len(all) == 0 {
		return fine(check, "%s embeds the widget as it should.", p.Page)
	}
	return all
}

// embedded looks for the two lines and whether they fit.
func (p *Patient) embedded(ctx context.Context, at *url.URL, html string) (all []Finding) {
	const check = "page"
	src := srcPattern.FindStringSubmatch(html)
	script := fmt.Sprintf("<script src=%q defer></script>", p.URL+"/widget.js")
	switch {
	case src == nil:
		all = append(all, Finding{check, Broken, "The page does not load the widget.", "There are no comments on it.", script})
	default:
		ref, err := url.Parse(src[1])
		if full := at.ResolveReference(ref).String(); err != nil || !strings.HasPrefix(full, p.URL+"/widget") {
			all = append(all, Finding{check, Broken, fmt.Sprintf("The page loads the widget from %s.", full), "That is not the address of this service.", script})
		}
	}
	tag := tagPattern.FindString(html)
	if tag == "" {
		return append(all, Finding{check, Broken, "The page has no place for comments.", "The script finds nothing to do.", `<postil-comments site="blog"></postil-comments>`})
	}
	known, err := p.Sites(ctx)
	if err != nil {
		return all
	}
	key := ""
	if m := sitePattern.FindStringSubmatch(tag); m != nil {
		key = m[1]
	}
	i := slices.IndexFunc(known, func(s Site) bool { return s.Key == key })
	if i < 0 {
		return append(all, Finding{check, Broken, fmt.Sprintf("The page names the site “%s”, which there is not.", key), "The widget gets “not found”.", "postil site add " + cmpText(key, "blog") + " --origin " + originOf(at)})
	}
	if s := known[i]; !slices.Contains(s.Origins, originOf(at)) {
		all = append(all, Finding{check, Broken, fmt.Sprintf("%s is not among the origins of the site %s.", originOf(at), s.Key), "Readers there see comments and cannot write any.",
			fmt.Sprintf("postil site set %s origins=%s", s.Key, strings.Join(append(slices.Clone(s.Origins), originOf(at)), ","))})
	}
	return all
}

func cmpText(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func originOf(u *url.URL) string {
	host := strings.ToLower(u.Host)
	if port := u.Port(); port == "443" && u.Scheme == "https" || port == "80" && u.Scheme == "http" {
		host = strings.ToLower(u.Hostname())
	}
	return u.Scheme + "://" + host
}

// allowed looks whether the page's own policy lets the widget in.
func (p *Patient) allowed(h http.Header) (all []Finding) {
	u, err := url.Parse(p.URL)
	if err != nil {
		return nil
	}
	ours := originOf(u)
	for _, policy := range h.Values("Content-Security-Policy") {
		rules := map[string][]string{}
		for rule := range strings.SplitSeq(policy, ";") {
			if words := strings.Fields(rule); len(words) > 0 {
				rules[strings.ToLower(words[0])] = words[1:]
			}
		}
		for _, name := range []string{"script-src", "connect-src"} {
			allowed, given := rules[name]
			if !given {
				allowed, given = rules["default-src"]
			}
			if given && !slices.ContainsFunc(allowed, func(s string) bool { return s == "*" || s == u.Scheme+":" || strings.HasPrefix(s, ours) || s == u.Host }) {
				all = append(all, Finding{"page", Broken, fmt.Sprintf("The page's Content-Security-Policy keeps the widget out: %s does not name %s.", name, ours), "Browsers block it.", name + " " + strings.Join(append(slices.Clone(allowed), ours), " ")})
			}
		}
	}
	return all
}

// broker asks an outside server who it is.
func broker(ctx context.Context, p *Patient) []Finding {
	const check = "nats"
	if p.NATSURL == "" {
		return nil
	}
	u, err := url.Parse(p.NATSURL)
	if err != nil || u.Host == "" {
		return found(Broken, check, "POSTIL_NATS_URL is no address.", "Moderators are not told of comments.", "POSTIL_NATS_URL=nats://nats.example:4222")
	}
	address := u.Host
	if u.Port() == "" {
		address = net.JoinHostPort(u.Hostname(), "4222")
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return found(Broken, check, fmt.Sprintf("The NATS server at %s cannot be reached: %v.", address, err), "Comments are kept, and moderators are not told of them.", "POSTIL_NATS_URL=nats://"+address)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(soon))
	line, err := bufio.NewReaderSize(io.LimitReader(conn, 1<<16), 1<<16).ReadString('\n')
	body, ours := strings.CutPrefix(line, "INFO ")
	var info struct {
		Version   string `json:"version"`
		JetStream bool   `json:"jetstream"`
	}
	switch {
	case err != nil || !ours || json.Unmarshal([]byte(body), &info) != nil:
		return found(Broken, check, fmt.Sprintf("What answers at %s is no NATS server.", address), "Comments are kept, and moderators are not told of them.", "POSTIL_NATS_URL=nats://nats.example:4222")
	case !info.JetStream:
		return found(Broken, check, fmt.Sprintf("The NATS server at %s has JetStream turned off.", address), "Comments are kept, and moderators are not told of them.", "nats-server --jetstream --store_dir /var/lib/nats")
	}
	return fine(check, "NATS %s with JetStream answers at %s.", info.Version, address)
}

func telegram(ctx context.Context, p *Patient) []Finding {
	if p.Telegram == nil {
		return unknown("telegram", "No bot is set up; moderators use the admin page or the REST API.")
	}
	return p.Telegram(ctx)
}
