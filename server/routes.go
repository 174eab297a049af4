package server

import (
	"net/http"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/openapi"
	repo "github.com/bullpen-office/bullpen/repo/door"
	mcp "github.com/bullpen-office/bullpen/tools/door"
	read "github.com/bullpen-office/bullpen/view/door"
	"github.com/bullpen-office/bullpen/web"
)

// routes returns the handler for everything behind the gate.
func (s *Server) routes() http.Handler {
	mux := s.mux
	look := func(pattern string, h http.HandlerFunc) {
		mux.HandleFunc("GET "+pattern, gate.Needs(h, contracts.AccessViewer, contracts.AccessOperator))
	}
	reads := read.New(read.Config{View: s.view, Blobs: s.ledger, Judge: s.judge, Left: s.roster.Left, Outpost: s.outposts.HealthOf, ShutdownCtx: s.shutdownCtx, Now: s.cfg.Now})
	for path, h := range reads.Doors() {
		look(path, h)
	}
	mux.HandleFunc("GET /v1/decisions/{id}", gate.Needs(reads.ServeDecision, contracts.AccessViewer, contracts.AccessOperator, contracts.AccessAgent, contracts.AccessOutpost))
	look("/{$}", web.Client().ServeHTTP)
	look("/text", s.servePage)
	look("/ws/world", s.hub.ServeWorld)
	look("/ws/hud", s.hub.ServeHUD)
	look("/v1/events", s.hub.ServeEvents)
	look("/v1/events/stream", s.hub.ServeEventStream)
	look("/v1/agui/stream", s.agui.ServeHTTP)
	look("/v1/scene", s.serveScene)
	look("/v1/scene/{id}", s.serveScene)
	files := repo.New(repo.Config{Folder: s.cfg.Folder, Workspaces: s.directory.Workspaces, Task: s.view.Task, Artifact: s.view.Artifact, Repo: s.view.Repo, Node: s.cfg.node(), KeyDir: s.cfg.DataDir, Log: s.cfg.Log})
	look("/v1/artifacts/{id}/changes", files.ServeChanges)
	for _, routes := range []map[string]http.HandlerFunc{s.ledgerDoor.Doors(), files.Doors(), s.connectRoutes()} {
		for pattern, h := range routes {
			mux.HandleFunc(pattern, gate.Needs(h, contracts.AccessOperator))
		}
	}
	reports := []map[string]http.HandlerFunc{{"POST /v1/ui/{kind}": s.ui.ServeKind, "POST /v1/events": s.ui.ServeEvents}, s.bridge.Doors()}
	for _, w := range s.watchers {
		reports = append(reports, w.Doors())
	}
	for _, routes := range reports {
		for pattern, h := range routes {
			mux.HandleFunc(pattern, gate.Needs(h, contracts.AccessOperator, contracts.AccessAgent))
		}
	}
	for pattern, h := range s.outposts.Doors() {
		mux.HandleFunc(pattern, gate.Needs(h, contracts.AccessOutpost))
	}
	mux.HandleFunc("POST "+mcp.Path, mcp.New(mcp.Config{
		Office: s.office, View: s.view, Roster: s.roster, Events: s.ui, Blobs: s.ledger, Pulls: s.directory.Pulls,
		ShutdownCtx: s.shutdownCtx, Version: s.cfg.Version, Now: s.cfg.Now, Log: s.cfg.Log,
	}))
	mux.HandleFunc("GET "+gate.BridgePath, s.peers.ServeSocket) // a hello can carry the credential
	mux.Handle("GET /assets/{path...}", web.Client())
	mux.Handle("GET /favicon.svg", web.Client())
	mux.HandleFunc("GET /app.js", web.ServePageFile)
	mux.HandleFunc("GET /app.css", web.ServePageFile)
	mux.HandleFunc("GET /contracts/{path...}", serveContract)
	mux.HandleFunc("GET /v1/openapi.json", openapi.Handler(openapi.Routes(agents.Sources(agents.WithHooks(s.cfg.Adapters)))))
	mux.HandleFunc("GET /healthz", s.serveHealth)
	mux.HandleFunc("GET /readyz", s.serveReady)
	mux.Handle("GET /metrics", metricsHandler(s.metrics))
	return web.Compress(gate.Routes(&mux.ServeMux))
}
