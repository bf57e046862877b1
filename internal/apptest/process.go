package apptest

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Process is the real binary, serving.
type Process struct {
	*Client
	Bot  *Bot // nil without Telegram
	Data string

	binary string
	args   []string
	env    []string
	stdin  *os.File // nil: nobody sits before it
	out    io.Writer

	mu     sync.Mutex
	cmd    *exec.Cmd
	ended  chan struct{}
	err    error
	stderr tail
	stdout tail
}

// RunBinary starts the real binary and returns when it answers. It is killed
// at the end of the test at the latest. env are settings as NAME=value; they
// win over those of the options, and an empty value takes one away.
func RunBinary(t testing.TB, o Options, env ...string) *Process {
	t.Helper()
	p := Prepare(t, o, env...)
	p.Start(t)
	return p
}

// Prepare is RunBinary without starting.
func Prepare(t testing.TB, o Options, env ...string) *Process {
	t.Helper()
	cfg, bot := o.config(t)
	settings := map[string]string{
		"POSTIL_LISTEN": cfg.Listen, "POSTIL_URL": cfg.URL, "POSTIL_DATA": cfg.Data, "POSTIL_ADMIN_KEY": AdminKey,
		"POSTIL_SITE": cfg.Site, "POSTIL_SITE_ORIGINS": strings.Join(cfg.SiteOrigins, ","), "POSTIL_LOG": cfg.Log,
	}
	if bot != nil {
		settings["POSTIL_TELEGRAM_TOKEN"], settings["POSTIL_TELEGRAM_API"] = BotToken, bot.URL
		settings["POSTIL_TELEGRAM_CHATS"], settings["POSTIL_TELEGRAM_MODERATORS"] = cfg.TelegramChats[0], cfg.TelegramMods[0]
	}
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		settings[name] = value
	}
	p := &Process{Client: newClient(settings["POSTIL_LISTEN"], settings["POSTIL_URL"]), Bot: bot, Data: settings["POSTIL_DATA"], binary: Build(t), args: []string{"serve"}}
	if o.Demo {
		p.args = append(p.args, "--demo")
	}
	p.env = slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "POSTIL_") })
	for name, value := range settings {
		if value != "" {
			p.env = append(p.env, name+"="+value)
		}
	}
	t.Cleanup(func() {
		p.Kill(t)
		if t.Failed() {
			t.Logf("the service's log:\n%s", p.Stderr())
		}
	})
	return p
}

// Attach gives the process a terminal instead of nobody. It is read and
// written by the caller, who closes it; call it before Start.
func (p *Process) Attach(terminal *os.File) { p.stdin, p.out = terminal, terminal }

// Start starts the binary, with the settings and data it had before, and
// returns when it answers.
func (p *Process) Start(t testing.TB) {
	t.Helper()
	p.Launch(t)
	p.awaitReady(t, p.ended)
}

// Launch is Start without waiting for an answer.
func (p *Process) Launch(t testing.TB) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	cmd := exec.Command(p.binary, p.args...)
	cmd.Env, cmd.Stderr, cmd.Stdout = p.env, &p.stderr, &p.stdout
	if p.stdin != nil {
		cmd.Stdin, cmd.Stdout = p.stdin, p.out
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("the binary cannot be started: %v", err)
	}
	ended := make(chan struct{})
	p.cmd, p.ended = cmd, ended
	go func() {
		err := cmd.Wait()
		p.mu.Lock()
		p.err = err
		p.mu.Unlock()
		close(ended)
	}()
}

// Command runs another command of the binary with the same settings; more
// settings win over those. It returns the exit code and what was printed.
func (p *Process) Command(t testing.TB, more []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	cmd := exec.Command(p.binary, args...)
	cmd.Env = append(slices.Clone(p.env), more...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatalf("postil %v cannot be run: %v", args, err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// PID returns the id of the process that was started last.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Signal sends a signal to the running process.
func (p *Process) Signal(t testing.TB, s os.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatalf("the signal %v cannot be sent: %v", s, err)
	}
}

// Pause stops the process in its tracks: connections stay open and nothing
// answers, until Resume.
func (p *Process) Pause(t testing.TB)  { p.Signal(t, syscall.SIGSTOP) }
func (p *Process) Resume(t testing.TB) { p.Signal(t, syscall.SIGCONT) }

// Kill ends the process with no chance to say goodbye, and waits for its end.
// A process that has ended stays so.
func (p *Process) Kill(t testing.TB) {
	t.Helper()
	if p.cmd == nil {
		return
	}
	p.Signal(t, syscall.SIGKILL)
	<-p.ended
}

// Stop asks the process to end and returns its exit code.
func (p *Process) Stop(t testing.TB) int {
	t.Helper()
	p.Signal(t, syscall.SIGTERM)
	return p.Wait(t, 20*time.Second)
}

// Wait waits for the end of the process and returns its exit code.
func (p *Process) Wait(t testing.TB, within time.Duration) int {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(within):
		t.Fatalf("the process did not end within %v", within)
	}
	return p.cmd.ProcessState.ExitCode()
}

// Restart kills the process and starts it again.
func (p *Process) Restart(t testing.TB) {
	t.Helper()
	p.Kill(t)
	p.Start(t)
}

// Stderr returns the log so far, of all starts.
func (p *Process) Stderr() string { return p.stderr.String() }

// Stdout returns what was printed so far when no terminal is attached.
func (p *Process) Stdout() string { return p.stdout.String() }
