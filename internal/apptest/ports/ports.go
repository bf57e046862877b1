// Package ports gives tests free ports that no other test takes, in this
// process or in one beside it.
package ports

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
)

// The shares of the processes lie one behind the other, below the range from
// which the system takes ports for outgoing connections, so that a port is
// still free when the service starts, and again when it is started anew.
const (
	first  = 20_000
	each   = 250
	shares = 40
	flags  = 19_000 // the UDP port that says who holds the first share; the others follow
)

// share is the part of the range that is this process's.
type share struct {
	first int
	flag  net.PacketConn // held for the life of the process
	mu    sync.Mutex
	given map[int]bool
}

var mine = sync.OnceValue(func() *share {
	s := &share{given: map[int]bool{}}
	for n := range shares {
		var err error
		if s.flag, err = net.ListenPacket("udp", fmt.Sprintf("127.0.0.1:%d", flags+n)); err == nil {
			s.first = first + n*each
			return s
		}
	}
	panic("more than 40 test processes at once, or none may listen on the loopback interface")
})

// Free returns a port of the loopback interface that nobody listens on and that
// it gives out once.
func Free(t testing.TB) int {
	t.Helper()
	s := mine()
	s.mu.Lock()
	defer s.mu.Unlock()
	for range 20 * each {
		port := s.first + rand.IntN(each)
		if !s.given[port] && free(port) {
			s.given[port] = true
			return port
		}
	}
	t.Fatalf("none of the ports from %d to %d, which %v stands for, is free", s.first, s.first+each-1, s.flag.LocalAddr())
	return 0
}

func free(port int) bool {
	ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return false
	}
	return ln.Close() == nil
}

// Address returns 127.0.0.1 with a free port, as in "127.0.0.1:20017".
func Address(t testing.TB) string {
	t.Helper()
	return fmt.Sprintf("127.0.0.1:%d", Free(t))
}
