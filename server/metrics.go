package server

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

func newRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

func registerRefusals(r *prometheus.Registry) *prometheus.CounterVec {
	refused := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "bullpen_gate_refused_total", Help: "Requests refused by the gate, by code."}, []string{"code"})
	r.MustRegister(refused)
	return refused
}

// registerDamage registers a gauge that becomes 1 when a read finds damage.
func registerDamage(r *prometheus.Registry, damage func() error) {
	r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "bullpen_ledger_damaged", Help: "1 if the ledger is damaged; /readyz reports where."}, func() float64 {
		if damage() != nil {
			return 1
		}
		return 0
	}))
}

func metricsHandler(r *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{})
}
