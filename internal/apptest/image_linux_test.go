package apptest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/postil/postil/internal/apptest"
	"github.com/postil/postil/internal/apptest/ports"
)

func deploy(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// image is what the Dockerfile says of the image that it makes.
type image struct {
	user     int
	env      map[string]string
	volume   string
	port     string
	health   []string
	command  []string
	building []string // what runs in the first stage
}

func imageOf(t *testing.T) (im image) {
	t.Helper()
	im.env = map[string]string{}
	list := func(s string) (words []string) {
		if err := json.Unmarshal([]byte(s), &words); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		return words
	}
	for line := range strings.Lines(deploy(t, "Dockerfile")) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "RUN":
			im.building = append(im.building, rest)
		case "USER":
			im.user, _ = strconv.Atoi(rest)
		case "ENV":
			for pair := range strings.FieldsSeq(rest) {
				k, v, _ := strings.Cut(pair, "=")
				im.env[k] = v
			}
		case "VOLUME":
			im.volume = rest
		case "EXPOSE":
			im.port = rest
		case "HEALTHCHECK":
			_, cmd, _ := strings.Cut(rest, "CMD ")
			im.health = list(cmd)
		case "ENTRYPOINT", "CMD":
			im.command = append(im.command, list(rest)...)
		}
	}
	if im.user == 0 || im.volume == "" || im.port == "" || len(im.health) == 0 || len(im.command) < 2 {
		t.Fatalf("the image has no user, volume, port, health check or command: %+v", im)
	}
	return im
}

// The image holds the binary, certificates and an empty directory, and runs as
// somebody without rights: so does a directory here that has nothing else. Only
// root may close one in; others run the same without that.
func TestTheImageWorksWithNothingAroundIt(t *testing.T) {
	t.Parallel()
	im := imageOf(t)
	if !slices.ContainsFunc(im.building, func(s string) bool {
		return strings.Contains(s, "CGO_ENABLED=0 go build -trimpath -ldflags '-s -w'")
	}) {
		t.Errorf("the image is built otherwise than the binary that is tested: %q", im.building)
	}
	root, err := os.MkdirTemp("", "postil-image-") // a test's own directory cannot be entered by others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	binary, err := os.ReadFile(apptest.Build(t))
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(root, im.volume)
	inside := os.Getuid() == 0
	for _, err := range []error{os.WriteFile(filepath.Join(root, "postil"), binary, 0o755), os.Chmod(root, 0o755), os.Mkdir(data, 0o755)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	command := func(words []string, env ...string) *exec.Cmd {
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Env, cmd.Dir = env, "/"
		if inside {
			cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: uint32(im.user), Gid: uint32(im.user)}}
		} else {
			cmd.Path, cmd.Err = filepath.Join(root, words[0]), nil
		}
		return cmd
	}
	if inside {
		if err := os.Chown(data, im.user, im.user); err != nil {
			t.Fatal(err)
		}
	} else {
		im.env["POSTIL_DATA"] = data
	}
	address := ports.Address(t)
	env := []string{"POSTIL_URL=http://" + address + "/", "POSTIL_DATA=" + im.env["POSTIL_DATA"], "POSTIL_LISTEN=" + address, "POSTIL_ADMIN_KEY=" + apptest.AdminKey}
	cmd := command(im.command, env...)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	apptest.Eventually(t, 2*time.Minute, "the service is ready", func() bool {
		res, err := http.Get("http://" + address + "/readyz")
		if err != nil {
			return false
		}
		res.Body.Close()
		return res.StatusCode == http.StatusOK
	})
	if out, err := command(im.health, env...).CombinedOutput(); err != nil {
		t.Errorf("the health check says %s, %v", out, err)
	}
	knowsTimeZones(t, "http://"+address)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the end was %v:\n%s", err, content(log.Name()))
	}
	if out, err := command(im.health, env...).CombinedOutput(); err == nil {
		t.Errorf("the health check finds a service that has ended well: %s", out)
	}
}

// TIME-05: there is no list of time zones in the image.
func knowsTimeZones(t *testing.T, base string) {
	t.Helper()
	for zone, want := range map[string]int{"Europe/Madrid": http.StatusOK, "Mars/Base": http.StatusBadRequest} {
		req, err := http.NewRequestWithContext(t.Context(), "PUT", base+"/api/v1/admin/config/summary.zone", strings.NewReader(`{"value":"`+zone+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+apptest.AdminKey)
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		answer, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != want || want != http.StatusOK && !(strings.Contains(string(answer), zone) && strings.Contains(string(answer), "summary.zone")) {
			t.Errorf("%s: %d %s", zone, res.StatusCode, answer)
		}
	}
}

func content(file string) []byte {
	raw, _ := os.ReadFile(file)
	return raw
}

// What is written in compose.yaml, in the unit and in the proxies' files fits
// the image, the settings and each other.
func TestTheDeploymentFilesFitTogether(t *testing.T) {
	t.Parallel()
	im := imageOf(t)
	var compose struct {
		Services map[string]struct {
			Build       struct{ Context, Dockerfile string }
			Ports       []string
			Environment map[string]string
			Volumes     []string
			Restart     string
			MemLimit    string `yaml:"mem_limit"`
			ReadOnly    bool   `yaml:"read_only"`
		}
		Volumes map[string]any
	}
	if err := yaml.Unmarshal([]byte(deploy(t, "compose.yaml")), &compose); err != nil {
		t.Fatal(err)
	}
	s := compose.Services["postil"]
	if _, err := os.Stat(filepath.Join("..", "..", "deploy", s.Build.Context, s.Build.Dockerfile)); err != nil {
		t.Error(err)
	}
	if len(s.Ports) != 1 || !strings.HasPrefix(s.Ports[0], "127.0.0.1:") || !strings.HasSuffix(s.Ports[0], ":"+im.port) {
		t.Errorf("ports are %q, the image listens at %s", s.Ports, im.port)
	}
	name, place, _ := strings.Cut(strings.Join(s.Volumes, ","), ":")
	if _, ok := compose.Volumes[name]; !ok || place != im.volume {
		t.Errorf("the volume is %q, the image keeps its data in %s", s.Volumes, im.volume)
	}
	if s.Restart != "always" || s.MemLimit == "" || !s.ReadOnly {
		t.Errorf("the service is not restarted, bounded or kept from writing elsewhere: %+v", s)
	}
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"compose.yaml", "Dockerfile", "README.md", "nginx.conf", "nginx-edge.conf", "postil.service"} {
		for _, setting := range regexp.MustCompile(`POSTIL_[A-Z_]+[A-Z]`).FindAllString(deploy(t, file), -1) {
			if !strings.Contains(string(readme), "| `"+setting+"` |") {
				t.Errorf("deploy/%s speaks of %s, which is no setting", file, setting)
			}
		}
	}
}

// systemd itself reads the unit, where it is installed.
func TestTheUnitIsOneThatSystemdTakes(t *testing.T) {
	t.Parallel()
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	unit := strings.NewReplacer("/usr/local/bin/postil", apptest.Build(t), "User=postil", "User=daemon", "/etc/postil.env", "-/etc/postil.env").Replace(deploy(t, "postil.service"))
	file := filepath.Join(t.TempDir(), "postil.service")
	if err := os.WriteFile(file, []byte(unit), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(analyze, "verify", "--man=no", file).CombinedOutput()
	if err != nil || bytes.Contains(out, []byte("postil.service")) {
		t.Errorf("%v: %s", err, out)
	}
}
