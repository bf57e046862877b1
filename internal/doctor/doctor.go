package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// State is how something is.
type State string

// The states, from best to worst. Unknown is what could not be looked at, with
// the reason in What.
const (
	Fine    State = "ok"
	Unknown State = "unknown"
	Warning State = "warning"
	Broken  State = "broken"
)

// Finding is what one examination found.
type Finding struct {
	Check string `json:"check"`          // such as "public-url"
	State State  `json:"state"`          //
	What  string `json:"what"`           // a sentence
	Why   string `json:"why,omitempty"`  // what it leads to
	Line  string `json:"line,omitempty"` // what to change, to be copied as it is
}

// Patient is an installation. Functions that are nil are not asked.
type Patient struct {
	URL       string // public, without a slash at the end
	Listen    string
	Data      string
	BackupDir string // "": no nightly backups
	NATSURL   string
	Header    string // that proxies set
	Page      string // a page of a blog to look at, or ""

	Settings func() error                              // everything that is wrong with the settings
	Database func(ctx context.Context) error           // is it whole, and does this program know it
	Upgrade  func(ctx context.Context) (int, error)    // migrations that are pending
	Backups  func() error                              // how the nightly ones are
	Sites    func(ctx context.Context) ([]Site, error) // nil error and none: there is no site yet
	Running  bool                                      // a server runs on this data directory
	Ready    func(ctx context.Context) (map[string]string, error)
	Probe    func(ctx context.Context) (string, error) // path at the server that says once how a request arrived
	Telegram func(ctx context.Context) []Finding

	HTTP *http.Client // default: one without redirects
	Now  func() time.Time
}

// Site is a blog that is served.
type Site struct {
	Key     string
	Origins []string
}

type examination func(context.Context, *Patient) []Finding

// Examine makes all examinations, each with a bound of time.
func Examine(ctx context.Context, p Patient) (all []Finding) {
	if p.HTTP == nil {
		p.HTTP = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	for _, examine := range []examination{
		settings, directory, space, disk, database, upgrades, backups, listener, service,
		publicURL, certificate, serverClock, chain, stream, sites, page, broker, telegram,
	} {
		each, cancel := context.WithTimeout(ctx, 30*time.Second)
		all = append(all, examine(each, &p)...)
		cancel()
	}
	return all
}

// Count returns how many findings are in a state.
func Count(all []Finding, s State) (n int) {
	for _, f := range all {
		if f.State == s {
			n++
		}
	}
	return n
}

// WriteJSON writes the findings for a program.
func WriteJSON(w io.Writer, all []Finding) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(map[string]any{"findings": all, "broken": Count(all, Broken), "warnings": Count(all, Warning)})
}

// WriteText writes them for a person, what is wrong last, where it is seen.
func WriteText(w io.Writer, all []Finding) error {
	marks := map[State]string{Fine: "ok      ", Unknown: "–       ", Warning: "warning ", Broken: "BROKEN  "}
	var b strings.Builder
	for _, s := range []State{Fine, Unknown, Warning, Broken} {
		for _, f := range all {
			if f.State != s {
				continue
			}
			fmt.Fprintf(&b, "%s%s: %s\n", marks[s], f.Check, f.What)
			if f.Why != "" {
				fmt.Fprintf(&b, "        why:    %s\n", f.Why)
			}
			if f.Line != "" {
				fmt.Fprintf(&b, "        change: %s\n", strings.ReplaceAll(f.Line, "\n", "\n                "))
			}
		}
	}
	fmt.Fprintf(&b, "%d broken, %d warnings.\n", Count(all, Broken), Count(all, Warning))
	_, err := io.WriteString(w, b.String())
	return err
}

func fine(check, format string, args ...any) []Finding {
	return []Finding{{Check: check, State: Fine, What: fmt.Sprintf(format, args...)}}
}

func unknown(check, format string, args ...any) []Finding {
	return []Finding{{Check: check, State: Unknown, What: fmt.Sprintf(format, args...)}}
}

func found(s State, check, what, why, line string) []Finding {
	return []Finding{{check, s, what, why, line}}
}
