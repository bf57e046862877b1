package token

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/postil/postil/internal/postil"
)

func TestASecretNeverPrints(t *testing.T) {
	t.Parallel()
	const text = "correct-horse-battery-staple-0123456789"
	secret := NewSecret(text)
	type config struct {
		Open   Secret
		closed Secret
		at     *Secret
		keys   *Keys
	}
	k := NewKeys(secret)
	values := map[string]any{"secret": secret, "pointer": &secret, "struct": config{secret, secret, &secret, k}, "slice": []Secret{secret},
		"map": map[string]Secret{"a": secret}, "keys": k, "key values": *k, "error": fmt.Errorf("with %v", secret)}
	for name, v := range values {
		var out bytes.Buffer
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%p", "%T"} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
		slog.New(slog.NewTextHandler(&out, nil)).Info("m", "v", v)
		slog.New(slog.NewJSONHandler(&out, nil)).Info("m", "v", v)
		if b, err := json.Marshal(v); err == nil {
			out.Write(b)
		}
		for _, leak := range []string{text, fmt.Sprintf("%x", text), fmt.Sprintf("%X", text), "correct", string(k.of(forEdit)), fmt.Sprintf("%x", k.of(forEdit)), fmt.Sprint(k.of(forEdit))} {
			if strings.Contains(out.String(), leak) {
				t.Errorf("%s prints %q", name, leak)
			}
		}
	}
	if secret.Reveal() != text || secret.IsZero() || !(Secret{}).IsZero() || (Secret{}).String() != "" || secret.String() != "(hidden)" {
		t.Error("the secret itself is damaged")
	}
	var read Secret
	if err := json.Unmarshal([]byte(`"`+text+`"`), &read); err != nil || read.Reveal() != text {
		t.Errorf("read as %q, %v", read.Reveal(), err)
	}
}

func TestASecretIsMadeOnceAndKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "secret")
	first, err := LoadSecret(path)
	if err != nil || len(first.Reveal()) < minSecret {
		t.Fatal(err)
	}
	again, err := LoadSecret(path)
	if err != nil || again.Reveal() != first.Reveal() {
		t.Errorf("another secret after a restart: %v", err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if names, _ := os.ReadDir(dir); len(names) != 1 {
		t.Errorf("left behind: %v", names)
	}
	elsewhere, err := LoadSecret(filepath.Join(t.TempDir(), "secret"))
	if err != nil || elsewhere.Reveal() == first.Reveal() {
		t.Errorf("two installations share a secret: %v", err)
	}
}

func TestProcessesThatBeginAtOnceAgreeOnOneSecret(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secret")
	got := make([]string, 16)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			s, err := LoadSecret(path)
			if err != nil {
				t.Error(err)
			}
			got[i] = s.Reveal()
		})
	}
	wg.Wait()
	for _, s := range got {
		if s != got[0] || s == "" {
			t.Fatal("they differ")
		}
	}
}

func TestAnUnusableSecretFileIsRefusedWithASentence(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 40)
	for _, c := range []struct {
		name, text string
		mode       fs.FileMode
		want       string
	}{
		{"readable by the world", long, 0o604, "chmod 600"},
		{"writable by the group", long, 0o620, "chmod 600"},
		{"open to all", long, 0o666, "chmod 600"},
		{"empty", "", 0o600, "too short"},
		{"cut off", long[:31] + "\n\n\n\n", 0o600, "too short"},
	} {
		path := filepath.Join(t.TempDir(), "secret")
		if err := errors.Join(os.WriteFile(path, []byte(c.text), 0o600), os.Chmod(path, c.mode)); err != nil {
			t.Fatal(err)
		}
		s, err := LoadSecret(path)
		if !s.IsZero() || postil.KindOf(err) != postil.Invalid || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", c.name, err)
		}
		if after, _ := os.ReadFile(path); string(after) != c.text {
			t.Errorf("%s: the file was changed", c.name)
		}
	}
	for name, path := range map[string]string{"a directory": t.TempDir(), "no directory": filepath.Join(t.TempDir(), "none", "secret")} {
		if s, err := LoadSecret(path); !s.IsZero() || postil.KindOf(err) != postil.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, mode := range []fs.FileMode{0o600, 0o400, 0o640} {
		path := filepath.Join(t.TempDir(), "secret")
		if err := errors.Join(os.WriteFile(path, []byte(" "+long+"\r\n"), 0o600), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		if s, err := LoadSecret(path); err != nil || s.Reveal() != long {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
}

func TestAShortSecretSettingIsRefusedWithoutSayingIt(t *testing.T) {
	t.Parallel()
	_, err := ParseSecret("hunter2hunter2")
	if postil.KindOf(err) != postil.Invalid || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "openssl rand") {
		t.Error(err)
	}
}
