package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/tui/link"
)

// evil would clear the screen, set the title, hide text, reverse it, draw over its
// neighbours and pretend to be a link.
const evil = "\x1b[2J\x1b]0;owned\x07\x1b[?1049l\u202Egpj.exe\u2066\r\n\t\b\b\x00\x9b31m\u009b5mA\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\xff\xfe\x1b]8;;http://evil\x1b\\link 👩\u200D👩\u200D👧 ✏\uFE0F 世界 \U000E0041"

// hostile returns the messages of an office in which every string is evil.
func hostile() []model.Message {
	raw := jsontext.Value(`{"text":"` + "\\u001b[2J\\u0007" + strings.Repeat("x", 9000) + `","command":"\u001b]0;x\u0007rm","raw":"\u001b[31m"}`)
	result := jsontext.Value(`{"ok":false,"error":"\u001b[2J","stdout":"\u001b[2J\u0007","exitCode":3,"file":{"path":"\u001b[2J"},"more":{"\u001b[2J":"\u0007"}}`)
	agent := func(id string) contracts.Agent {
		return contracts.Agent{
			AgentProfile: contracts.AgentProfile{AgentID: id, Name: evil, Role: evil, Runner: evil, Source: "claude", Place: evil, Model: evil, Session: evil},
			State:        evil, StatusLine: evil, Why: evil, Activity: evil, Authority: evil, TaskID: "task_1",
		}
	}
	decision := contracts.Decision{DecisionID: "dec_1", Kind: contracts.DecisionPermission, Status: contracts.DecisionOpen, Prompt: evil, Options: []string{evil, contracts.OptionAlways},
		AskedBy: "agent_a", Permission: &contracts.Permission{Tool: evil, Args: raw, Label: evil, Place: evil, Grants: evil}}
	ask := contracts.Decision{DecisionID: "dec_2", Status: contracts.DecisionOpen, Prompt: evil, Options: []string{evil}, AllowFreeText: true}
	snap := &contracts.Snapshot{
		Agents: []contracts.Agent{agent("agent_a"), agent("agent_b")}, Projects: []contracts.Project{{ProjectID: "proj_1", Title: evil, Status: evil}},
		Tasks:     []contracts.Task{{TaskID: "task_1", ProjectID: "proj_1", Title: evil, Description: evil, Kind: evil, Status: contracts.TaskBlocked, BlockedReason: evil, Assignee: "agent_a"}},
		Artifacts: []contracts.Artifact{{ArtifactID: "art_1", ProjectID: "proj_1", Type: evil, Title: evil, Status: contracts.ArtifactInReview, MIME: "text/markdown", SHA256: evil, CreatedBy: "agent_b"}},
		Decisions: []contracts.Decision{decision, ask}, Players: []contracts.Player{{PlayerID: "player_x", Name: evil}},
	}
	seq := uint64(1)
	list := []model.Message{{Type: contracts.TypeSnapshot, ID: "snap", TS: 1794763718000, Seq: 1, Payload: snap}}
	add := func(t string, payload any) {
		seq++
		list = append(list, model.Message{Type: contracts.MessageType(t), ID: fmt.Sprint(t, seq), TS: 1794763718000, Seq: seq, Payload: payload})
	}
	add("event", &contracts.Event{Name: evil, AgentID: evil, PreviewText: evil, Reason: evil, Choice: evil, Note: evil})
	add("event", &contracts.Event{Name: contracts.EventProjectCompleted, ProjectID: "proj_1", Decor: &contracts.Decor{DecorID: "decor_1"}})
	add("chat", &contracts.Chat{ThreadID: contracts.ThreadBD, From: evil, Text: evil, SuggestedActions: []contracts.SuggestedAction{{Action: "open_task_board", Label: evil}}})
	add("hud", &contracts.HUD{UUID: "u1", Event: contracts.HUDToolStart, CorrelationID: "c", Tool: evil, Label: evil, Args: raw, AgentID: "agent_a", Session: evil})
	add("hud", &contracts.HUD{UUID: "u2", Event: contracts.HUDToolEnd, CorrelationID: "c", Tool: evil, Result: result, AgentID: "agent_a"})
	add("ui", &contracts.UI{AgentID: "agent_a", Name: evil, Kind: contracts.UIMessage, Normalized: jsontext.Value(`{"text":"\u001b[2J\u0007a\nb","title":"\u001b[2J","level":"error"}`), Raw: raw})
	add("ui", &contracts.UI{AgentID: "agent_a", Name: evil, Kind: contracts.UIStatus, Normalized: jsontext.Value(`{"text":"\u001b[2J\u0007"}`), Raw: raw})
	add("ui", &contracts.UI{Name: evil, Ignored: evil, Raw: raw})
	list = append(list, model.Message{Type: contracts.TypeStream, ID: "st", Payload: &contracts.StreamDelta{StreamID: "s", AgentID: "agent_a", Seq: 1, Delta: evil, Kind: "token"}})
	return list
}

// TestHostileText checks that no string can control the terminal, in any view (W19).
func TestHostileText(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		for _, ascii := range []bool{false, true} {
			s := newStage(t, size[0], size[1])
			s.look = newLook(true, ascii)
			s.live(true)
			s.office.Scene.Label = evil
			s.conn.texts["/v1/artifacts/art_1/content"] = "# " + evil + "\n\n[link](http://evil/\x1b[2J) `" + evil + "`\n\n<b>" + evil + "</b>\n"
			s.conn.texts["/v1/agents/agent_a/explain"] = `{"why":"\u001b[2J","evidence":[{"source":"\u001b[2J","says":"\u001b[2J","at":1}],"recent":[{"label":"\u001b[2J","at":1}]}`
			s.conn.reply = link.Reply{Code: contracts.CodeConflict, Message: evil, Field: evil}
			s.tell(link.Update{Messages: hostile()})
			for _, k := range []string{"o", "1", "f", "p", "enter", "e", "x", "esc", "esc", "space", "enter", "space", "w", `"a"`, "enter", "esc", "space", "b", "down", "enter", "esc",
				"c", "enter", "a", "enter", "t", "down", "v", "esc", "ctrl+k", "esc", "?", "esc", "space", "space", "/", `"b"`, "enter", "esc"} {
				s.keys(k)
				wellFormed(t, s)
				if ascii && !isASCII(s.View().Content) {
					t.Fatalf("after %s the frame is not ASCII:\n%s", k, s.shown())
				}
			}
			s.run(s.openArtifact("art_1"), 0)
			wellFormed(t, s)
			s.tell(link.Update{State: &link.State{Phase: link.Refused, Reason: evil}})
			wellFormed(t, s)
			if title := s.View().WindowTitle; strings.Trim(title, "Bulpen (0123456789)") != "" {
				t.Errorf("the window is called %q", title)
			}
		}
	}
}

// TestASCII compares the office in a terminal without UTF-8 with its golden frame.
func TestASCII(t *testing.T) {
	s := newStage(t, 80, 24)
	s.look = newLook(true, true)
	played("first_minute.jsonl", atQuestion, "7")(s)
	golden(t, "ascii_80x24", s.shown())
	if !isASCII(s.View().Content) {
		t.Error("the frame is not ASCII")
	}
}

func TestLocale(t *testing.T) {
	for env, want := range map[string]bool{"": true, "LANG=C.UTF-8": true, "LANG=en_US.utf8": true, "LANG=C": false, "LC_ALL=POSIX": false, "LANG=de_DE.ISO-8859-1": false} {
		name, value, _ := strings.Cut(env, "=")
		if got := UTF8(func(n string) string {
			if n == name {
				return value
			}
			return ""
		}); got != want {
			t.Errorf("%q: %v", env, got)
		}
	}
}

func TestSafe(t *testing.T) {
	for in, want := range map[string]string{
		"a\x1b[1;38;2;1;2;3mb\x1b[0m": "a\x1b[1;38;2;1;2;3mb\x1b[0m", "a\x1b[2Jb\x07": "ab", "\x1b]0;x\x07y": "y", "a\x00\x08\rb": "ab", "é世": "é世", "\x1b": "",
	} {
		if got := safe(in, false); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	if got := safe("é世●👁", true); got != "e??**" {
		t.Errorf("in ASCII: %q", got)
	}
}
