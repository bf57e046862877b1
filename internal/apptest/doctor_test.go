package apptest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/postil/postil/internal/apptest"
	"github.com/postil/postil/internal/apptest/ports"
)

// diagnosis is what the doctor printed.
type diagnosis struct {
	t        *testing.T
	code     int
	Findings []struct{ Check, State, What, Why, Line string }
	Broken   int
}

func examine(t *testing.T, p *apptest.Process, more []string, args ...string) diagnosis {
	t.Helper()
	code, out, said := p.Command(t, more, append([]string{"doctor", "--json"}, args...)...)
	d := diagnosis{t: t, code: code}
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatalf("the doctor said %s%s", out, said)
	}
	for _, f := range d.Findings {
		if f.What == "" || (f.State == "broken" || f.State == "warning") && (f.Why == "" || f.Line == "") {
			t.Errorf("a finding that helps nobody: %+v", f)
		}
	}
	if (d.Broken > 0) != (code == 1) {
		t.Errorf("%d things are broken, and the exit code is %d", d.Broken, code)
	}
	return d
}

// says fails unless there is a finding of that kind with these words in it.
func (d diagnosis) says(check, state string, words ...string) {
	d.t.Helper()
	var have []string
	for _, f := range d.Findings {
		text := f.What + "\n" + f.Why + "\n" + f.Line
		ok := f.Check == check && f.State == state
		for _, w := range words {
			ok = ok && strings.Contains(text, w)
		}
		if ok {
			return
		}
		have = append(have, f.Check+" "+f.State+": "+f.What+" "+f.Line)
	}
	d.t.Errorf("the doctor does not say of %s that it is %s with %q, but\n%s", check, state, words, strings.Join(have, "\n"))
}

// proxyTo is a reverse proxy before the service; set changes what it passes on.
func proxyTo(t *testing.T, p *apptest.Process, set func(*httputil.ProxyRequest), buffers bool) string {
	t.Helper()
	target, err := url.Parse("http://" + strings.TrimPrefix(p.Base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target); r.Out.Host = r.In.Host; set(r) }, FlushInterval: -1}
	if buffers {
		proxy.ModifyResponse = func(res *http.Response) error {
			if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
				whole := res.Body
				res.Body = struct {
					io.Reader
					io.Closer
				}{io.MultiReader(&slurp{from: whole}), whole}
			}
			return nil
		}
	}
	s := httptest.NewServer(proxy)
	t.Cleanup(s.CloseClientConnections)
	t.Cleanup(s.Close)
	return s.URL
}

// slurp reads all there is before it gives anything.
type slurp struct {
	from io.Reader
	held bytes.Buffer
}

func (s *slurp) Read(b []byte) (int, error) {
	if s.held.Len() == 0 {
		if _, err := s.held.ReadFrom(s.from); err != nil {
			return 0, err
		}
	}
	return s.held.Read(b)
}

func sets(r *httputil.ProxyRequest) { r.Out.Header.Set("X-Forwarded-For", "203.0.113.5") }
func appends(r *httputil.ProxyRequest) {
	r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"]
}
func silent(r *httputil.ProxyRequest) { r.Out.Header.Del("X-Forwarded-For") }

func TestTheDoctorFindsNothingWrongWithWhatIsRight(t *testing.T) {
	t.Parallel()
	p := apptest.RunBinary(t, apptest.Options{Telegram: true}, "POSTIL_TRUSTED_PROXIES=127.0.0.1/32")
	if err := os.Chmod(p.Data, 0o700); err != nil { // tests make their directories for everybody
		t.Fatal(err)
	}
	at := proxyTo(t, p, sets, false)
	blog := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'self'; script-src 'self' "+at+"; connect-src "+at)
		fmt.Fprintf(w, "<script src=%q defer></script><postil-comments site=blog></postil-comments>", at+"/widget.js")
	}))
	t.Cleanup(blog.Close)
	run(t, p, nil, "site", "set", "blog", "origins="+p.URL+","+blog.URL)
	d := examine(t, p, nil, "--url", at, "--page", blog.URL)
	for _, check := range []string{"settings", "data-directory", "disk-speed", "database", "backups", "listen", "readyz", "public-url", "forwarded-chain", "streams", "sites", "page", "telegram"} {
		d.says(check, "ok")
	}
	if d.code != 0 {
		t.Errorf("the exit code is %d", d.code)
	}
	if _, out, _ := p.Command(t, nil, "doctor", "--url", at); !strings.Contains(out, "0 broken") {
		t.Errorf("in words it says %s", out)
	}
}

func TestRL_08_TheDoctorSaysHowRequestsArriveAndWhatToSet(t *testing.T) {
	t.Parallel()
	p := apptest.RunBinary(t, apptest.Options{})
	examine(t, p, nil, "--url", proxyTo(t, p, sets, false)).says("forwarded-chain", "broken", "POSTIL_TRUSTED_PROXIES=127.0.0.1/32")
	trusting := apptest.RunBinary(t, apptest.Options{}, "POSTIL_TRUSTED_PROXIES=127.0.0.1/32")
	examine(t, trusting, nil, "--url", proxyTo(t, trusting, appends, false)).says("forwarded-chain", "broken", "is believed", "$remote_addr")
	examine(t, trusting, nil, "--url", proxyTo(t, trusting, silent, false)).says("forwarded-chain", "broken", "does not say")
}

func TestTheDoctorSeesWhatKeepsReadersOut(t *testing.T) {
	t.Parallel()
	p := apptest.RunBinary(t, apptest.Options{})
	nobody := "http://" + ports.Address(t)
	examine(t, p, nil, "--url", nobody).says("public-url", "broken", "cannot be reached", "proxy_pass")
	examine(t, p, nil, "--url", p.URL+"/comments").says("public-url", "broken", "not below /comments", "POSTIL_URL="+p.URL)
	other := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(other.Close)
	examine(t, p, nil, "--url", other.URL).says("public-url", "broken", "something else")
	self := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(self.Close)
	examine(t, p, nil, "--url", self.URL).says("certificate", "broken", "not valid")
	blog := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/foreign":
			fmt.Fprintf(w, "<script src='%s/widget.js'></script><postil-comments site='blog'>", p.URL)
		case "/unknown":
			fmt.Fprintf(w, "<script src='%s/widget.js'></script><postil-comments site='other'>", p.URL)
		case "/policy":
			w.Header().Set("Content-Security-Policy", "script-src 'self'")
			fmt.Fprintf(w, "<script src='%s/widget.js'></script><postil-comments site='blog'>", p.URL)
		case "/wrong":
			fmt.Fprint(w, "<script src='https://elsewhere.example/widget.js'></script>")
		}
	}))
	t.Cleanup(blog.Close)
	examine(t, p, nil, "--page", blog.URL+"/foreign").says("page", "broken", "not among the origins", "postil site set blog origins=", blog.URL)
	examine(t, p, nil, "--page", blog.URL+"/unknown").says("page", "broken", "“other”", "postil site add other")
	examine(t, p, nil, "--page", blog.URL+"/policy").says("page", "broken", "script-src", "script-src 'self' "+p.URL)
	wrong := examine(t, p, nil, "--page", blog.URL+"/wrong")
	wrong.says("page", "broken", "elsewhere.example")
	wrong.says("page", "broken", "<postil-comments")
}

func TestLOAD_02_TheDoctorSeesAProxyThatKeepsStreamsBack(t *testing.T) {
	t.Parallel()
	p := apptest.RunBinary(t, apptest.Options{})
	examine(t, p, nil, "--url", proxyTo(t, p, sets, true)).says("streams", "broken", "proxy_buffering off;")
}

func TestTheDoctorLooksAtTheMachine(t *testing.T) {
	t.Parallel()
	p := apptest.Prepare(t, apptest.Options{}, "POSTIL_LIMITS=off")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	examine(t, p, []string{"POSTIL_LISTEN=" + taken.Addr().String()}).says("listen", "broken", "POSTIL_LISTEN=")
	examine(t, p, []string{"POSTIL_CLOCK=sun"}).says("settings", "broken", "POSTIL_CLOCK=system")
	examine(t, p, []string{"POSTIL_DATA=/proc/1/nowhere"}).says("data-directory", "warning", "does not exist")
	examine(t, p, []string{"POSTIL_DATA=/proc"}).says("data-directory", "broken", "chown")
	examine(t, p, []string{"POSTIL_BACKUP_DIR=off"}).says("backups", "warning", "POSTIL_BACKUP_DIR=")
	examine(t, p, []string{"POSTIL_BACKUP_DIR=/proc/sys"}).says("backups", "broken", "/proc/sys")
	examine(t, p, []string{"POSTIL_NATS_URL=nats://" + taken.Addr().String()}).says("nats", "broken", "no NATS server")
	examine(t, p, []string{"POSTIL_NATS_URL=nats://127.0.0.1:1"}).says("nats", "broken", "cannot be reached")

	p.Start(t)
	for n := range 40 {
		p.Post(t, apptest.Draft{Text: fmt.Sprint("Comment ", n), Post: fmt.Sprint("/", n)})
	}
	p.Stop(t)
	path := filepath.Join(p.Data, "postil.db")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copy(raw[len(raw)/2:], bytes.Repeat([]byte("spoiled!"), 8192/8))
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	examine(t, p, nil).says("database", "broken", "postil restore")
}

func TestTheDoctorAsksTheBotAPI(t *testing.T) {
	t.Parallel()
	bot := apptest.NewBot(t)
	p := apptest.Prepare(t, apptest.Options{Bot: bot})
	examine(t, p, nil).says("telegram", "ok", "1 chats")
	examine(t, p, []string{"POSTIL_TELEGRAM_CHATS=-42"}).says("telegram", "broken", "-42")
	examine(t, p, []string{"POSTIL_TELEGRAM_API=http://127.0.0.1:1"}).says("telegram", "broken", "cannot be reached")
	d := examine(t, p, []string{"POSTIL_TELEGRAM_TOKEN=999:not-the-token"})
	d.says("telegram", "broken", "does not know the token")
	for _, f := range d.Findings {
		if strings.Contains(f.What, "not-the-token") {
			t.Errorf("TG-19: the token is printed: %s", f.What)
		}
	}
	res, err := http.PostForm(bot.URL+"/bot"+apptest.BotToken+"/setWebhook", url.Values{"url": {"http://127.0.0.1:1/of-another-program"}})
	if err != nil || res.StatusCode != 200 {
		t.Fatal(res, err)
	}
	res.Body.Close()
	examine(t, p, nil).says("telegram", "broken", "A webhook is set", "POSTIL_TELEGRAM_MODE=webhook")
}
