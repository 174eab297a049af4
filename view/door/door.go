// Package door answers read requests with data from the view: rows, agents and the reasons for
// their status, usage, deliverables, results, decisions and the output of checks.
package door

import (
	"context"
	"net/http"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/view"
)

// Blobs returns stored content by its hash.
type Blobs interface {
	Blob(ctx context.Context, sha256 string) (content []byte, ok bool, err error)
}

// Config configures a Door. All fields are required.
type Config struct {
	View        *view.View
	Blobs       Blobs
	Judge       func(agentID string) (view.Verdict, bool)         // current verdict on a guest
	Left        func(agentID string) (intake.Departure, bool)     // when and why a guest left; false if it has not left
	Outpost     func(name string) (contracts.OutpostHealth, bool) // false if the outpost is unknown
	ShutdownCtx context.Context                                   // once it is done, requests stop waiting for a decision
	Now         func() time.Time
}

// Door serves the read-only routes of the API.
type Door struct{ cfg Config }

// New returns a Door that answers from cfg.View.
func New(cfg Config) *Door { return &Door{cfg} }

// Doors returns the handlers of the GET routes by path. All routes are for viewers and operators.
func (d *Door) Doors() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"/v1/state":                            d.serveState,
		"/v1/projects/{id}":                    d.serveProject,
		"/v1/tasks/{id}":                       d.serveTask,
		"/v1/tasks/{id}/checks/{check}/output": d.serveCheckOutput,
		"/v1/artifacts/{id}":                   d.serveArtifact,
		"/v1/artifacts/{id}/content":           d.serveContent,
		"/v1/agents":                           d.serveAgents,
		"/v1/agents/{id}/explain":              d.serveAgentExplain,
		"/v1/needs":                            d.serveNeeds,
		"/v1/usage":                            d.serveUsage,
		"/v1/hud/{id}/result":                  d.serveHUDResult,
	}
}
