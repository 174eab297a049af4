package translate

import (
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json"
)

const questions = `{"questions":[
	{"question":"Which database?","header":"Database","multiSelect":false,"options":[{"label":"Postgres","description":"Runs everywhere"},{"label":"SQLite","description":"One file"}]},
	{"question":"Which features?","header":"Features","multiSelect":true,"options":[{"label":"Auth","description":"Sign in"},{"label":"Export\u0007","description":"CSV, PDF"}]}]}`

// Each question in a call becomes a decision with its options and their descriptions. The call is
// found although the request has no call id and orders the members of the input differently.
func TestEachQuestionIsADecision(t *testing.T) {
	s := NewSession("s", "", Config{Home: "/home/dev"})
	s.Hook(hook(t, `{"session_id":"s","hook_event_name":"PreToolUse","cwd":"/home/dev/shop","tool_name":"AskUserQuestion","tool_use_id":"toolu_1","tool_input":`+questions+`}`), 1000)
	turned := strings.ReplaceAll(questions, `"multiSelect":false,"options":[{"label":"Postgres","description":"Runs everywhere"},{"label":"SQLite","description":"One file"}]`,
		`"options":[{"description":"Runs everywhere","label":"Postgres"},{"label":"SQLite","description":"One file"}],"multiSelect":false`)
	h := hook(t, `{"session_id":"s","hook_event_name":"PermissionRequest","tool_name":"AskUserQuestion","tool_input":`+turned+`}`)
	if !h.Answerable() {
		t.Fatal("the questions are left to the terminal")
	}
	if e := s.Hook(h, 1100).Evidence[0]; e.Claim != "asked" || e.Call != "toolu_1" || e.Line != "Asks you: Which database? (and 1 more)" {
		t.Errorf("evidence %+v", e)
	}
	list := s.Asks(h, 99)
	if len(list) != 2 {
		t.Fatalf("%d decisions, want one per question", len(list))
	}
	one, two := list[0], list[1]
	if one.Kind != contracts.DecisionAsk || one.Prompt != "Which database?" || one.Header != "Database · 1 of 2" || one.Multiple || !one.AllowFreeText || one.ExpiresAt != 99 ||
		strings.Join(one.Options, "|") != "Postgres|SQLite" || strings.Join(one.Descriptions, "|") != "Runs everywhere|One file" {
		t.Errorf("%+v", one)
	}
	if p := one.Permission; p.CallID != "toolu_1" || p.Place != "~/shop" || p.Tool != "AskUserQuestion" || p.Args != nil {
		t.Errorf("the permission is %+v", p)
	}
	if !two.Multiple || two.Options[1] != "Export" || two.Permission.Label != "Which features?" {
		t.Errorf("%+v", two)
	}
}

// The answers have the format that Claude Code 2.1.197 accepts: the input of the call plus the
// answers, keyed by question text.
func TestAnswers(t *testing.T) {
	h := hook(t, `{"session_id":"s","hook_event_name":"PermissionRequest","tool_name":"AskUserQuestion","tool_input":`+questions+`}`)
	answered := func(d ...contracts.Decision) map[string]string {
		var out struct {
			Output struct {
				Decision struct {
					Behavior string `json:"behavior"`
					Input    struct {
						Questions []any             `json:"questions"`
						Answers   map[string]string `json:"answers"`
					} `json:"updatedInput"`
				} `json:"decision"`
			} `json:"hookSpecificOutput"`
		}
		b := h.Answer(d...)
		if b == nil {
			return nil
		}
		if err := json.Unmarshal(b, &out); err != nil || out.Output.Decision.Behavior != "allow" || len(out.Output.Decision.Input.Questions) != 2 {
			t.Fatalf("%v: %s", err, b)
		}
		return out.Output.Decision.Input.Answers
	}
	one := contracts.Decision{Status: contracts.DecisionResolved, Options: []string{"Postgres", "SQLite"}, Choice: "SQLite"}
	two := contracts.Decision{Status: contracts.DecisionResolved, Options: []string{"Auth", "Export"}, Choice: "Auth, Export", Choices: []string{"Auth", "Export"}}
	if got := answered(one, two); got["Which database?"] != "SQLite" || got["Which features?"] != "Auth, Export\u0007" {
		t.Errorf("%q", got)
	}
	one.Choice, one.Note = "None of these: flat files", "for now"
	if got := answered(one, two); got["Which database?"] != "None of these: flat files, (for now)" {
		t.Errorf("free text: %q", got)
	}
	two.Status = contracts.DecisionCancelled
	if got := answered(one, two); got != nil {
		t.Errorf("partly answered: %q", got)
	}
	if got := answered(one); got != nil {
		t.Errorf("partly answered: %q", got)
	}
}

// Questions that cannot be answered in the office are left to the terminal.
func TestUnsupportedQuestionsAreLeftToTheTerminal(t *testing.T) {
	option := `{"label":"A","description":"B"}`
	for _, input := range []string{
		`{}`, `{"questions":[]}`, `{"questions":"Which?"}`, `{"questions":[{"question":"Which?","options":[]}]}`, `{"questions":[{"question":" ","options":[` + option + `]}]}`,
		`{"questions":[{"question":"Which?","multiSelect":"maybe","options":[` + option + `]}]}`,
		`{"questions":[{"question":"Which?","options":[` + option + `]},{"question":"Which?","options":[` + option + `]}]}`,
		`{"questions":[{"question":"Which?","options":[` + option + `,{"label":" ","description":"C"}]}]}`,
		`{"questions":[{"question":"Which key?","options":[{"label":"sk-ant-REDACTED"},{"label":"sk-ant-REDACTED"}]}]}`,
		`{"questions":[{"question":"Which?","options":[{"label":"` + strings.Repeat("a", contracts.LimitChoice) + `b"},{"label":"` + strings.Repeat("a", contracts.LimitChoice) + `c"}]}]}`,
		`{"questions":[{"question":"Which?","options":[` + strings.Repeat(option+",", contracts.LimitOptions) + option + `]}]}`,
	} {
		h := hook(t, `{"session_id":"s","hook_event_name":"PermissionRequest","tool_name":"AskUserQuestion","tool_input":`+input+`}`)
		if h.Answerable() || h.Answer(contracts.Decision{Status: contracts.DecisionResolved, Choice: contracts.OptionAllow}) != nil {
			t.Errorf("accepted: %s", input)
		}
	}
}
