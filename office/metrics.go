package office

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/bullpen-office/bullpen/contracts"
)

type metrics struct {
	commands *prometheus.CounterVec
	records  *prometheus.CounterVec
	appends  *prometheus.HistogramVec
	turns    prometheus.Gauge
}

func newMetrics(reg prometheus.Registerer) *metrics {
	m := &metrics{
		commands: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "bullpen_commands_total", Help: "Commands by name and outcome."}, []string{"name", "outcome"}),
		records:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: "bullpen_records_total", Help: "Records appended, by kind."}, []string{"kind"}),
		appends: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "bullpen_append_seconds", Help: "Time until an append is durable.",
			Buckets: prometheus.ExponentialBuckets(0.00005, 2, 16)}, []string{"outcome"}),
		turns: prometheus.NewGauge(prometheus.GaugeOpts{Name: "bullpen_turns_open", Help: "Agent turns in progress."}),
	}
	if reg != nil {
		m.commands, m.records, m.appends, m.turns = register(reg, m.commands), register(reg, m.records), register(reg, m.appends), register(reg, m.turns)
	}
	return m
}

// register registers a metric. If an earlier office in this process has already registered it,
// register returns the existing metric.
func register[T prometheus.Collector](reg prometheus.Registerer, metric T) T {
	err := reg.Register(metric)
	if earlier := (prometheus.AlreadyRegisteredError{}); errors.As(err, &earlier) {
		return earlier.ExistingCollector.(T)
	}
	if err != nil {
		panic(err) // the metric's description is invalid or conflicts with another metric
	}
	return metric
}

func (m *metrics) appended(recs []contracts.Record, took time.Duration, err error) {
	outcome := "ok"
	if err != nil {
		outcome = "failed"
	} else {
		for _, r := range recs {
			m.records.WithLabelValues(string(r.Kind)).Inc()
		}
	}
	m.appends.WithLabelValues(outcome).Observe(took.Seconds())
}

func (m *metrics) answered(r *request) {
	if r.cmd == nil {
		return
	}
	outcome := "ok"
	switch {
	case r.outcome.Refusal != nil:
		outcome = string(r.outcome.Refusal.Code)
	case r.outcome.Duplicate:
		outcome = "duplicate"
	}
	m.commands.WithLabelValues(string(r.cmd.Data.CommandName()), outcome).Inc()
}
