//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/postil/postil/internal/apptest"
)

// terminal is a person before a terminal: they read what is printed and type.
type terminal struct {
	mu      sync.Mutex
	printed strings.Builder
	person  *os.File
}

// openTerminal returns the person's side, and the side for the program.
func openTerminal(t *testing.T) (*terminal, *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { person.Close() })
	control, err := person.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var number int
	if e := control.Control(func(fd uintptr) {
		if err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err == nil {
			number, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
	}); e != nil || err != nil {
		t.Fatal(e, err)
	}
	program, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	term := &terminal{person: person}
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := person.Read(buf)
			term.mu.Lock()
			term.printed.Write(buf[:n])
			term.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return term, program
}

func (term *terminal) text() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.printed.String()
}

func (term *terminal) reads(t *testing.T, within time.Duration, text string) {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Logf("the terminal shows:\n%s", term.text())
		}
	}()
	apptest.Eventually(t, within, fmt.Sprintf("the terminal shows %q", text), func() bool { return strings.Contains(term.text(), text) })
}

func (term *terminal) types(t *testing.T, line string) {
	t.Helper()
	if _, err := term.person.WriteString(line + "\n"); err != nil {
		t.Fatal(err)
	}
}

func TestADecisionInTheTerminalReachesEveryOpenPage(t *testing.T) {
	p := apptest.Prepare(t, apptest.Options{Demo: true})
	p.Site = "demo"
	term, program := openTerminal(t)
	p.Attach(program)
	p.Start(t)
	s := &stage{Process: p, browser: apptest.NewBrowser(t), page: p.URL + "/demo/posts/margins"}

	term.reads(t, slow, p.URL)
	term.reads(t, slow, "Does it work without JavaScript, too?") // the demo's own waiting comment
	ann, ben := s.reader(t), s.reader(t)
	mark(t, ann, ben)
	term.types(t, "n")
	write(t, ann, "Ann", "Shown in a terminal.")
	idOf(t, ann, slow, "Shown in a terminal.")
	term.reads(t, soon, "Shown in a terminal.")

	term.types(t, "y")
	ben.Shows(t, soon, ".thread", "Shown in a terminal.")
	ann.Gone(t, soon, waiting)
	term.types(t, "u")
	ben.Until(t, soon, "the comment is hidden again", `!`+apptest.In(".thread")+`.innerText.includes("Shown in a terminal.")`)
	unmoved(t, ann, ben)
	quiet(t, ann, ben)
}
