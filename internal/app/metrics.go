package app

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/postil/postil/internal/cache"
	"github.com/postil/postil/internal/doctor"
	"github.com/postil/postil/internal/postil"
	"github.com/postil/postil/internal/store"
)

// How long figures that the store must be asked for are repeated: those that a
// partial index counts, and those that cost a walk over all comments.
const (
	quickFigures = time.Second
	slowFigures  = 10 * time.Second
)

var (
	requestsDesc  = prometheus.NewDesc("postil_thread_requests_total", "Reads answered by the cache of threads, counts and lists.", []string{"result"}, nil)
	loadsDesc     = prometheus.NewDesc("postil_thread_loads_total", "Threads read from the store.", nil, nil)
	cacheDesc     = prometheus.NewDesc("postil_cache_bytes", "Estimated weight of the cached answers.", nil, nil)
	streamsDesc   = prometheus.NewDesc("postil_streams", "Open streams.", nil, nil)
	backlogDesc   = prometheus.NewDesc("postil_outbox_backlog", "Events that the broker does not have yet.", nil, nil)
	queueDesc     = prometheus.NewDesc("postil_review_queue", "Comments that wait for a person.", nil, nil)
	cardsDesc     = prometheus.NewDesc("postil_cards_undelivered", "Telegram cards that could not be sent so far.", nil, nil)
	commentsDesc  = prometheus.NewDesc("postil_comments_total", "Comments in each status.", []string{"status"}, nil)
	backupDesc    = prometheus.NewDesc("postil_backup_last_success_timestamp_seconds", "When the last good backup was made; 0: never.", nil, nil)
	answersDesc   = prometheus.NewDesc("postil_answers_total", "Answers that were no success: wrong is 4xx, limited 429, busy 503, failed any other 5xx.", []string{"class"}, nil)
	diskDesc      = prometheus.NewDesc("postil_disk_free_bytes", "Free space of the data directory.", nil, nil)
	decisionsDesc = prometheus.NewDesc("postil_decisions_total", "Decisions since the start of this process.", []string{"channel", "decision"}, nil)
)

// ledger is what the store is asked for.
type ledger interface {
	Backlog(ctx context.Context) (int, error)
	OpenReviews(ctx context.Context) (int, time.Time, error)
	UndeliveredCards(ctx context.Context) (int, error)
	StatusTotals(ctx context.Context) (map[postil.Status]int, error)
	LastDecision(ctx context.Context) (postil.DecisionID, error)
	Taken(ctx context.Context, after postil.DecisionID, limit int) ([]store.Taken, error)
}

// metrics returns the handler of GET metrics.
func (a *App) metrics(ctx context.Context) http.Handler {
	last, err := a.store.LastDecision(ctx)
	if err != nil {
		a.lg.Warn("decisions are counted from the very first", "err", err)
	}
	figures := &figures{lg: a.lg, from: a.store, cache: a.cache.Stats, streams: a.hub.Count, backup: a.backups.Last, last: last,
		answers: a.noticed.classes, disk: func() (uint64, error) { return doctor.FreeBytes(a.cfg.Data) }, decisions: map[store.Taken]int{}}
	r := prometheus.NewRegistry()
	r.MustRegister(figures, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{})
}

// figures are the service's own. What the store cannot say at the moment is
// left out: a figure that is absent alarms, one that is old deceives.
type figures struct {
	lg      *slog.Logger
	from    ledger
	cache   func() cache.Stats
	streams func() int
	backup  func() time.Time
	answers func() map[string]int64
	disk    func() (uint64, error)

	mu               sync.Mutex
	quick, slow      time.Time // when the figures below were read
	backlog, waiting int
	undelivered      int
	comments         map[postil.Status]int
	last             postil.DecisionID
	decisions        map[store.Taken]int // by channel and verb
}

// Describe says nothing: which labels there are is seen in the data.
func (f *figures) Describe(chan<- *prometheus.Desc) {}

func (f *figures) Collect(to chan<- prometheus.Metric) {
	count := func(d *prometheus.Desc, n int64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
	}
	gauge := func(d *prometheus.Desc, n int, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(n), labels...)
	}
	s := f.cache()
	count(requestsDesc, s.Hits, "hit")
	count(requestsDesc, s.Stale, "stale")
	count(requestsDesc, s.Misses, "miss")
	count(requestsDesc, s.Refused, "refused")
	count(loadsDesc, s.ThreadLoads)
	gauge(cacheDesc, int(s.Bytes))
	gauge(streamsDesc, f.streams())
	for class, n := range f.answers() {
		count(answersDesc, n, class)
	}
	if free, err := f.disk(); err == nil {
		gauge(diskDesc, int(free))
	}
	gauge(backupDesc, int(max(0, f.backup().Unix())))

	f.mu.Lock()
	defer f.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if f.fresh(&f.quick, quickFigures, func() error { return f.readQuick(ctx) }) {
		gauge(backlogDesc, f.backlog)
		gauge(queueDesc, f.waiting)
		gauge(cardsDesc, f.undelivered)
		for d, n := range f.decisions {
			count(decisionsDesc, int64(n), string(d.Channel), string(d.Verb))
		}
	}
	if f.fresh(&f.slow, slowFigures, func() (err error) { f.comments, err = f.from.StatusTotals(ctx); return err }) {
		for status, n := range f.comments {
			gauge(commentsDesc, n, string(status))
		}
	}
}

// fresh reads figures anew when those of at are too old, and reports whether
// they can be told.
func (f *figures) fresh(at *time.Time, keep time.Duration, read func() error) bool {
	if time.Since(*at) < keep {
		return true
	}
	if err := read(); err != nil {
		f.lg.Warn("figures cannot be read from the store", "err", err)
		return false
	}
	*at = time.Now()
	return true
}

func (f *figures) readQuick(ctx context.Context) (err error) {
	if f.backlog, err = f.from.Backlog(ctx); err != nil {
		return err
	}
	if f.waiting, _, err = f.from.OpenReviews(ctx); err != nil {
		return err
	}
	if f.undelivered, err = f.from.UndeliveredCards(ctx); err != nil {
		return err
	}
	return f.readDecisions(ctx)
}

// readDecisions adds what was decided since it looked last.
func (f *figures) readDecisions(ctx context.Context) error {
	const batch = 1000
	for {
		taken, err := f.from.Taken(ctx, f.last, batch)
		if err != nil {
			return err
		}
		for _, d := range taken {
			f.last, d.ID = d.ID, 0
			f.decisions[d]++
		}
		if len(taken) < batch {
			return nil
		}
	}
}
