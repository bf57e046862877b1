package ports

import (
	"net"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestNoPortIsGivenTwice(t *testing.T) {
	seen := map[string]bool{}
	for range each / 2 {
		a := Address(t)
		if seen[a] {
			t.Fatalf("%s was given twice", a)
		}
		seen[a] = true
		ln, err := net.Listen("tcp", a)
		if err != nil {
			t.Fatal(err)
		}
		ln.Close()
	}
}
