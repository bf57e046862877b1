package httpapi_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// listed is a page of the moderator's list, as far as these tests look at it.
type listed struct {
	Comments []struct {
		ID, Text, Status string
	}
	NextCursor *string `json:"next_cursor"`
}

// ids asks for a list, page by page.
func (o *office) ids(t testing.TB, query string) (ids []string) {
	t.Helper()
	for cursor := ""; ; {
		var page listed
		o.ask(t, "GET", "/comments?"+query+cursor, "").want(t, 200).read(t, &page)
		for _, c := range page.Comments {
			ids = append(ids, c.ID)
		}
		if page.NextCursor == nil {
			return ids
		}
		cursor = "&cursor=" + url.QueryEscape(*page.NextCursor)
	}
}

func TestAModeratorFindsCommentsByWhatTheyType(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	texts := []string{"A multi-agent system, grammar::fa and a:b", "Don't touch the 38.101 release", "50% off at https://shop.evil.example/x", "foo_bar", "fooXbar and 50 more",
		"Die Straße in München", "今天天气很好", "the other x, AND NOT y"}
	for _, text := range texts {
		o.say(t, "blog", text)
	}
	o.say(t, "other", "Also multi-agent.")
	for _, c := range []struct {
		name, query string
		want        []string
	}{
		{"SRCH-01", "q=multi-agent", []string{"9", "1"}}, {"SRCH-01", "q=grammar::fa", []string{"1"}}, {"SRCH-01", "q=a:b", []string{"1"}},
		{"SRCH-02", "q=don't", []string{"2"}}, {"SRCH-02", `q="half`, nil}, {"SRCH-02", "q=38.101", []string{"2"}}, {"SRCH-02", "q=AND NOT", []string{"8"}}, {"SRCH-02", "q=NOT x", []string{"8"}},
		{"SRCH-02", "q=*", nil}, {"SRCH-02", "q=&site=other", []string{"9"}}, {"SRCH-02", "q=" + strings.Repeat("a", 10_000), nil}, {"SRCH-02", "q=" + strings.Repeat("a ", 5_000), []string{"1"}},
		{"SRCH-04", "q=50%", []string{"3"}}, {"SRCH-04", "q=foo_bar", []string{"4"}}, {"SRCH-04", "q=" + strings.Repeat("_", 200), nil},
		{"any script", "q=strasse munchen", []string{"6"}}, {"any script", "q=天气", []string{"7"}},
		{"a site", "q=multi-agent&site=blog", []string{"1"}}, {"a state", "q=multi-agent&status=approved,spam", nil}, {"a name", "q=CY foo_bar", []string{"4"}},
		{"a post", "q=multi&site=blog&post=/posts/hello", []string{"1"}}, {"a post", "q=multi&site=blog&post=/posts/other", nil}, {"its title", "q=hello foo_bar", []string{"4"}},
		{"a time", "q=multi&from=2026-11-30&to=2026-12-01&site=blog", []string{"1"}}, {"a time", "q=multi&to=2026-11-30", nil},
		{"a mail address", "author=CY@mail.example&q=foo_bar", []string{"4"}}, {"a host", "host=evil.example", []string{"3"}}, {"a host", "host=https://shop.evil.example/", []string{"3"}},
		{"a network", "network=network-hash&q=foo_bar", []string{"4"}}, {"a network", "network=elsewhere", nil}, {"what waits", "queue=open&q=multi", []string{"1", "9"}}, {"pages", "q=multi&limit=1", []string{"9", "1"}},
	} {
		parts := strings.Split(c.query, "&")
		for i, part := range parts {
			name, value, _ := strings.Cut(part, "=")
			parts[i] = name + "=" + url.QueryEscape(value)
		}
		if got := o.ids(t, strings.Join(parts, "&")); !slices.Equal(got, c.want) {
			t.Errorf("%s: %.60s finds %v, not %v", c.name, c.query, got, c.want)
		}
	}
}

func TestNothingThatAModeratorTypesBreaksTheSearch(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.say(t, "blog", "Something to look at.")
	for _, q := range []string{"", " ", "\x00", "a\x00b", "\xff", `"`, `""`, "'", "((", "NEAR(a b)", "a*", "^a", "-a", "words:a", "😀", "\u202e", strings.Repeat("%", 200), strings.Repeat(`"`, 10_000), strings.Repeat("(", 10_000)} {
		t.Run(fmt.Sprintf("%.12q", q), func(t *testing.T) {
			o.ask(t, "GET", "/comments?q="+url.QueryEscape(q), "").want(t, 200)
		})
	}
}
