package httpapi

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/postil/postil/internal/auth"
	"github.com/postil/postil/internal/postil"
)

// Arrival is how a request came to us, for an operator who looks at a request
// of his own. It holds addresses: it is answered and kept nowhere.
type Arrival struct {
	Peer    string   `json:"peer"`    // who connected
	Client  string   `json:"client"`  // who is taken for the client
	Header  string   `json:"header"`  // what the proxy's header says
	Trusted bool     `json:"trusted"` // the peer is one of the operator's proxies
	Steps   []string `json:"steps"`   // how the client was found, a sentence a hop
}

// probes are the test requests that are expected: each is good once, for a
// minute. The zero value expects none.
type probes struct {
	mu    sync.Mutex
	until map[string]time.Time
}

const probeTime = time.Minute

func (p *probes) expect(now time.Time) (code string) {
	b := make([]byte, 16)
	rand.Read(b) // never fails, see crypto/rand
	code = hex.EncodeToString(b)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.until == nil || len(p.until) > 100 {
		p.until = map[string]time.Time{}
	}
	p.until[code] = now.Add(probeTime)
	return code
}

func (p *probes) take(code string, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	until, ok := p.until[code]
	delete(p.until, code)
	return ok && now.Before(until)
}

// probeRoutes let “postil doctor” see how its request arrives.
func (s *Server) probeRoutes() []route {
	if s.deps.Explain == nil || s.deps.Admin.Authenticator == nil {
		return nil
	}
	return []route{
		s.admin("POST", "/probes", auth.Manage, s.adminProbe),
		{"GET", "/probe/:code", s.tracked(s.probe)},
	}
}

// adminProbe is POST /api/v1/admin/probes: the path of one test request.
func (s *Server) adminProbe(c echo.Context, p auth.Principal) error {
	if err := p.May(auth.Manage, ""); err != nil {
		return err
	}
	return answer(c, http.StatusCreated, jsonType, map[string]string{"path": "/probe/" + s.expected.expect(time.Now())})
}

// probe is GET /probe/{code}: how this request arrived, for whoever has the
// code. To everybody else there is nothing here.
func (s *Server) probe(c echo.Context) error {
	if !s.expected.take(c.Param("code"), time.Now()) {
		return postil.Missing()
	}
	return answer(c, http.StatusOK, jsonType, s.deps.Explain(c.Request().RemoteAddr, c.Request().Header))
}
