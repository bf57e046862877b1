// Package cluster runs several NATS servers in a test that keep their streams
// together, as the brokers of several nodes do. It knows nothing of Postil: a
// test gives each node the address of another server and is free to stop one.
package cluster

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/postil/postil/internal/apptest/ports"
)

// patience is how long a cluster may take to find a leader on a busy machine.
const patience = 2 * time.Minute

// Cluster is some servers that know each other.
type Cluster struct {
	Servers []*server.Server
}

// Start returns n servers that have found a leader; they stop after the test.
func Start(t testing.TB, n int) *Cluster {
	t.Helper()
	var routed []int
	for range n {
		routed = append(routed, ports.Free(t))
	}
	c := &Cluster{}
	for i := range n {
		ns, err := server.NewServer(&server.Options{
			ServerName: fmt.Sprint("n", i), Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true,
			JetStream: true, StoreDir: filepath.Join(t.TempDir(), fmt.Sprint("n", i)),
			Cluster: server.ClusterOpts{Name: "postil", Host: "127.0.0.1", Port: routed[i]},
			Routes:  server.RoutesFromStr(routes(routed)),
		})
		if err != nil {
			t.Fatal(err)
		}
		ns.Start()
		t.Cleanup(func() {
			ns.Shutdown()
			ns.WaitForShutdown()
		})
		c.Servers = append(c.Servers, ns)
	}
	c.await(t)
	return c
}

// URL returns where the i-th server is reached.
func (c *Cluster) URL(i int) string { return c.Servers[i].ClientURL() }

// await waits until the servers agree upon a leader and all of them follow it.
func (c *Cluster) await(t testing.TB) {
	t.Helper()
	for deadline := time.Now().Add(patience); !c.whole(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the servers find no leader")
		}
	}
}

func (c *Cluster) whole() bool {
	leaders := 0
	for _, ns := range c.Servers {
		if !ns.JetStreamIsCurrent() {
			return false
		}
		if ns.JetStreamIsLeader() {
			leaders++
			if len(ns.JetStreamClusterPeers()) != len(c.Servers) {
				return false
			}
		}
	}
	return leaders == 1
}

func routes(ports []int) (s string) {
	for i, p := range ports {
		if i > 0 {
			s += ","
		}
		s += fmt.Sprintf("nats-route://127.0.0.1:%d", p)
	}
	return s
}
