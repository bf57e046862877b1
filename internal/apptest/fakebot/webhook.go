package fakebot

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"time"
)

// hook is the webhook that is set, with its delivery running.
type hook struct {
	url       string
	secret    string
	stop      context.CancelFunc
	lastError string
	failedAt  time.Time
}

var secretToken = regexp.MustCompile(`^[A-Za-z0-9_-]{1,256}$`)

// setWebhook also takes http addresses, as a self-hosted Bot API server does: tests have no certificates.
func (s *Server) setWebhook(r *request) (any, *Fault) {
	address, secret := r.params["url"], r.params["secret_token"]
	if address == "" {
		return s.deleteWebhook(r)
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, badRequest("bad webhook: An HTTPS URL must be provided for webhook")
	}
	if secret != "" && !secretToken.MatchString(secret) {
		return nil, badRequest("secret token contains unallowed characters")
	}
	if fault := s.allow(r); fault != nil {
		return nil, fault
	}
	s.dropHook()
	if r.flag("drop_pending_updates") {
		s.state.pending = nil
	}
	s.pollTurn++
	s.pollEnd = "terminated by setWebhook request"
	s.state.polling = false
	ctx, cancel := context.WithCancel(context.Background())
	h := &hook{url: address, secret: secret, stop: cancel}
	s.state.hook = h
	s.hooks.Go(func() { s.deliver(ctx, h) })
	return true, nil
}

func (s *Server) deleteWebhook(r *request) (any, *Fault) {
	s.dropHook()
	if r.flag("drop_pending_updates") {
		s.state.pending = nil
	}
	return true, nil
}

// dropHook stops the delivery; Close waits for its end.
func (s *Server) dropHook() {
	if s.state.hook != nil {
		s.state.hook.stop()
		s.state.hook = nil
	}
}

func (s *Server) getWebhookInfo(*request) (any, *Fault) {
	info := map[string]any{"url": "", "has_custom_certificate": false, "pending_update_count": len(s.state.pending)}
	if len(s.allowed) > 0 {
		info["allowed_updates"] = s.allowed
	}
	if h := s.state.hook; h != nil {
		info["url"] = h.url
		info["max_connections"] = 40
		if h.lastError != "" {
			info["last_error_message"] = h.lastError
			info["last_error_date"] = h.failedAt.Unix()
		}
	}
	return info, nil
}

// deliver sends one update after the other until it is stopped; a refused one is sent again. Orders in the
// body of the receiver's answer are not carried out.
func (s *Server) deliver(ctx context.Context, h *hook) {
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: 30 * time.Second}
	for {
		u, retry, ok := s.await(ctx)
		if !ok {
			return
		}
		err := send(ctx, client, h, u)
		if ctx.Err() != nil {
			return
		}
		s.delivered(h, u, err)
		if err != nil {
			pause(ctx, retry)
		}
	}
}

// await returns the oldest pending update.
func (s *Server) await(ctx context.Context) (u update, retry time.Duration, ok bool) {
	for {
		s.mu.Lock()
		changed := s.changed
		retry = s.webhookRetry
		if len(s.state.pending) > 0 {
			u, ok = s.state.pending[0], true
		}
		s.mu.Unlock()
		if ok {
			return u, retry, true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return update{}, 0, false
		}
	}
}

func (s *Server) delivered(h *hook, u update, err error) {
	s.locked(func() {
		if s.state.hook != h {
			return
		}
		if err != nil {
			h.lastError, h.failedAt = err.Error(), s.now()
			return
		}
		s.confirm(u.id + 1)
	})
}

func send(ctx context.Context, client *http.Client, h *hook, u update) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url, bytes.NewReader(u.raw))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if h.secret != "" {
		req.Header.Set("X-Telegram-Bot-Api-Secret-Token", h.secret)
	}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("Connection failed: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return fmt.Errorf("Wrong response from the webhook: %s", resp.Status)
	}
	return nil
}
