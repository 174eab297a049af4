package cluster

import "github.com/prometheus/client_golang/prometheus"

// register adds the node's metrics: whether it is the writer, and whether it is connected.
func (n *Node) register(r prometheus.Registerer) {
	flag := func(name, help string, holds func(Status) bool) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			if holds(n.Status()) {
				return 1
			}
			return 0
		})
	}
	r.MustRegister(
		flag("bullpen_cluster_writes", "1 if this node is the office's writer.", func(s Status) bool { return s.Writes }),
		flag("bullpen_cluster_connected", "1 if this node is connected to a NATS server.", func(s Status) bool { return s.Server != "" }),
	)
}
