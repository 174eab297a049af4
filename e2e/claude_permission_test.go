//go:build unix

package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
)

// asking contains scripted turns that need permission.
var asking = map[string][]reply{
	"ask": {{calls("Bash", message{"command": "touch made.txt", "description": "make a file"})}, says("Done with it.")},
}

func (d *desk) exists(name string) bool {
	_, err := os.Stat(filepath.Join(d.project, name))
	return err == nil
}

// Claude Code's permission request becomes a question in the office. The tool runs only if the
// operator allows it, and an agent cannot answer its own request (S4).
func TestClaudePermissionAllowed(t *testing.T) {
	t.Parallel()
	d := newDesk(t, asking)
	d.open()
	d.install()
	s := d.start()
	s.prompt("[ask] go")
	q := d.decision()
	if q.str("kind") != "permission" || q.at("permission.tool") != "exec" || !strings.Contains(jsonText(q), "touch made.txt") {
		t.Errorf("the question does not say what it is about: %v", q)
	}
	if row := d.doing(q.str("asked_by"), "waiting"); row["needs_you"] != true {
		t.Errorf("it is not shown waiting: %v", row)
	}
	answer := message{"decision_id": q.str("decision_id"), "choice": contracts.OptionAllow}
	if m := d.give("", "resolve_decision", answer); m.str("type") != "error" || m.payload().str("code") != "NOT_ALLOWED" {
		t.Fatalf("a permission was answered without the operator's credential: %v", m)
	}
	if v, err := dialAs(d.addr, d.agentToken()); err == nil {
		v.close()
		t.Fatal("an agent's credential opens the socket for commands")
	}
	if d.exists("made.txt") || d.decision().str("decision_id") != q.str("decision_id") {
		t.Fatal("the tool ran before it was allowed")
	}
	if m := d.give(d.operator(), "resolve_decision", answer); m.str("type") != "ack" {
		t.Fatalf("the operator was refused: %v", m)
	}
	until(t, "the tool ran", func() bool { return d.exists("made.txt") })
	d.doing(q.str("asked_by"), "idle")
	if out := s.end(t); !strings.Contains(out, "Done with it.") {
		t.Errorf("the turn did not end: %s", out)
	}
}

// agentToken creates a token for hooks, with the agent role, and returns the token's secret.
func (d *desk) agentToken() string {
	d.t.Helper()
	lines := strings.Fields(d.run("token", "create", "--role", "agent", "--name", "hooks"))
	return lines[len(lines)-1]
}

// "Always" applies the rule that Claude Code suggests, so that Claude Code does not ask again.
func TestClaudePermissionAlways(t *testing.T) {
	t.Parallel()
	d := newDesk(t, asking)
	d.open()
	d.install()
	s := d.start()
	s.prompt("[ask] go")
	q := d.decision()
	if q.at("permission.grants") == nil {
		t.Errorf("it does not say what \"always\" would allow: %v", q)
	}
	if m := d.give(d.operator(), "resolve_decision", message{"decision_id": q.str("decision_id"), "choice": contracts.OptionAlways}); m.str("type") != "ack" {
		t.Fatalf("the operator was refused: %v", m)
	}
	until(t, "the tool ran", func() bool { return d.exists("made.txt") })
	d.doing(q.str("asked_by"), "idle")
	s.prompt("[ask] once more")
	until(t, "it ran again", func() bool { return tally(d.activity())["tool_end exec"] == 2 })
	s.end(t)
	if n := len(list(d.get("/v1/state")["decisions"])); n != 1 {
		t.Errorf("%d questions, want the first only", n)
	}
}

func TestClaudePermissionDenied(t *testing.T) {
	t.Parallel()
	d := newDesk(t, asking)
	d.open()
	d.install("--transport", "command")
	s := d.start()
	s.prompt("[ask] go")
	q := d.decision()
	m := d.give(d.operator(), "resolve_decision", message{"decision_id": q.str("decision_id"), "choice": contracts.OptionDeny, "note": "not on a Sunday"})
	if m.str("type") != "ack" {
		t.Fatalf("the operator was refused: %v", m)
	}
	d.doing(q.str("asked_by"), "idle")
	if out := s.end(t); !strings.Contains(out, "not on a Sunday") || d.exists("made.txt") {
		t.Errorf("the denial did not arrive: %s", out)
	}
}

// Answering in the terminal withdraws the question in the office, with either transport.
func TestClaudePermissionAnsweredInTheTerminal(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"http", "command"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, asking)
			d.open()
			d.install("--transport", transport)
			s := d.start()
			s.prompt("[ask] go")
			q := d.decision()
			s.allow(t)
			if got := d.decided(q.str("decision_id")); got.str("status") != "cancelled" || got.str("reason") == "" {
				t.Errorf("the question became %v", got)
			}
			until(t, "the tool ran", func() bool { return d.exists("made.txt") })
			s.end(t)
		})
	}
}

// allow approves the permission request in Claude Code's own output.
func (s *session) allow(t *testing.T) {
	t.Helper()
	var request string
	until(t, "the terminal asks as well", func() bool {
		for line := range strings.Lines(s.printed()) {
			var m message
			if json.Unmarshal([]byte(line), &m) == nil && m.at("request.subtype") == "can_use_tool" {
				request = m.str("request_id")
			}
		}
		return request != ""
	})
	s.send(message{"type": "control_response", "response": message{
		"subtype": "success", "request_id": request, "response": message{"behavior": "allow", "updatedInput": message{"command": "touch made.txt"}},
	}})
}
