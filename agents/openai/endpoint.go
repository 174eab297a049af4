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

// Endpoints contains the circuit breaker and the supported formats of each address. All runners
// with the same address share them.
type Endpoints struct {
	metrics *metrics
	mu      sync.Mutex
	known   map[string]*endpoint
}

// NewEndpoints returns an empty set and registers its metrics with r, which may be nil.
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
	// An address has one entry per format, but all its entries share one breaker.
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

// endpoint is the shared state of an address: its breaker and the formats that it accepts.
type endpoint struct {
	breaker *breaker
	metrics *metrics

	mu            sync.Mutex
	structures    []string        // response formats that the endpoint may support, strictest first
	noUsage       bool            // requests for usage are rejected
	accepted      map[string]bool // response formats that were accepted once; a later rejection has another cause
	usageAccepted bool            // a request for usage was accepted
	noTools       map[string]bool // models that reject tools
	useTools      map[string]bool // models that have accepted tools
}

// form describes how an answer is requested.
type form struct {
	structure string
	usage     bool   // request usage in the stream
	tools     bool   // offer tools
	model     string // the requested model
}

func newEndpoint(b *breaker, format string, m *metrics) *endpoint {
	return &endpoint{breaker: b, metrics: m, structures: structuresOf(format), accepted: map[string]bool{}, noTools: map[string]bool{}, useTools: map[string]bool{}}
}

func structuresOf(format string) []string {
	if format == "" || format == staff.FormatAuto {
		return []string{staff.FormatSchema, staff.FormatObject, staff.FormatPlain}
	}
	return []string{format}
}

// form returns the strictest form that the endpoint may support for a model. An answer that may
// call tools has no required structure, because endpoints that enforce a structure would rule out
// the calls.
func (e *endpoint) form(s shape, model string, tools bool) form {
	e.mu.Lock()
	defer e.mu.Unlock()
	f := form{e.structures[0], !e.noUsage, tools && !e.noTools[model], model}
	if f.tools || !s.structured() {
		f.structure = staff.FormatPlain
	}
	return f
}

// dropTools stops offering tools for a model after a form with tools was rejected. blamed reports
// whether the endpoint's error is about the tools. again reports whether to retry. It is false if
// the model has accepted tools before, or if the reason for the rejection may be the form's request
// for usage. dropped is true only once per model.
func (e *endpoint) dropTools(refused form, blamed bool) (again, dropped bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.noTools[refused.model]:
		return true, false
	case e.useTools[refused.model] || !blamed && refused.usage && !e.usageAccepted:
		return false, false
	}
	e.noTools[refused.model] = true
	if !e.usageAccepted {
		e.noUsage = false // the request for usage was not the reason
	}
	return true, true
}

// stepDown makes future forms simpler after a form has been rejected. It returns false if no
// simpler form is left, or if the rejected form had been accepted before.
func (e *endpoint) stepDown(refused form) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case refused.structure != staff.FormatPlain && refused.structure != e.structures[0], refused.usage && e.noUsage:
		return true // another call has already stepped down
	case refused.structure == e.structures[0] && len(e.structures) > 1 && !e.accepted[refused.structure]:
		e.structures = e.structures[1:]
		return true
	case refused.usage && !e.usageAccepted:
		e.noUsage = true
		return true
	}
	return false
}

// note updates the endpoint after a call. If even the simplest form is rejected, the form was not
// the reason, and note reverts to the strictest form.
func (e *endpoint) note(f form, err error, format string, now time.Time) {
	failed := failureOf(err)
	e.breaker.note(failed, now)
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case failed == nil:
		e.accepted[f.structure] = true
		e.usageAccepted = e.usageAccepted || f.usage
		if f.tools {
			e.useTools[f.model] = true
		}
	case failed.format && !f.usage && len(e.accepted) == 0:
		e.structures, e.noUsage = structuresOf(format), false
	}
}

// metrics reports the state of the endpoints.
type metrics struct {
	open    *prometheus.GaugeVec
	retries *prometheus.CounterVec
}

func newMetrics(r prometheus.Registerer) *metrics {
	m := &metrics{
		open:    prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "bullpen_model_endpoint_open", Help: "1 while calls to a failing endpoint are suspended."}, []string{"endpoint"}),
		retries: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "bullpen_model_retries_total", Help: "Retried model calls, by runner."}, []string{"runner"}),
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

// breaker is a circuit breaker: it suspends calls to an endpoint that keeps failing. This spares
// the endpoint, and failures are reported immediately instead of after many attempts. After a
// pause, the breaker lets one call through as a probe.
type breaker struct {
	address string
	metrics *metrics

	mu       sync.Mutex
	failures int       // consecutive failures
	until    time.Time // time of the next probe while the breaker is open
	probing  bool      // a probe is running
	last     string    // last failure
}

// allow returns nil if a call may be made now, or a failure that explains why not.
func (b *breaker) allow(now time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.failures < contracts.LimitModelFailures:
		return nil
	case now.Before(b.until):
		return &failure{reason: fmt.Sprintf("%s failed %d times in a row; calls are suspended for %s (circuit open); last failure: %s",
			b.address, b.failures, b.until.Sub(now).Round(time.Second), b.last)}
	case b.probing:
		return &failure{reason: fmt.Sprintf("%s failed %d times in a row and is being probed by another call (circuit half-open); try again in a moment", b.address, b.failures)}
	}
	b.probing = true
	return nil
}

// release ends a call that was stopped before its outcome was known, so that another call can probe
// the endpoint.
func (b *breaker) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
}

// note updates the breaker after a call; f is nil if the call succeeded. An endpoint that rejects a
// request or limits the request rate counts as healthy.
func (b *breaker) note(f *failure, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
	if f == nil || !f.temporary || f.limited {
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
