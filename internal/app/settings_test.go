package app

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the README's table of settings anew")

const (
	tableBegin = "<!-- settings: made by go test ./internal/app -update -->\n"
	tableEnd   = "<!-- end of settings -->\n"
)

// settingsTable is the README's table, made from the tags of Config.
func settingsTable() string {
	var b strings.Builder
	b.WriteString("| setting | flag | default | what |\n|---|---|---|---|\n")
	for f := range reflect.TypeFor[Config]().Fields() {
		setting := f.Tag.Get("setting")
		if setting == "" {
			continue
		}
		name := f.Tag.Get("name")
		if name == "" {
			name = strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(setting, "POSTIL_"), "_", "-"))
		}
		value := f.Tag.Get("default")
		if value != "" {
			value = "`" + value + "`"
		}
		fmt.Fprintf(&b, "| `%s` | `--%s` | %s | %s |\n", setting, name, value, strings.ReplaceAll(f.Tag.Get("help"), "|", "\\|"))
	}
	return b.String()
}

func TestTheREADMEShowsEverySetting(t *testing.T) {
	path := filepath.Join("..", "..", "README.md")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(raw), tableBegin)
	have, tail, ok2 := strings.Cut(rest, tableEnd)
	if !ok || !ok2 {
		t.Fatalf("README.md has no place for the table of settings between %q and %q", tableBegin, tableEnd)
	}
	if want := settingsTable(); have != want {
		if *update {
			if err := os.WriteFile(path, []byte(head+tableBegin+want+tableEnd+tail), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		t.Error("the table of settings in README.md is out of date; run go test ./internal/app -update and look at the diff")
	}
}

func TestEachSettingCanBeGivenAsFlagVariableAndFile(t *testing.T) {
	dir := t.TempDir()
	config, secret := filepath.Join(dir, "postil.yaml"), filepath.Join(dir, "token")
	if err := os.WriteFile(config, []byte("listen: 127.0.0.1:1111\nlog-level: debug\ntelegram-chats: [\"1\", \"blog=2\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(secret, []byte("42:secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"POSTIL_LISTEN": "127.0.0.1:2222", "POSTIL_LOG_LEVEL": "warn", "POSTIL_TELEGRAM_TOKEN_FILE": secret}
	var c commands
	var out strings.Builder
	k, err := parse(&c, Process{Args: []string{"serve", "--config", config, "--log-level=error"}, Getenv: lookup(env), Stdout: &out, Stderr: &out})
	if err != nil || k == nil {
		t.Fatal(err, out.String())
	}
	if c.LogLevel != "error" || c.Listen != "127.0.0.1:2222" || c.TelegramToken.Reveal() != "42:secret" || len(c.TelegramChats) != 2 || c.Data != "./postil-data" {
		t.Errorf("flag, variable, file, default gave %q %q %v %q", c.LogLevel, c.Listen, c.TelegramChats, c.Data)
	}
}

func lookup(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := env[name]; return v, ok }
}

// runMain runs a command line and returns its exit code and what it said.
func runMain(t *testing.T, env map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = Main(t.Context(), Process{Args: args, Getenv: lookup(env), Stdout: &out, Stderr: &errs})
	return code, out.String(), errs.String()
}

func TestAllProblemsAreReportedAtOnceWithNameAndExample(t *testing.T) {
	code, _, said := runMain(t, map[string]string{
		"POSTIL_LISTEN": "here", "POSTIL_URL": "ftp://x", "POSTIL_TELEGRAM_MODE": "carrier pigeon", "POSTIL_ADMIN_KEY": "short",
		"POSTIL_TRUSTED_PROXIES": "0.0.0.0/0", "POSTIL_TELEGRAM_CHATS": "me",
	}, "serve")
	if code != 2 {
		t.Errorf("exit code %d", code)
	}
	for _, want := range []string{"POSTIL_LISTEN", "POSTIL_URL", "POSTIL_TELEGRAM_MODE", "POSTIL_ADMIN_KEY", "0.0.0.0/0", "POSTIL_TELEGRAM_CHATS", "Example"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in:\n%s", want, said)
		}
	}
	if strings.Contains(said, "short\n") {
		t.Error("a secret was printed")
	}
}

// What is misspelt would else be left at its default, and what is for good done,
// without a word.
func TestASlipOfThePenIsNamed(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "postil.yaml")
	if err := os.WriteFile(config, []byte("listne: 127.0.0.1:1111\nlog_level: debug\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		env  map[string]string
		args []string
		want []string
	}{
		{nil, []string{"serve", "--config", config, "--data", dir}, []string{"listne", "log_level", "postil serve --help"}},
		{map[string]string{"POSTIL_TELEGRAM_TOKEN": "not a token", "POSTIL_DATA": dir}, []string{"serve"}, []string{"POSTIL_TELEGRAM_TOKEN", "@BotFather"}},
		{map[string]string{"POSTIL_URL": "https://me:pass@blog.example", "POSTIL_DATA": dir}, []string{"serve"}, []string{"POSTIL_URL"}},
		{map[string]string{"POSTIL_DATA": dir}, []string{"site", "remove", "blog"}, []string{"blog", "--yes", "postil backup"}},
		{map[string]string{"POSTIL_DATA": dir}, []string{"site", "set", "blog", "orgins=https://blog.example"}, []string{"orgins", "origins"}},
	} {
		code, _, said := runMain(t, c.env, c.args...)
		for _, want := range c.want {
			if code != 2 || !strings.Contains(said, want) {
				t.Errorf("%q ends with %d and lacks %q: %s", c.args, code, want, said)
			}
		}
		if strings.Contains(said, "not a token") {
			t.Errorf("a secret was printed: %s", said)
		}
	}
}

func TestRL_08_EveryAddressTrustedIsRefusedAtTheStart(t *testing.T) {
	for _, all := range []string{"0.0.0.0/0", "::/0"} {
		code, _, said := runMain(t, map[string]string{"POSTIL_TRUSTED_PROXIES": all, "POSTIL_DATA": t.TempDir()}, "serve")
		if code != 2 || !strings.Contains(said, all) {
			t.Errorf("%s: exit %d, %s", all, code, said)
		}
	}
}

func TestSwitchesForMeasuringStayOnLoopback(t *testing.T) {
	for _, env := range []map[string]string{
		{"POSTIL_LIMITS": "off", "POSTIL_LISTEN": "0.0.0.0:0"},
		{"POSTIL_LIMITS": "off", "POSTIL_URL": "https://blog.example"},
		{"POSTIL_CLOCK": "header", "POSTIL_LISTEN": ":0"},
	} {
		env["POSTIL_DATA"] = t.TempDir()
		if code, _, said := runMain(t, env, "serve"); code != 2 || !strings.Contains(said, "measuring") {
			t.Errorf("%v: exit %d, %s", env, code, said)
		}
	}
}

func TestASiteIsAddedWithItsAddressAlone(t *testing.T) {
	env := map[string]string{"POSTIL_DATA": t.TempDir()}
	code, out, said := runMain(t, env, "site", "add", "blog", "--origin", "https://blog.example")
	if code != 0 || !strings.Contains(out, `"name": "blog"`) {
		t.Errorf("exit %d, %s%s", code, out, said)
	}
	for _, wrong := range []string{"max_links=many", "lockdown=maybe", "lockdown="} {
		if code, _, said := runMain(t, env, "site", "set", "blog", wrong); code != 2 || !strings.Contains(said, "Example") || strings.Contains(said, "json") {
			t.Errorf("%s: exit %d, %s", wrong, code, said)
		}
	}
}

func TestAKeyAndAModeratorAreBoundToTheSiteThatIsNamed(t *testing.T) {
	env := map[string]string{"POSTIL_DATA": t.TempDir(), "POSTIL_SITE": "other"} // the setting must not bind anything
	for _, args := range [][]string{
		{"site", "add", "blog", "--origin", "https://blog.example"},
		{"key", "create", "--role", "moderator", "--site", "blog"}, {"key", "create", "--role", "moderator"},
		{"moderator", "link", "--name", "Ann", "--site", "blog"}, {"moderator", "link", "--name", "Ben"},
	} {
		if code, _, said := runMain(t, env, args...); code != 0 {
			t.Fatal(args, said)
		}
	}
	for _, kind := range []string{"key", "moderator"} {
		_, out, _ := runMain(t, env, kind, "list")
		if strings.Count(out, `"site": "blog"`) != 1 || strings.Count(out, `"site": null`) != 1 {
			t.Errorf("%s list says %s", kind, out)
		}
	}
}

func TestCommandsWorkWithoutAServer(t *testing.T) {
	env := map[string]string{"POSTIL_DATA": t.TempDir()}
	if code, _, said := runMain(t, env, "site", "add", "blog", "--origin", "https://Blog.example:443/", "--name", "My blog"); code != 0 {
		t.Fatal(said)
	}
	if code, out, _ := runMain(t, env, "site", "list"); code != 0 || !strings.Contains(out, "https://blog.example") {
		t.Errorf("list says %s", out)
	}
	if code, _, said := runMain(t, env, "site", "set", "blog", "policy=hold-all", "lockdown=true"); code != 0 {
		t.Error(said)
	}
	if code, out, _ := runMain(t, env, "site", "show", "blog"); code != 0 || !strings.Contains(out, "hold-all") {
		t.Errorf("show says %s", out)
	}
	if code, _, said := runMain(t, env, "site", "set", "blog", "policy=anything"); code == 0 || !strings.Contains(said, "hold-all") {
		t.Errorf("a wrong policy: exit %d, %s", code, said)
	}
	code, key, _ := runMain(t, env, "key", "create", "--role", "admin")
	if code != 0 || strings.Count(key, "\n") != 1 || !strings.HasPrefix(key, "pk_") {
		t.Errorf("key create printed %q", key)
	}
	if code, pin, _ := runMain(t, env, "moderator", "link", "--name", "Ann"); code != 0 || strings.Count(pin, "\n") != 1 {
		t.Errorf("moderator link printed %q", pin)
	}
	if code, out, _ := runMain(t, env, "version"); code != 0 || !strings.Contains(out, "SQLite 3.") {
		t.Errorf("version says %s", out)
	}
	if code, out, _ := runMain(t, env, "migrate", "--check"); code != 0 || !strings.Contains(out, "up to date") {
		t.Errorf("migrate says %s", out)
	}
	if code, _, _ := runMain(t, env, "dance"); code != 2 {
		t.Errorf("an unknown command ends with %d", code)
	}
}

func TestSQL_05_ASecondServerIsRefusedByName(t *testing.T) {
	dir := t.TempDir()
	lock, err := lockData(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Unlock()
	code, _, said := runMain(t, map[string]string{"POSTIL_DATA": dir}, "serve")
	if code != 1 || !strings.Contains(said, fmt.Sprint(os.Getpid())) {
		t.Errorf("exit %d, %s", code, said)
	}
}

func TestWhoCallsThePostilAloneIsHelped(t *testing.T) {
	var out, errs strings.Builder
	code := Main(t.Context(), Process{Getenv: func(string) (string, bool) { return "", false }, Stdout: &out, Stderr: &errs})
	if code != 2 || out.Len() != 0 || !strings.Contains(errs.String(), "Usage: postil") || !strings.Contains(errs.String(), "serve") {
		t.Errorf("exit code %d, %q and %q", code, out.String(), errs.String())
	}
}
