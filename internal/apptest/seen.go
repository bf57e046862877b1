package apptest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Seen is what a page did besides what it shows.
type Seen struct {
	mu       sync.Mutex
	errors   []string
	dialogs  []string
	requests []Request
	turned   int // requests before the page was last opened or loaded anew
}

// Request is a request of a page.
type Request struct {
	Method, URL string
	Type        string // Document, Script, Fetch, EventSource, …
	Status      int64  // 0 until the answer begins
	id          network.RequestID
}

// note is called for each event of the tab.
func (s *Seen) note(ev any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := ev.(type) {
	case *network.EventRequestWillBeSent:
		s.requests = append(s.requests, Request{Method: e.Request.Method, URL: e.Request.URL, Type: string(e.Type), id: e.RequestID})
	case *network.EventResponseReceived:
		s.answered(e.RequestID, e.Response.Status)
	case *runtime.EventExceptionThrown:
		s.errors = append(s.errors, "exception: "+exception(e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			s.errors = append(s.errors, fmt.Sprintf("console.%s: %s", e.Type, arguments(e.Args)))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			s.errors = append(s.errors, fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	case *page.EventJavascriptDialogOpening:
		s.dialogs = append(s.dialogs, e.Message)
	}
}

func (s *Seen) answered(id network.RequestID, status int64) {
	for i := len(s.requests) - 1; i >= 0; i-- {
		if s.requests[i].id == id {
			s.requests[i].Status = status
			return
		}
	}
}

func exception(d *runtime.ExceptionDetails) string {
	if d.Exception != nil && d.Exception.Description != "" {
		return d.Exception.Description
	}
	return d.Text
}

func arguments(args []*runtime.RemoteObject) string {
	var all []string
	for _, a := range args {
		all = append(all, strings.Trim(string(a.Value), `"`)+a.Description)
	}
	return strings.Join(all, " ")
}

// Errors returns the errors and warnings of the console so far: what scripts
// said, what nobody caught, and what the browser refused or could not load.
func (s *Seen) Errors() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.errors)
}

// Dialogs returns the texts of the dialogs that a script opened.
func (s *Seen) Dialogs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.dialogs)
}

// Requests returns the requests so far.
func (s *Seen) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Forget empties the lists.
func (s *Seen) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.errors, s.dialogs, s.requests, s.turned = nil, nil, nil, 0
}

// turn is called before the page is opened or loaded anew.
func (s *Seen) turn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turned = len(s.requests)
}

// listens tells whether the page has an open stream of events.
func (s *Seen) listens() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.requests[s.turned:], func(r Request) bool { return r.Type == "EventSource" && r.Status == 200 })
}

func (s *Seen) report() string {
	return "console: " + strings.Join(s.Errors(), "\n")
}

// answerDialogs closes dialogs, which would hold up the page for ever.
func (s *Seen) answerDialogs(ctx context.Context) {
	for _, err := range chromedp.Events(ctx, page.JavascriptDialogOpening) {
		if err != nil {
			return
		}
		chromedp.Call(ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true}) // fails when the page is gone
	}
}
