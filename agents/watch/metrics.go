package watch

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/bullpen-office/bullpen/agents/guest"
)

// metrics counts hooks and transcript lines by outcome.
type metrics struct {
	hooks      *prometheus.CounterVec // by outcome
	seconds    prometheus.Histogram   // time to answer a hook
	lines      *prometheus.CounterVec // transcript lines, by outcome
	mismatched prometheus.Counter     // ignored members
}

// Outcomes of a hook.
const (
	hookTaken     = "taken"
	hookPending   = "late" // answered before it was recorded; the label's value must not change
	hookMalformed = "malformed"
	hookOverflow  = "overflow" // rejected for now; the hook command spools the hook
	hookNoPlace   = "no_place" // rejected: the office is full
)

// Outcomes of a transcript line.
const (
	lineRead    = "read"
	lineUnread  = "unreadable"
	lineTooLong = "too_long"
)

func newMetrics(r prometheus.Registerer, v guest.Vendor) *metrics {
	name := func(what string) string { return "bullpen_" + string(v.Source) + "_" + what }
	m := &metrics{
		hooks:   prometheus.NewCounterVec(prometheus.CounterOpts{Name: name("hooks_total"), Help: v.Label + " hooks, by outcome."}, []string{"outcome"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{Name: name("hook_seconds"), Help: "Time until a hook was answered.", Buckets: []float64{.001, .0025, .005, .01, .02, .04, .05, .1, .25}}),
		lines:   prometheus.NewCounterVec(prometheus.CounterOpts{Name: name("transcript_lines_total"), Help: "Transcript lines, by outcome."}, []string{"outcome"}),
	}
	m.mismatched = prometheus.NewCounter(prometheus.CounterOpts{Name: name("odd_members_total"), Help: "Fields of hooks and transcript lines that were ignored because of an unexpected type."})
	if r != nil {
		for _, c := range []prometheus.Collector{m.hooks, m.seconds, m.lines, m.mismatched} {
			if err := r.Register(c); err != nil && !errors.As(err, new(prometheus.AlreadyRegisteredError)) {
				panic(err) // duplicate metrics are a bug
			}
		}
	}
	return m
}
