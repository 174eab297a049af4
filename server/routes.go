package server

import (
	"net/http"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/web"
)

// doors is everything behind the gate.
func (s *Server) doors() http.Handler {
	mux := http.NewServeMux()
	s.mux = mux
	look := func(pattern string, h http.HandlerFunc) {
		mux.HandleFunc("GET "+pattern, gate.Needs(h, contracts.AccessViewer, contracts.AccessOperator))
	}
	look("/{$}", web.Client().ServeHTTP)
	look("/text", s.servePage)
	look("/ws/world", s.hub.ServeWorld)
	look("/ws/hud", s.hub.ServeHUD)
	look("/v1/events", s.hub.ServeEvents)
	look("/v1/events/stream", s.hub.ServeEventStream)
	mux.HandleFunc("GET /v1/files", gate.Needs(s.serveWorkFile, contracts.AccessOperator))
	mux.HandleFunc("GET /v1/files/{path...}", gate.Needs(s.serveFile, contracts.AccessOperator))
	look("/v1/state", s.serveState)
	look("/v1/projects/{id}", s.serveProject)
	look("/v1/tasks/{id}", s.serveTask)
	look("/v1/artifacts/{id}", s.serveArtifact)
	look("/v1/artifacts/{id}/content", s.serveContent)
	look("/v1/agents", s.serveAgents)
	look("/v1/agents/{id}/explain", s.serveAgentExplain)
	look("/v1/agui/stream", s.agui.ServeHTTP)
	look("/v1/needs", s.serveNeeds)
	look("/v1/usage", s.serveUsage)
	look("/v1/hud/{id}/result", s.serveHUDResult)
	look("/v1/scene", s.serveScene)
	look("/v1/scene/{id}", s.serveScene)
	for pattern, h := range s.books.Doors() {
		mux.HandleFunc(pattern, gate.Needs(h, contracts.AccessOperator))
	}
	s.openUIDoors(mux)
	s.openWatcherDoors(mux)
	s.openBridgeDoors(mux)
	s.openConnectDoors(mux)
	mux.Handle("GET /assets/{path...}", web.Client())
	mux.Handle("GET /favicon.svg", web.Client())
	mux.HandleFunc("GET /app.js", web.ServePageFile)
	mux.HandleFunc("GET /app.css", web.ServePageFile)
	mux.HandleFunc("GET /contracts/{path...}", serveContract)
	mux.HandleFunc("GET /healthz", s.serveHealth)
	mux.HandleFunc("GET /readyz", s.serveReady)
	mux.Handle("GET /metrics", metricsHandler(s.metrics))
	return web.Compress(gate.Routes(mux))
}
