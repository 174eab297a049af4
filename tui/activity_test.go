package tui

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/tui/link"
)

// TestNewActivityCollapsesNothing checks that history is expanded if there is nothing else to show,
// and stays expanded when new activity arrives; a running node is never history (H2).
func TestNewActivityCollapsesNothing(t *testing.T) {
	s := newStage(t, 80, 24)
	s.live(true)
	did := func(id string, event contracts.HUDEvent, call, tool string, replay bool) {
		h := &contracts.HUD{UUID: id, Event: event, CorrelationID: call, Tool: tool, AgentID: "agent_a", Replay: replay}
		s.tell(link.Update{Messages: []model.Message{{Type: contracts.MessageType(contracts.KindHUD), ID: id, TS: s.now.UnixMilli(), Payload: h}}})
	}
	did("1", contracts.HUDToolStart, "c1", "old_tool", true)
	did("2", contracts.HUDToolEnd, "c1", "old_tool", true)
	s.keys("a")
	s.says("Earlier · 1", "old_tool")
	did("3", contracts.HUDToolStart, "c2", "new_tool", false)
	s.says("new_tool", "Earlier · 1", "old_tool")
	did("4", contracts.HUDToolStart, "c3", "running_tool", true)
	s.says("running_tool", "Earlier · 1")
	s.keys("end", "up", "enter")
	if shown := s.shown(); strings.Contains(shown, "old_tool") {
		t.Errorf("the group does not collapse:\n%s", shown)
	}
}

// TestActivityOfOneAgent checks that a number key shows one agent's activity, and that a key that
// has no effect shows the reason.
func TestActivityOfOneAgent(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", atWork, "a", "2")(s)
	s.says("Bram has no activity yet.")
	s.keys("4")
	s.says(" Dov  [ ] another agent", "Thinking")
	s.keys("down", "down", "w")
	s.says("No more details for this line.")
}

// TestPersonChecked checks that an agent's page shows whether the agent's edits were checked.
func TestPersonChecked(t *testing.T) {
	s := newStage(t, 80, 24)
	s.live(true)
	at := s.now.UnixMilli()
	checked := &contracts.Checked{State: contracts.EditsStale, Edit: contracts.Impact{Kind: contracts.ImpactEdit, At: at - 120_000, What: "a.go"},
		Check: &contracts.Impact{Kind: contracts.ImpactCheck, At: at - 300_000, What: "go test ./...", Outcome: contracts.OutcomePassed, ExitCode: new(0)}}
	row := contracts.Agent{AgentProfile: contracts.AgentProfile{AgentID: "agent_a", Name: "Ada", Source: "claude"}, State: contracts.StateIdle, Checked: checked}
	s.tell(link.Update{Messages: []model.Message{{Type: contracts.TypeSnapshot, ID: "s", TS: at, Seq: 1, Payload: &contracts.Snapshot{Seq: 1, Agents: []contracts.Agent{row}}}}})
	s.show(model.Ref{Kind: "agent", ID: "agent_a"})
	clock := func(ms int64) string { return time.UnixMilli(ms).In(s.now.Location()).Format("15:04") }
	s.says("Edits", "Last edit "+clock(at-120_000)+"; `go test ./...` last ran at "+clock(at-300_000)+": stale.")
}

// TestFileOfAResultOpens checks that a file in a result is loaded by the path that the agent used
// and opens at the lines that the result names, and that a failure is shown.
func TestFileOfAResultOpens(t *testing.T) {
	s := newStage(t, 80, 24)
	s.live(true)
	did := func(id, tool, result string) {
		for _, event := range []contracts.HUDEvent{contracts.HUDToolStart, contracts.HUDToolEnd} {
			h := &contracts.HUD{UUID: id + string(event), Event: event, CorrelationID: id, Tool: tool, AgentID: "agent_a", Label: tool + " " + id}
			if event == contracts.HUDToolEnd {
				h.Result = jsontext.Value(result)
			}
			s.tell(link.Update{Messages: []model.Message{{Type: contracts.MessageType(contracts.KindHUD), ID: h.UUID, TS: s.now.UnixMilli(), Payload: h}}})
		}
	}
	did("c1", "read", `{"ok":true,"file":{"path":"/src/a.go","viewerPath":"a.go","area":{"startLine":60,"endLine":61}},"text":"x","bytes":1,"truncated":false}`)
	lines := make([]string, 100)
	for i := range lines {
		lines[i] = fmt.Sprintf("row %d", i+1)
	}
	s.conn.texts["/v1/files?agent=agent_a&path=%2Fsrc%2Fa.go"] = `{"path":"a.go","text":` + strconv.Quote(strings.Join(lines, "\n")) + `}`
	s.keys("a", "down", "f")
	s.says("a.go", "› 60 │ row 60", "› 61 │ row 61", "  62 │ row 62")
	s.keys("esc")
	did("c2", "exec", `{"ok":true,"exitCode":0,"stdout":"","truncated":false,"mentionedPaths":[{"path":"x.go","viewerPath":"x.go"},{"path":"y.go","viewerPath":"y.go"}]}`)
	s.keys("home", "down", "f")
	s.says("Open a file", "x.go", "y.go")
	s.keys("enter")
	s.says("there is nothing at")
	s.app.office.Access = contracts.AccessViewer
	s.keys("f")
	s.says("Only operators can open files.")
}
