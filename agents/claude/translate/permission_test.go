package translate

import (
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

func hook(t *testing.T, body string) *Hook {
	t.Helper()
	h, err := ParseHook([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

const request = `{"session_id":"s","cwd":"/home/dev/shop","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"make it","description":"d"},
	"permission_suggestions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"make:*"}],"behavior":"allow","destination":"localSettings"}]}`

// The question names the tool, its directory and what "always" would allow. The call is found
// although the request has no call id.
func TestPermissionNamesToolAndDirectory(t *testing.T) {
	s := NewSession("s", "", Config{Home: "/home/dev"})
	for _, id := range []string{"toolu_1", "toolu_2"} {
		command := map[string]string{"toolu_1": "make it", "toolu_2": "other"}[id]
		s.Hook(hook(t, `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"`+command+`","description":"d"},"tool_use_id":"`+id+`"}`), 1000)
	}
	h := hook(t, request)
	updates := s.Hook(h, 1100)
	if e := updates.Evidence[0]; e.Claim != "asked" || e.Call != "toolu_1" {
		t.Errorf("evidence %+v", e)
	}
	ask := s.Asks(h, 99)[0]
	p := ask.Permission
	if p.CallID != "toolu_1" || p.Tool != "exec" || p.Place != "~/shop" || p.Label != "⚡ make it" || p.Grants != "allow Bash(make:*) in this project, for you" || ask.ExpiresAt != 99 {
		t.Errorf("%+v", p)
	}
	if ask.Prompt != "Claude Code in ~/shop wants to run: make it" || len(ask.Options) != 3 || ask.Kind != contracts.DecisionPermission {
		t.Errorf("%+v", ask)
	}
}

// "Always" is offered only if everything that it would allow can be shown.
func TestAlwaysIsOfferedOnlyIfItCanBeShown(t *testing.T) {
	for in, want := range map[string]string{
		``:     "",
		`null`: "",
		`[]`:   "",
		`5`:    "",
		`[{"type":"setMode","mode":"acceptEdits","destination":"session"}]`:                                                                 "switch to acceptEdits mode for this session",
		`[{"type":"addDirectories","directories":["/a","/b"],"destination":"session"}]`:                                                     "allow the directories /a, /b for this session",
		`[{"type":"addRules","rules":[{"toolName":"Read"}],"behavior":"allow","destination":"userSettings"},{"type":"setMode","mode":"x"}]`: "allow Read in all projects; switch to x mode",
		`[{"type":"addRules","rules":[{"toolName":"Read"}],"behavior":"allow"},{"type":"somethingNew"}]`:                                    "",
	} {
		if got := grants([]byte(in)); got != want {
			t.Errorf("grants(%s) = %q, want %q", in, got, want)
		}
	}
	long := `{"toolName":"Bash","ruleContent":"` + strings.Repeat("x", contracts.LimitNote) + `"}`
	if got := grants([]byte(`[{"type":"addRules","behavior":"allow","rules":[` + long + `,{"toolName":"Bash","ruleContent":"rm:*"}]}]`)); got != "" {
		t.Errorf("a grant that does not fit is offered: …%s", got[len(got)-20:])
	}
}

// The answers have the format that Claude Code 2.1.197 accepts.
func TestAnswer(t *testing.T) {
	h := hook(t, request)
	const head = `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":`
	for _, c := range []struct {
		d    contracts.Decision
		want string
	}{
		{contracts.Decision{Status: contracts.DecisionResolved, Choice: contracts.OptionAllow}, head + `{"behavior":"allow"}}}`},
		{contracts.Decision{Status: contracts.DecisionResolved, Choice: contracts.OptionAlways}, head + `{"behavior":"allow","updatedPermissions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"make:*"}],"behavior":"allow","destination":"localSettings"}]}}}`},
		{contracts.Decision{Status: contracts.DecisionResolved, Choice: contracts.OptionDeny, Note: "not today"}, head + `{"behavior":"deny","message":"not today"}}}`},
		{contracts.Decision{Status: contracts.DecisionResolved, Choice: contracts.OptionDeny}, head + `{"behavior":"deny","message":"Denied by a person in the office."}}}`},
		{contracts.Decision{Status: contracts.DecisionResolved, Choice: "yes please"}, ``},
		{contracts.Decision{Status: contracts.DecisionCancelled}, ``},
		{contracts.Decision{Status: contracts.DecisionOpen, Choice: contracts.OptionAllow}, ``},
	} {
		if got := string(h.Answer(c.d)); got != c.want {
			t.Errorf("%v: %s, want %s", c.d, got, c.want)
		}
	}
	if strings.Contains(string(h.Answer(contracts.Decision{})), "allow") {
		t.Error("allowed without a decision")
	}
}
