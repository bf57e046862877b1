package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

func (p *Patient) get(ctx context.Context, address string, headers ...string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, "GET", address, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", "postil-doctor")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return p.HTTP.Do(r)
}

var errOther = errors.New("something else answers there")

// isPostil asks an address of healthz.
func (p *Patient) isPostil(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	res, err := p.get(ctx, address)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if to := res.Header.Get("Location"); res.StatusCode/100 == 3 && to != "" {
		return fmt.Errorf("it sends readers on to %s", to)
	}
	var said struct{ Status string }
	raw, err := io.ReadAll(io.LimitReader(res.Body, 1<<16))
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK || json.Unmarshal(raw, &said) != nil || said.Status != "ok" {
		return fmt.Errorf("%w (status %d)", errOther, res.StatusCode)
	}
	return nil
}

func publicURL(ctx context.Context, p *Patient) []Finding {
	const check = "public-url"
	u, err := url.Parse(p.URL)
	if err != nil {
		return nil // settings tells
	}
	err = p.isPostil(ctx, p.URL+"/healthz")
	var dns *net.DNSError
	switch {
	case err == nil && u.Scheme == "http" && !local(u.Hostname()):
		return found(Warning, check, p.URL+" is not encrypted.", "Whoever is in between reads edit keys and can change comments; pages on https cannot load the widget.", "POSTIL_URL=https://"+strings.TrimPrefix(p.URL, "http://"))
	case err == nil:
		return fine(check, "Postil answers at %s.", p.URL)
	case errors.As(err, &dns):
		return found(Broken, check, fmt.Sprintf("The name %s is not known to the DNS.", u.Hostname()), "No reader finds it.", u.Hostname()+". IN A <address of this machine>")
	case errors.Is(err, errOther) && u.Path != "" && p.isPostil(ctx, u.Scheme+"://"+u.Host+"/healthz") == nil:
		return found(Broken, check, fmt.Sprintf("Postil answers at %s://%s and not below %s.", u.Scheme, u.Host, u.Path), "The widget asks at addresses that do not exist.", fmt.Sprintf("POSTIL_URL=%s://%s", u.Scheme, u.Host))
	case errors.Is(err, errOther):
		return found(Broken, check, fmt.Sprintf("At %s %v.", p.URL, err), "The widget asks there and gets no comments.", "proxy_pass http://"+p.Listen+";")
	}
	return found(Broken, check, fmt.Sprintf("%s cannot be reached: %v.", p.URL, withoutURL(err)), "The widget asks there and gets no comments.", "proxy_pass http://"+p.Listen+";")
}

// withoutURL removes what the client puts before the cause.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

func local(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// certificate looks at what the address shows, also when it is not valid.
func certificate(ctx context.Context, p *Patient) []Finding {
	const check = "certificate"
	u, err := url.Parse(p.URL)
	if err != nil || u.Scheme != "https" {
		return nil
	}
	port := u.Port()
	if port == "" {
		port = "443"
	}
	var roots *x509.CertPool
	if t, ok := p.HTTP.Transport.(*http.Transport); ok && t.TLSClientConfig != nil {
		roots = t.TLSClientConfig.RootCAs
	}
	d := tls.Dialer{Config: &tls.Config{ServerName: u.Hostname(), RootCAs: roots}}
	conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	var invalid *tls.CertificateVerificationError
	switch {
	case errors.As(err, &invalid):
		return found(Broken, check, fmt.Sprintf("The certificate of %s is not valid: %v.", u.Hostname(), invalid.Err), "Browsers refuse to load the widget.", "certbot certonly -d "+u.Hostname())
	case err != nil:
		return nil // publicURL tells
	}
	defer conn.Close()
	state := conn.(*tls.Conn).ConnectionState()
	if left := state.PeerCertificates[0].NotAfter.Sub(p.Now()); left < 14*24*time.Hour {
		return found(Warning, check, fmt.Sprintf("The certificate of %s ends in %d days.", u.Hostname(), int(left.Hours()/24)), "After that browsers refuse to load the widget.", "certbot renew")
	}
	return fine(check, "The certificate is valid until %s.", state.PeerCertificates[0].NotAfter.Format(time.DateOnly))
}

// serverClock compares this machine's clock with that of another one.
func serverClock(ctx context.Context, p *Patient) []Finding {
	res, err := p.get(ctx, p.URL+"/healthz")
	if err != nil {
		return nil
	}
	res.Body.Close()
	at, err := http.ParseTime(res.Header.Get("Date"))
	if err != nil {
		return nil
	}
	if off := p.Now().Sub(at).Abs(); off > time.Minute {
		return found(Warning, "clock", fmt.Sprintf("The clock of this machine and that of %s are %v apart.", p.URL, off.Round(time.Second)), "Comments get wrong times, and form tokens and sessions end too early or too late.", "timedatectl set-ntp true")
	}
	return nil
}

// forged is an address of the range for documentation: nobody has it.
const forged = "198.51.100.77"

// chain sends a request the readers' way and asks the server how it arrived.
func chain(ctx context.Context, p *Patient) []Finding {
	const check = "forwarded-chain"
	if !p.Running {
		return unknown(check, "Start the server to see how requests arrive.")
	}
	path, err := p.Probe(ctx)
	if err != nil {
		return unknown(check, "The server does not take a test request: %v.", err)
	}
	res, err := p.get(ctx, p.URL+path, p.Header, forged)
	if err != nil {
		return nil // publicURL tells
	}
	defer res.Body.Close()
	var seen struct {
		Peer, Client, Header string
		Trusted              bool
		Steps                []string
	}
	if res.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(res.Body, 1<<16)).Decode(&seen) != nil {
		return unknown(check, "The test request did not arrive at this server (status %d).", res.StatusCode)
	}
	how := strings.Join(seen.Steps, " ")
	switch peer, _ := netip.ParseAddr(seen.Peer); {
	case seen.Client == forged:
		return found(Broken, check, "Whoever sends "+p.Header+" is believed. "+how, "Everyone can write from any address they like, and have others blocked.", "proxy_set_header "+p.Header+" $remote_addr;")
	case seen.Header != forged && !seen.Trusted:
		return found(Broken, check, fmt.Sprintf("Your proxy connects from %s, and Postil does not believe what it says. %s", seen.Peer, how), "All readers count as one: the first few writers use up the limit of everybody.", "POSTIL_TRUSTED_PROXIES="+netip.PrefixFrom(peer, peer.BitLen()).String())
	case seen.Trusted && seen.Client == seen.Peer:
		return found(Broken, check, fmt.Sprintf("Your proxy connects from %s and does not say in %s who the client is. %s", seen.Peer, p.Header, how), "All readers count as one.", "proxy_set_header "+p.Header+" $remote_addr;")
	}
	return fine(check, "A request arrives with the address of who sent it. %s", how)
}
