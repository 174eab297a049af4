package server

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/cluster"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/hub"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/ledger"
)

// Health is the response of /healthz, which shows that the process is alive.
type Health struct {
	Status  string    `json:"status"`           // ok
	Version string    `json:"version,omitzero"` // only for signed-in callers
	Started time.Time `json:"started,omitzero"` // only for signed-in callers
}

// Readiness is the response from /readyz: whether a command would be carried out now, and if not,
// why.
type Readiness struct {
	Ready    bool         `json:"ready"`
	Serving  bool         `json:"serving"`          // viewers are served, even if nothing can be recorded
	Reasons  []string     `json:"reasons,omitzero"` // why the office is not ready
	LedgerID string       `json:"ledger_id"`
	Head     uint64       `json:"head"`
	Durable  bool         `json:"durable"`
	Hub      hub.Health   `json:"hub"`
	Ledger   ledger.Stats `json:"ledger,omitzero"`
	Crew     string       `json:"crew"`
	Paused   string       `json:"retention_paused,omitzero"` // why the removal of old activity is paused; the office is still ready
	Guests   intake.Crowd `json:"guests"`                    // guest counts; a full office is still ready
	Turns    int          `json:"turns_open"`                // agents' turns in progress
	Held     int          `json:"records_held"`              // activity records that retention keeps because their turn or call is still open

	Cluster  *cluster.Status           `json:"cluster,omitzero"`  // only if the office has several nodes
	Gateways []agents.Link             `json:"gateways,omitzero"` // connections to agent gateways; the office can be ready without them
	Outposts []contracts.OutpostHealth `json:"outposts,omitzero"` // machines that joined; the office can be ready without them
}

func (s *Server) serveHealth(w http.ResponseWriter, r *http.Request) {
	if gate.PrincipalFrom(r).ID == "" {
		gate.Answer(w, http.StatusOK, Health{Status: "ok"})
		return
	}
	gate.Answer(w, http.StatusOK, Health{Status: "ok", Version: s.cfg.Version, Started: s.started.UTC()})
}

// serveReady responds with an error unless the office is ready. With ?serving, it only checks that
// viewers are served, and does not query the ledger's size, because that query blocks while a
// cluster has no quorum.
func (s *Server) serveReady(w http.ResponseWriter, r *http.Request) {
	serving := r.URL.Query().Has("serving")
	ready := s.readiness(r.Context(), !serving)
	status := http.StatusOK
	if !ready.Ready && !(serving && ready.Serving) {
		status = http.StatusServiceUnavailable
	}
	gate.Answer(w, status, ready)
}

func (s *Server) readiness(ctx context.Context, size bool) Readiness {
	out := Readiness{LedgerID: s.ledger.ID(), Head: s.ledger.Head(), Durable: s.ledger.Durable(), Hub: s.hub.Health(), Crew: s.cfg.Crew, Guests: s.roster.Crowd(), Gateways: s.gateways(), Outposts: s.outposts.Health()}
	if s.node != nil {
		status := s.node.Status()
		out.Cluster = &status
	}
	problem := func(format string, args ...any) { out.Reasons = append(out.Reasons, fmt.Sprintf(format, args...)) }
	if s.closing.Load() {
		problem("the server is shutting down")
	}
	if !out.Hub.Following {
		problem("the hub has stopped following the ledger: viewers receive no updates")
	}
	if out.Hub.Lag > contracts.LimitReadyLag {
		problem("the hub is %d records behind the ledger", out.Hub.Lag)
	}
	out.Serving = len(out.Reasons) == 0
	said := map[string]bool{}
	failed := func(what string, err error) { // reports each cause only once
		if err != nil && !said[err.Error()] {
			said[err.Error()] = true
			problem("%s: %v", what, err)
		}
	}
	failed("the office cannot record anything", s.office.Health())
	if size {
		var err error
		out.Ledger, err = s.ledger.Stats(ctx)
		failed("the ledger cannot be read", err)
	}
	if err := s.ledger.Damage(); err != nil {
		problem("%v", err)
	}
	failed("the ledger is not writable", s.ledger.Writable())
	out.Turns, out.Held = s.view.Unended()
	out.Paused = s.office.RetentionPaused()
	out.Ready = len(out.Reasons) == 0
	return out
}
