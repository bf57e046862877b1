//go:build chaos

package chaos

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/postil/postil/internal/apptest/ports"
)

// broker is an outside one: always at the same address, never with a memory of
// its former life.
func broker(t *testing.T, address string) *server.Server {
	t.Helper()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.NewServer(&server.Options{ServerName: "outside", Host: host, Port: number, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the outside broker does not start")
	}
	t.Cleanup(func() { stopBroker(s) })
	return s
}

func stopBroker(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

// TestTheBrokerDownIsSurvived takes the broker away while people post, and
// gives back one that knows nothing.
func TestTheBrokerDownIsSurvived(t *testing.T) {
	address := ports.Address(t)
	first := broker(t, address)
	n := newNode(t, "POSTIL_NATS_URL=nats://"+address)
	ctx := context.Background()
	if err := n.start(); err != nil {
		t.Fatal(err)
	}
	if err := n.answers(ctx); err != nil {
		t.Fatal(err)
	}
	n.becomes(t, "ok", "ok")

	posted := make(chan string, 10_000)
	stop := make(chan struct{})
	var people sync.WaitGroup
	for i := range 8 {
		people.Go(func() {
			for k := 0; ; k++ {
				select {
				case <-stop:
					return
				case <-time.After(15 * time.Millisecond):
				}
				id, err := n.post(ctx, posts[0], fmt.Sprintf("person %d says thing %d while the broker comes and goes", i, k))
				if err != nil {
					t.Error(err)
					return
				}
				posted <- id
			}
		})
	}
	time.Sleep(500 * time.Millisecond) // some before
	stopBroker(first)
	n.becomes(t, "degraded", "")
	time.Sleep(time.Second) // some meanwhile
	broker(t, address)
	n.becomes(t, "ok", "ok")
	time.Sleep(300 * time.Millisecond) // some after
	close(stop)
	people.Wait()
	close(posted)

	f := n.settledQuietly(t, patience)
	count := 0
	for id := range posted {
		count++
		if r := f.byID(id); r == nil {
			t.Errorf("comment %s was acknowledged and is not there", id)
		}
	}
	if count != len(f.rows) {
		t.Errorf("%d comments were acknowledged and %d are stored", count, len(f.rows))
	}
	n.soundLogs(t)
	t.Logf("%d comments before, during and after the loss of the broker", count)
}

// becomes waits until readyz has a status and says of the broker what is
// wanted, "" for anything but ok. Comments are accepted all the while.
func (n *node) becomes(t *testing.T, status, wanted string) {
	t.Helper()
	var ready readiness
	for began := time.Now(); time.Since(began) < 30*time.Second; time.Sleep(10 * time.Millisecond) {
		ready = readiness{}
		code, _, err := n.ask(context.Background(), "GET", "/readyz", "", nil, &ready)
		if err != nil || code != http.StatusOK {
			t.Fatalf("readyz answers %d, %v, without a broker", code, err)
		}
		said := ready.Checks["broker"]
		if ready.Status == status && (said == wanted || wanted == "" && said != "ok" && said != "") {
			return
		}
	}
	t.Fatalf("readyz does not become %s: %+v", status, ready)
}
