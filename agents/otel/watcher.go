package otel

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/otel/translate"
	"github.com/bullpen-office/bullpen/agents/otel/wire"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/intake"
)

type watcher struct {
	agents.WatchConfig
	slots chan struct{}
	items *prometheus.CounterVec // by signal and outcome

	mu     sync.Mutex
	reader translate.Reader
}

func newWatcher(cfg agents.WatchConfig) (agents.Watcher, error) {
	w := &watcher{
		WatchConfig: cfg, reader: translate.Reader{Ours: cfg.Ours}, slots: make(chan struct{}, contracts.LimitOTelRequests),
		items: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "bullpen_otel_items_total", Help: "OpenTelemetry spans, log records and metrics received, by outcome."}, []string{"signal", "outcome"}),
	}
	if cfg.Metrics != nil {
		if err := cfg.Metrics.Register(w.items); err != nil && !errors.As(err, new(prometheus.AlreadyRegisteredError)) {
			return nil, err
		}
	}
	return w, nil
}

func (w *watcher) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

func (w *watcher) Doors() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"POST /v1/traces":  w.serveTraces,
		"POST /v1/logs":    w.serveIgnored("logs"),
		"POST /v1/metrics": w.serveIgnored("metrics"),
	}
}

func (w *watcher) Workdir(string) string { return "" }
func (w *watcher) Links() []agents.Link  { return nil }
func (w *watcher) Close()                {}

// record records the spans of a batch and returns the number of rejected spans and the reason for
// the first rejection. An error means that the sender must retry.
func (w *watcher) record(ctx context.Context, b wire.Batch, by contracts.Principal) (rejected int64, why string, err error) {
	w.mu.Lock()
	reports := w.reader.Read(b.Spans, by.AgentID)
	w.mu.Unlock()
	rejected, why = b.Rejected, b.Why
	recorded := int64(0)
	for i := range reports {
		r := &reports[i]
		problem := w.tell(ctx, r, by)
		refusal := new(contracts.Refusal)
		switch {
		case problem == nil:
			recorded += r.Spans
		case ctx.Err() != nil, errors.As(problem, &refusal) && refusal.Code == contracts.CodeInternal:
			return 0, "", problem
		default:
			if rejected += r.Spans; why == "" {
				why = problem.Error()
			}
		}
	}
	w.items.WithLabelValues("traces", "recorded").Add(float64(recorded))
	w.items.WithLabelValues("traces", "rejected").Add(float64(rejected))
	w.items.WithLabelValues("traces", "ignored").Add(float64(int64(len(b.Spans)) + b.Rejected - recorded - rejected))
	return rejected, why, nil
}

// tell records one guest's report and returns the first refusal, if any.
func (w *watcher) tell(ctx context.Context, r *translate.Report, by contracts.Principal) error {
	if err := w.Roster.Join(ctx, r.Profile, intake.Proof{Seen: by.AgentID != ""}); err != nil {
		return err
	}
	for _, content := range r.Blobs {
		if _, err := w.Office.PutBlob(ctx, content); err != nil {
			return contracts.Refuse(contracts.CodeInternal, "a result could not be stored: %v", err)
		}
	}
	for facts := r.Facts; len(facts) > 0; {
		n := min(len(facts), contracts.LimitOTelFacts)
		for _, reply := range w.Office.Tell(ctx, facts[:n]...) {
			if reply.Refusal != nil {
				return reply.Refusal
			}
		}
		facts = facts[n:]
	}
	for _, e := range r.Evidence {
		w.Roster.AddEvidence(ctx, r.Profile.AgentID, e)
	}
	return nil
}
