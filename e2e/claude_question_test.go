//go:build unix

package e2e_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

func choiceOf(label, description string) message {
	return message{"label": label, "description": description}
}

// questionScripts contains scripted turns that ask a person and end with an answer.
var questionScripts = map[string][]reply{
	"which": {{calls("AskUserQuestion", message{"questions": []any{
		message{"question": "Which database?", "header": "Database", "multiSelect": false, "options": []any{choiceOf("Postgres", "Runs everywhere"), choiceOf("SQLite", "One file")}},
		message{"question": "Which features?", "header": "Features", "multiSelect": true, "options": []any{choiceOf("Auth", "Sign in"), choiceOf("Search", "Full text"), choiceOf("Export", "CSV, PDF")}},
	}})}, says("SQLite it is, with sign in and export.")},
	"one": {{calls("AskUserQuestion", message{"questions": []any{
		message{"question": "Ship it?", "header": "Release", "multiSelect": false, "options": []any{choiceOf("Now", "Today"), choiceOf("Later", "Next week")}},
	}})}, says("We wait for a week.")},
	"ask":  asking["ask"],
	"bash": {{calls("Bash", message{"command": "sleep 10", "run_in_background": true, "description": "wait a moment"})}, says("It runs.")},
}

// questions waits until n questions are open and returns them in the order they were asked.
func (d *desk) questions(n int) (open []message) {
	d.t.Helper()
	until(d.t, "the questions wait for a person", func() bool {
		open = nil
		for _, q := range list(d.get("/v1/state")["decisions"]) {
			if q.str("status") == "open" {
				open = append(open, q)
			}
		}
		return len(open) == n
	})
	return open
}

// S4: the questions from AskUserQuestion are answered in the office one by one, and only with the
// operator's credential. The model receives the answers, and its final text is recorded.
func TestClaudeQuestionAnswered(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"http", "command"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, questionScripts)
			d.open()
			d.install("--transport", transport)
			s := d.start()
			s.prompt("[which] do we need?")
			open := d.questions(2)
			database, features := open[0], open[1]
			if database.str("kind") != "ask" || database.str("prompt") != "Which database?" || !strings.Contains(jsonText(database["descriptions"]), "One file") || features["multiple"] != true {
				t.Errorf("the questions do not say what they are about: %v", open)
			}
			who := database.str("asked_by")
			if row := d.doing(who, "waiting"); row["needs_you"] != true || row.str("line") != "Asks you: Which database? (and 1 more)" {
				t.Errorf("it does not show what it waits for: %v", row)
			}
			answer := message{"decision_id": database.str("decision_id"), "choice": "SQLite"}
			if m := d.give("", "resolve_decision", answer); m.payload().str("code") != "NOT_ALLOWED" {
				t.Fatalf("a tool's question was answered without the operator's credential: %v", m)
			}
			for _, data := range []message{answer, {"decision_id": features.str("decision_id"), "choice": "Auth", "choices": []string{"Auth", "Export"}}} {
				if m := d.give(d.operator(), "resolve_decision", data); m.str("type") != "ack" {
					t.Fatalf("the operator was refused: %v", m)
				}
			}
			row := d.doing(who, "idle")
			if out := s.end(t); !strings.Contains(out, `\"Which database?\"=\"SQLite\", \"Which features?\"=\"Auth, Export\"`) {
				t.Errorf("the model did not get the answers: %s", out)
			}
			if said := row.str("said"); said != "SQLite it is, with sign in and export." {
				t.Errorf("its last answer is %q", said)
			}
			until(t, "the answer is recorded once", func() bool { return d.said("SQLite it is, with sign in and export.") == 1 })
			until(t, "the session has a price by the list", func() bool {
				out := d.run("cost")
				return strings.Contains(out, "~$") && strings.Contains(out, "list prices")
			})
			if out := d.run("agent", "explain", who); !strings.Contains(out, "SQLite it is") {
				t.Errorf("explain does not show the answer:\n%s", out)
			}
			if out := d.run("tail", "-n", "100"); !strings.Contains(out, "Answered: SQLite it is") {
				t.Errorf("the timeline does not show the answer:\n%s", out)
			}
		})
	}
}

// said returns the number of turns that ended with this answer.
func (d *desk) said(text string) (n int) {
	for _, f := range d.activity() {
		if f.str("event") == "turn_end" && f.str("said") == text {
			n++
		}
	}
	return n
}

// Answering in the program itself withdraws all questions in the office.
func TestClaudeQuestionAnsweredInTheProgramIsWithdrawn(t *testing.T) {
	t.Parallel()
	d := newDesk(t, questionScripts)
	d.open()
	d.install()
	s := d.start()
	s.prompt("[which] do we need?")
	open := d.questions(2)
	if m := d.give(d.operator(), "resolve_decision", message{"decision_id": open[0].str("decision_id"), "choice": "SQLite"}); m.str("type") != "ack" {
		t.Fatalf("the operator was refused: %v", m)
	}
	s.answer(t, message{"Which database?": "Postgres", "Which features?": "Search"})
	if got := d.decided(open[1].str("decision_id")); got.str("status") != "cancelled" || got.str("reason") == "" {
		t.Errorf("the question became %v", got)
	}
	d.doing(open[0].str("asked_by"), "idle")
	if out := s.end(t); !strings.Contains(out, `\"Which database?\"=\"Postgres\"`) {
		t.Errorf("the answer in the program did not count: %s", out)
	}
}

// answer answers the questions that Claude Code asks in its own output.
func (s *session) answer(t *testing.T, answers message) {
	t.Helper()
	var asked message
	until(t, "the program asks as well", func() bool {
		for line := range strings.Lines(s.printed()) {
			var m message
			if json.Unmarshal([]byte(line), &m) == nil && m.at("request.subtype") == "can_use_tool" {
				asked = m
			}
		}
		return asked != nil
	})
	input, _ := asked.at("request.input").(map[string]any)
	input["answers"] = answers
	s.send(message{"type": "control_response", "response": message{
		"subtype": "success", "request_id": asked.str("request_id"), "response": message{"behavior": "allow", "updatedInput": input},
	}})
}
