package intake

import "github.com/prometheus/client_golang/prometheus"

// Register registers the metrics for guests: how many are present, unproven, displaced and refused.
func (r *Roster) Register(m prometheus.Registerer) {
	m.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "bullpen_guests", Help: "Guests in the office."}, func() float64 { return float64(r.Crowd().Guests) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "bullpen_guests_unproven", Help: "Guests known only from hooks or events."}, func() float64 { return float64(r.Crowd().Unproven) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "bullpen_guests_displaced_total", Help: "Guests displaced because the office was full; offline guests do not count."}, func() float64 { return float64(r.Crowd().Displaced) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "bullpen_guests_refused_total", Help: "Attempts to join that were refused because the office was full."}, func() float64 { return float64(r.Crowd().Refused) }),
	)
}
