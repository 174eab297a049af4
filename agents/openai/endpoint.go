package openai

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/staff"
)

// Endpoints are the addresses that runners work on. What is learnt about one is
// shared by all runners on it.
type Endpoints struct {
	metrics *metrics
	mu      sync.Mutex
	known   map[string]*endpoint
}

// NewEndpoints makes an empty set; the registry may be nil.
func NewEndpoints(r prometheus.Registerer) *Endpoints {
	return &Endpoints{metrics: newMetrics(r), known: map[string]*endpoint{}}
}

func (e *Endpoints) at(address, format string) *endpoint {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := strings.TrimRight(address, "/") + " " + format
	if known := e.known[key]; known != nil {
		return known
	}
	// Runners that want another structure keep that apart, but the address is one.
	var shared *breaker
	for other, known := range e.known {
		if strings.HasPrefix(other, strings.TrimRight(address, "/")+" ") {
			shared = known.breaker
		}
	}
	if shared == nil {
		shared = &breaker{address: address, metrics: e.metrics}
	}
	e.known[key] = newEndpoint(shared, format, e.metrics)
	return e.known[key]
}

// endpoint is what is known about an address.
type endpoint struct {
	breaker *breaker
	metrics *metrics

	mu         sync.Mutex
	structures []string        // that it may take, the strictest first
	noUsage    bool            // it does not take the question what was used
	taken      map[string]bool // structures that it took: what it refuses now has another reason
	told       bool            // it took the question what was used
}

// form is how an answer is asked for.
type form struct {
	structure string
	usage     bool // what was used is asked for in the stream
}

func newEndpoint(b *breaker, format string, m *metrics) *endpoint {
	return &endpoint{breaker: b, metrics: m, structures: structuresOf(format), taken: map[string]bool{}}
}

func structuresOf(format string) []string {
	if format == "" || format == staff.FormatAuto {
		return []string{staff.FormatSchema, staff.FormatObject, staff.FormatPlain}
	}
	return []string{format}
}

// form is the strictest that the endpoint is known or hoped to take.
func (e *endpoint) form(s shape) form {
	e.mu.Lock()
	defer e.mu.Unlock()
	f := form{e.structures[0], !e.noUsage}
	if !s.structured() {
		f.structure = staff.FormatPlain
	}
	return f
}

// stepDown gives up something that was refused. It is false when nothing easier is
// left, or when the same was taken before.
func (e *endpoint) stepDown(refused form) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case refused.structure != staff.FormatPlain && refused.structure != e.structures[0], refused.usage && e.noUsage:
		return true // somebody else has learnt it meanwhile
	case refused.structure == e.structures[0] && len(e.structures) > 1 && !e.taken[refused.structure]:
		e.structures = e.structures[1:]
		return true
	case refused.usage && !e.told:
		e.noUsage = true
		return true
	}
	return false
}

// note remembers how a call went. When even the easiest form is refused, the form
// was not the reason, and nothing was learnt.
func (e *endpoint) note(f form, err error, format string, now time.Time) {
	failed := failureOf(err)
	e.breaker.note(failed, now)
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case failed == nil:
		e.taken[f.structure] = true
		e.told = e.told || f.usage
	case failed.format && !f.usage && len(e.taken) == 0:
		e.structures, e.noUsage = structuresOf(format), false
	}
}

// metrics show how the endpoints do.
type metrics struct {
	open    *prometheus.GaugeVec
	retries *prometheus.CounterVec
}

func newMetrics(r prometheus.Registerer) *metrics {
	m := &metrics{
		open:    prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "bullpen_model_endpoint_open", Help: "1 while an endpoint that kept failing is left alone."}, []string{"endpoint"}),
		retries: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "bullpen_model_retries_total", Help: "Calls of a model that were repeated, by runner."}, []string{"runner"}),
	}
	if r != nil {
		r.MustRegister(m.open, m.retries)
	}
	return m
}

func (m *metrics) retried(runner string) { m.retries.WithLabelValues(runner).Inc() }

func (m *metrics) state(address string, open bool) {
	value := 0.0
	if open {
		value = 1
	}
	m.open.WithLabelValues(address).Set(value)
}

// breaker leaves an endpoint alone that keeps failing: it spares the endpoint, and
// people learn of it at once instead of after many attempts. After a while one call
// is let through to see.
type breaker struct {
	address string
	metrics *metrics

	mu       sync.Mutex
	failures int       // in a row
	until    time.Time // when it is open: until the next look
	probing  bool      // a call is looking
	last     string    // failure
}

// allow says whether a call may be made now.
func (b *breaker) allow(now time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.failures < contracts.LimitModelFailures:
		return nil
	case now.Before(b.until):
		return &failure{reason: fmt.Sprintf("%s failed %d times in a row and is left alone for %s more (circuit open); the last time %s",
			b.address, b.failures, b.until.Sub(now).Round(time.Second), b.last)}
	case b.probing:
		return &failure{reason: fmt.Sprintf("%s failed %d times in a row and is being tried by another call (circuit half-open); try again in a moment", b.address, b.failures)}
	}
	b.probing = true
	return nil
}

// release forgets a call that was stopped before anything was known.
func (b *breaker) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
}

// note counts a call. An endpoint that complains about a request, or limits the
// rate, is well.
func (b *breaker) note(f *failure, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
	if f == nil || !f.passing || f.limited {
		b.failures = 0
		b.metrics.state(b.address, false)
		return
	}
	b.failures++
	b.last = f.reason
	if b.failures >= contracts.LimitModelFailures {
		b.until = now.Add(contracts.ModelCooldown)
		b.metrics.state(b.address, true)
	}
}
