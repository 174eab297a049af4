package hub

import (
	"fmt"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/bullpen-office/bullpen/contracts"
)

// metrics are the hub's Prometheus metrics. Deliveries divided by writes is the average number of
// messages per write.
type metrics struct {
	deliveries prometheus.Counter
	writes     prometheus.Counter
	bytes      prometheus.Counter
	slow       prometheus.Counter
	commands   prometheus.Histogram
	closes     *prometheus.CounterVec
	errors     *prometheus.CounterVec
	resumes    *prometheus.CounterVec
}

func newMetrics(h *Hub, reg prometheus.Registerer) (*metrics, error) {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: "bullpen_hub_" + name, Help: help})
	}
	vector := func(name, help, label string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "bullpen_hub_" + name, Help: help}, []string{label})
	}
	m := &metrics{
		deliveries: counter("deliveries_total", "Messages written to viewers."),
		writes:     counter("writes_total", "Writes to sockets; each carries one or more messages."),
		bytes:      counter("sent_bytes_total", "Bytes written to viewers."),
		slow:       counter("slow_path_total", "Number of times a viewer could not accept everything immediately."),
		commands: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "bullpen_hub_command_seconds", Help: "Time from a command to its reply.",
			Buckets: []float64{.0005, .001, .002, .004, .008, .015, .03, .06, .125, .25, .5, 1, 5},
		}),
		closes:  vector("closes_total", "Connections that the server closed, by close code.", "code"),
		errors:  vector("errors_total", "Error messages sent, by code.", "code"),
		resumes: vector("resumes_total", "Resume requests, by outcome.", "reason"),
	}
	if reg == nil {
		return m, nil
	}
	all := []prometheus.Collector{
		m.deliveries, m.writes, m.bytes, m.slow, m.commands, m.closes, m.errors, m.resumes,
		gauge("sessions", "Open sockets and event streams.", func() float64 { return float64(h.Health().Sockets) }),
		gauge("ring_bytes", "Bytes of encoded frames kept in memory.", func() float64 { return float64(h.Health().RingBytes) }),
		gauge("seq", "Seq of the last record available to viewers.", func() float64 { return float64(h.Health().Seq) }),
		gauge("lag_records", "Records in the ledger that are not available to viewers yet.", func() float64 { return float64(h.Health().Lag) }),
	}
	for _, c := range all {
		if err := reg.Register(c); err != nil {
			return nil, fmt.Errorf("hub: register metrics: %w", err)
		}
	}
	return m, nil
}

func gauge(name, help string, value func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "bullpen_hub_" + name, Help: help}, value)
}

// tally collects the counts of many writes, so that shards do not contend for the counters.
type tally struct{ writes, msgs, bytes int }

func (t *tally) add(msgs, bytes int) {
	t.writes++
	t.msgs += msgs
	t.bytes += bytes
}

// flush adds a tally to the counters and resets it.
func (m *metrics) flush(t *tally) {
	if t.writes > 0 {
		m.writes.Add(float64(t.writes))
		m.deliveries.Add(float64(t.msgs))
		m.bytes.Add(float64(t.bytes))
		*t = tally{}
	}
}

func (m *metrics) sent(msgs, bytes int) { m.flush(&tally{writes: 1, msgs: msgs, bytes: bytes}) }

func (m *metrics) closed(code contracts.CloseCode) {
	m.closes.WithLabelValues(strconv.Itoa(int(code))).Inc()
}

func (m *metrics) refused(code contracts.ErrorCode) { m.errors.WithLabelValues(string(code)).Inc() }

func (m *metrics) resumed(reason contracts.ResumeReason) {
	m.resumes.WithLabelValues(string(reason)).Inc()
}
