package store

import (
	"testing"
	"time"
)

func TestWhoWritesAloneIsNotHeldBackForCompany(t *testing.T) {
	t.Parallel()
	w := &writer{s: &Store{jobs: make(chan *job, 64)}}
	person, checks := &job{}, &job{patient: true}
	for range 100 { // one person, and the checks of what he wrote before
		w.counted([]*job{person, checks})
	}
	w.s.jobs <- &job{}
	w.committed = time.Now().Add(time.Hour) // whoever gathers now waits for long
	if jobs := w.gathered(person); len(jobs) != 1 {
		t.Errorf("%d jobs were gathered", len(jobs))
	}
	for range 8 { // several persons
		w.counted([]*job{person, person})
	}
	w.committed = time.Now().Add(time.Hour)
	for range 20 {
		w.s.jobs <- &job{}
	}
	if jobs := w.gathered(person); len(jobs) != gatherEnough {
		t.Errorf("%d jobs were gathered of those that wait", len(jobs))
	}
	w.committed = time.Now().Add(-time.Hour)
	if jobs := w.gathered(person); len(jobs) != 1 {
		t.Errorf("%d jobs were gathered long after the commit before", len(jobs))
	}
	for range 100 {
		w.counted([]*job{checks})
	}
	for len(w.s.jobs) > 0 {
		<-w.s.jobs
	}
	for range 100 {
		w.counted([]*job{person})
	}
	w.committed = time.Now().Add(time.Hour)
	if jobs := w.gathered(person); len(jobs) != 1 {
		t.Errorf("%d jobs were gathered when the others have gone", len(jobs))
	}
}
