//go:build linux

package main

// The contestants in a scenario.
const (
	ours = "ours"
	raw  = "raw"
	peer = "centrifuge"
)

// named returns the display name of a contestant. The peer is a proxy in the bridge scenario and a
// collector in the spans scenario.
func named(scenario, who string) string {
	switch {
	case who == peer && scenario == "bridge":
		return "proxy"
	case who == peer && scenario == "spans":
		return "collector"
	}
	return who
}

// aim is a target for one of our figures.
type aim struct {
	scenario, metric string
	against          string // raw or peer if the limit is a ratio to that contestant's figure; empty if the limit is absolute
	atLeast          bool   // the limit is a minimum, not a maximum
	limit            float64
}

// aims lists all targets. Figures without a target are only reported.
var aims = []aim{
	{"append", "64 producers, events/s", raw, true, 0.4},
	{"command", "p99 ms", raw, false, 3},
	{"command", "CPU ms/command", "", false, 0.6},
	{"ingest", "hook, p99 ms", "", false, 50},
	{"ingest", "hook, CPU µs/event", "", false, 150},
	{"ingest", "event, CPU µs/event", "", false, 200},
	{"hook", "office up, p50 ms", "", false, 10},
	{"hook", "office up, p99 ms", "", false, 30},
	{"hook", "office down, p50 ms", "", false, 8},
	{"watch", "50 idle sessions, % of a core", "", false, 3},
	{"spans", "spans/s", "", true, 10_000},
	{"bridge", "added latency, p50 ms", "", false, 5},
	{"bridge", "500 concurrent, CPU ms/stream", peer, false, 3},
	{"bridge", "500 held, KB/stream", peer, false, 2},
	{"fanout", "1000 paced, CPU s/1M", raw, false, 1.3},
	{"fanout", "1000 paced, CPU s/1M", peer, false, 0.5},
	{"fanout", "1000 burst, CPU s/1M", raw, false, 1.3},
	{"fanout", "1000 burst, CPU s/1M", peer, false, 0.5},
	{"fanout", "10000 paced, CPU s/1M", raw, false, 1.3},
	{"fanout", "10000 paced, CPU s/1M", peer, false, 0.5},
	{"fanout", "10000 burst, CPU s/1M", raw, false, 1.3},
	{"fanout", "10000 burst, CPU s/1M", peer, false, 0.5},
	{"fanout", "10000 idle, KB/viewer", "", false, 10},
	{"resume", "wall ms", raw, false, 2},
	{"resume", "CPU ms", raw, false, 2},
	{"start", "program, MB", "", false, 35},
	{"start", "version, init ms", "", false, 6},
	{"start", "hook, init ms", "", false, 6},
	{"load", "p99 ms", "", false, 1000},
	{"load", "reconnected after s", "", false, 10},
	{"fold", "with checkpoint, ms", "", false, 1000},
	{"tree", "hash, ms", raw, false, 1.5},
	{"tree", "snapshot, ms", raw, false, 1.5},
}
