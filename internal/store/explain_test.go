package store

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// big are the tables that grow with the number of comments. A statement that
// reads one of them whole, or sorts what it read, is slower every day.
var big = map[string]string{"comments": "", "posts": "", "decisions": "", "outbox": "", "reviews": "", "cards": "", "replays": "", "form_uses": "", "audit": "",
	"boards": "", "board_cards": "", "quotas": "", "deliveries": "", "views": "", "questions": "", "reactions": "", "reports": "", "rules": "",
	"signals": "", "figures": ""}

// excepted are plans that may stay, each with its reason: a part of a
// statement, a part of a line of its plan, and why.
var excepted = []struct{ statement, plan, why string }{
	{"FROM outbox WHERE published_at IS NULL", "idx_outbox_pending", "the partial index holds what is not published yet, and the relay keeps that short"},
	{"FROM reviews WHERE state = 'open'", "idx_reviews_open", "the partial index holds open tasks only"},
	{"UPDATE reviews SET due_at = ? WHERE state = 'open'", "idx_reviews_open", "once at the start, along the partial index of open tasks"},
	{"FROM reviews r", "idx_reviews_open", "a walk along the open tasks, which give the order, until the page is full"},
	{"FROM sites s ORDER BY", "USE TEMP B-TREE", "there is a handful of sites"},
	{"FROM comments c ORDER BY c.created_at DESC", "idx_comments_all", "the newest comments of all sites: a walk along the index until the page is full"},
	{"INSERT INTO search_due", "SCAN c", "the index is filled anew: every comment is noted, once, when an operator asks for it"},
	{"WITH RECURSIVE", "SCAN up", "the rows of the recursion, one for each ancestor"},
	{"WITH RECURSIVE", "SCAN down", "the rows of the recursion, one for each descendant"},
	{"GROUP BY 1, 2, 3, 4 ORDER BY 1", "USE TEMP B-TREE", "an admin asks what happened in a time, which is bounded"},
	{"FROM (SELECT c.site_id, c.post_id, count(*) AS n", "USE TEMP B-TREE", "the busiest posts of a site in a week: a summary asks, once"},
	{"GROUP BY minute) m", "", "the figures of a time, which is bounded: they are grouped twice, by minute and by part"},
	{"FROM views v LEFT JOIN post_redirects", "USE TEMP B-TREE", "the most read posts of a time are added up and sorted: an admin asks, and the time is bounded"},
	{"FROM rules x WHERE x.list = ''", "idx_rules_own", "the newest rules: a walk along the index until the page is full"},
	{"FROM rules x WHERE x.list <> ''", "idx_rules_list", "an admin asks what was imported; nothing else is counted"},
	{"GROUP BY x.list", "USE TEMP B-TREE", "the same: there is a handful of lists"},
	{"FROM questions q", "idx_questions_all", "the newest questions of all sites: a walk along the index until the page is full"},
}

func TestEveryStatementIsAnsweredByAnIndexOn100000Comments(t *testing.T) {
	if watched {
		t.Skip("a plan is the same under the race detector, and a search takes longer there than a reader may wait")
	}
	t.Parallel()
	s := open(t, Options{})
	s.room = 50 // so that pages end inside a root
	fillWith(t, s, grown)
	until(t, "the search index is filled", func() bool { n, err := s.Unindexed(ctx); return err != nil || n == 0 })
	exerciser{t, s}.everything()
	statements := statementsOf(t, s)
	used := map[int]bool{}
	for _, statement := range statements {
		if !isQuery.MatchString(statement) || strings.Contains(statement, "'big'") {
			continue // no query, or one of this test's own
		}
		for _, step := range sqlOf(t, s.readers, "EXPLAIN QUERY PLAN "+statement, make([]any, strings.Count(statement, "?"))...) {
			detail := step[3]
			if why := slow(statement, detail); why != "" && !isExcepted(statement, detail, used) {
				t.Errorf("%s: %s\n\t%s", why, detail, strings.Join(strings.Fields(statement), " "))
			}
		}
	}
	for i, e := range excepted {
		if !used[i] {
			t.Errorf("the exception for %q, %q is not needed any more", e.statement, e.plan)
		}
	}
	for place, text := range textsInSource(t) {
		if !slices.ContainsFunc(statements, func(s string) bool { return strings.Contains(s, text) }) {
			t.Errorf("%s: nothing exercises this statement; call it in exercise_test.go: %s", place, text)
		}
	}
}

var (
	isQuery   = regexp.MustCompile(`^(SELECT|INSERT|UPDATE|DELETE|WITH)`)
	wholeSite = regexp.MustCompile(`^SEARCH (c|o|comments) .*\(site_id=\?\)$`)
	scans     = regexp.MustCompile(`^SCAN (\w+)`)
	aliases   = map[string]string{"c": "comments", "o": "comments", "p": "posts", "d": "decisions", "r": "reviews", "k": "cards", "up": "comments", "down": "comments", "b": "boards", "m": "board_cards", "v": "views", "q": "questions", "x": "rules", "a": "audit", "g": "signals"}
)

// slow says what is wrong with a step of a plan, "" for nothing.
func slow(statement, detail string) string {
	if strings.Contains(detail, "USE TEMP B-TREE") {
		return "rows are sorted after they were read"
	}
	if wholeSite.MatchString(detail) && !strings.Contains(statement, "LIMIT") {
		return "a whole site is read"
	}
	m := scans.FindStringSubmatch(detail)
	if m == nil {
		return ""
	}
	name := m[1]
	if full, ok := aliases[name]; ok {
		name = full
	}
	if _, grows := big[name]; grows {
		return "a whole table is read"
	}
	return ""
}

func isExcepted(statement, detail string, used map[int]bool) bool {
	for i, e := range excepted {
		if strings.Contains(statement, e.statement) && strings.Contains(detail, e.plan) {
			used[i] = true
			return true
		}
	}
	return false
}

// statementsOf returns every text that a store has prepared, on both sides.
func statementsOf(t *testing.T, s *Store) []string {
	t.Helper()
	all := map[string]bool{}
	err := s.Write(ctx, func(tx *Tx) error {
		for text := range tx.w.stmts {
			all[text] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for text := range s.reads {
		all[text] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// textsInSource returns the longest literal part of each statement that the
// package's sources hand to the database, by its place.
func textsInSource(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	set := token.NewFileSet()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			if text, err := strconv.Unquote(lit.Value); err == nil && keyword.MatchString(text) && !beforeRun(path, text) {
				texts[set.Position(lit.Pos()).String()] = text
			}
			return true
		})
	}
	if len(texts) < 80 {
		t.Fatalf("only %d pieces of SQL were found in the sources; the test looks in the wrong place", len(texts))
	}
	return texts
}

// keyword tells pieces of SQL from other texts: house style writes it in capitals.
var keyword = regexp.MustCompile(`\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|FROM|WHERE|ORDER BY)\b`)

// beforeRun are the statements of FirstMeta, which is for the time before there
// is a writer, and of SQLiteVersion: both touch no table that grows. What is
// asked of backups and copies goes through all there is by intention.
func beforeRun(path, text string) bool {
	return path == "backup.go" || path == "migrate.go" || path == "erase.go" && (strings.Contains(text, "merge") || strings.Contains(text, "total_changes")) || path == "meta.go" && strings.Contains(text, "DO NOTHING") || strings.Contains(text, "sqlite_version")
}
