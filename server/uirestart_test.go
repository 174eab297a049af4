package server

import (
	"path/filepath"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// A result finds its call after a server restart, even if neither has an id.
func TestUIResultFindsItsCallAfterARestart(t *testing.T) {
	cfg := withoutCrew()
	cfg.DataDir = t.TempDir()
	r := startRig(t, cfg)
	r.emit("/v1/ui/tool_execution?agent=Ann", `{"name":"read_file","arguments":{"path":"a.go"}}`)
	start := r.facts("agent_ann")[0]
	r.stop()
	again := startRig(t, cfg)
	again.emit("/v1/ui/tool_result?agent=Ann", `{"name":"read_file","output":"text"}`)
	facts := again.facts("agent_ann")
	end := facts[len(facts)-1]
	if len(facts) != 2 || end.Event != contracts.HUDToolEnd || end.CorrelationID != start.CorrelationID || end.Label != "👁 a.go:L1–L1" {
		t.Errorf("start %+v\nend %+v", start, end)
	}
}

// H4: paths in workflow events are shown without the home directory.
func TestUIPathsAreShownFromHome(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	r := startRig(t, withoutCrew())
	r.emit("/v1/ui/tool_execution?agent=Ann", `{"name":"read_file","arguments":{"path":"`+filepath.ToSlash(home)+`/a.go"}}`)
	if f := r.facts("agent_ann")[0]; f.Label != "👁 ~/a.go" {
		t.Errorf("%q", f.Label)
	}
}
