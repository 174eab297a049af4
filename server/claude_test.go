package server

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/claude/translate"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/model"
)

const (
	preHook = `{"session_id":"s1","prompt_id":"p","cwd":"/src/shop","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"toolu_1"}`
	askHook = `{"session_id":"s1","prompt_id":"p","cwd":"/src/shop","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"make"},
		"permission_suggestions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"make:*"}],"behavior":"allow","destination":"session"}]}`
	noticeHook = `{"session_id":"s1","prompt_id":"p","cwd":"/src/shop","hook_event_name":"Notification","notification_type":"permission_prompt","message":"Claude needs your permission to use Bash"}`
	hookDoor   = "/hooks/claude"
	asJSON     = "Content-Type: application/json"
)

type hookAnswer struct {
	status int
	body   string
}

// asking sends a permission request and waits until the question is open.
func (r *rig) asking(v *viewer) (decision string, answer chan hookAnswer) {
	r.t.Helper()
	if status, body := r.post(hookDoor, preHook, asJSON); status/100 != 2 || body != "" {
		r.t.Fatalf("PreToolUse: %d %q", status, body)
	}
	answer = make(chan hookAnswer, 1)
	go func() {
		status, body := r.post(hookDoor, askHook, asJSON)
		answer <- hookAnswer{status, body}
	}()
	e := v.untilEvent(func(e contracts.Event) bool { return e.Name == contracts.EventDecisionRequested })
	return e.DecisionID, answer
}

// A permission request becomes a question, and the answer reaches Claude Code in Claude Code's
// format.
func TestClaudePermissionIsAnswered(t *testing.T) {
	const head = `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":`
	for _, c := range []struct{ choice, note, want string }{
		{contracts.OptionAllow, "", head + `{"behavior":"allow"}}}`},
		{contracts.OptionAlways, "", head + `{"behavior":"allow","updatedPermissions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"make:*"}],"behavior":"allow","destination":"session"}]}}}`},
		{contracts.OptionDeny, "use the other target", head + `{"behavior":"deny","message":"use the other target"}}}`},
	} {
		t.Run(c.choice, func(t *testing.T) {
			cfg := Config{Crew: CrewNone, DataDir: t.TempDir()}
			r := startRig(t, cfg)
			v := r.dial(cfg.ownerToken(t))
			id, answer := r.asking(v)
			d := r.decision("/v1/decisions/" + id)
			if d.Prompt != "Claude Code in /src/shop wants to run: make" || d.Permission.CallID != "toolu_1" || d.Permission.Grants != "allow Bash(make:*) for this session; and an office rule for every agent: exec make in /src/shop" {
				t.Errorf("%+v %+v", d, d.Permission)
			}
			v.command(contracts.CmdResolveDecision, contracts.ResolveDecision{DecisionID: id, Choice: c.choice, Note: c.note})
			if got := <-answer; got.status != http.StatusOK || got.body != c.want {
				t.Errorf("%d %s", got.status, got.body)
			}
		})
	}
}

// Claude Code also sends a notification for a permission prompt. Answering the permission request
// withdraws that notice too, even if the tool then runs for minutes without an event: otherwise the
// office would send people to a terminal where nothing is waiting for them.
func TestAnsweringPermissionWithdrawsItsNotice(t *testing.T) {
	cfg := Config{Crew: CrewNone, DataDir: t.TempDir()}
	r := startRig(t, cfg)
	v := r.dial(cfg.ownerToken(t))
	id, answer := r.asking(v)
	if status, body := r.post(hookDoor, noticeHook, asJSON); status/100 != 2 {
		t.Fatalf("%d %s", status, body)
	}
	needs := func() []model.Need {
		s := r.view.State()
		rows := model.Rows{Agents: s.Agents, Decisions: s.Decisions}
		return rows.Needs()
	}
	if list := needs(); len(list) != 1 || list[0].Kind != model.NeedPermission {
		t.Errorf("the permission and its notice are %+v", list)
	}
	v.command(contracts.CmdResolveDecision, contracts.ResolveDecision{DecisionID: id, Choice: contracts.OptionAllow})
	<-answer
	r.untilTrue("the agent no longer waits", func() bool {
		s := r.view.State()
		return len(needs()) == 0 && len(s.Agents) == 1 && s.Agents[0].Activity != contracts.ActivityWaiting
	})
}

// The plain page lists an agent that needs a person, even without JavaScript. With JavaScript, the
// page loads the list from GET /v1/needs.
func TestPageListsAgentsThatNeedYou(t *testing.T) {
	r := startRig(t, Config{Crew: CrewNone, DataDir: t.TempDir()})
	if status, body := r.post(hookDoor, noticeHook, asJSON); status/100 != 2 {
		t.Fatalf("%d %s", status, body)
	}
	r.untilTrue("the page lists the agent", func() bool {
		_, page := r.do(http.MethodGet, "/text", "")
		return strings.Contains(page, `Claude needs your permission to use Bash <span class="dim">Answer in its terminal in /src/shop (session s1) agent_claude_`)
	})
	if _, body, _ := r.get("/v1/needs", ""); !strings.Contains(body, `"kind":"elsewhere","title":"Claude needs your permission to use Bash","do":"Answer in its terminal in `) {
		t.Error(body)
	}
}

// A7: a request too large to show in full can be denied in the office, but allowed only in the
// terminal.
func TestTruncatedPermissionCanOnlyBeDenied(t *testing.T) {
	cfg := Config{Crew: CrewNone, DataDir: t.TempDir()}
	r := startRig(t, cfg)
	v := r.dial(cfg.ownerToken(t))
	answer := make(chan hookAnswer, 1)
	go func() {
		status, body := r.post(hookDoor, strings.ReplaceAll(askHook, "make", "make "+strings.Repeat("x", contracts.LimitPermission)), asJSON)
		answer <- hookAnswer{status, body}
	}()
	e := v.untilEvent(func(e contracts.Event) bool { return e.Name == contracts.EventDecisionRequested })
	if !strings.Contains(e.Decision.Permission.Label, "too large to show in full") || !slices.Equal(e.Decision.Options, []string{contracts.OptionDeny}) {
		t.Errorf("%q %q", e.Decision.Permission.Label, e.Decision.Options)
	}
	for _, choice := range []string{contracts.OptionAllow, contracts.OptionAlways} {
		v.command(contracts.CmdResolveDecision, contracts.ResolveDecision{DecisionID: e.DecisionID, Choice: choice})
		for m, _ := v.read(); ; m, _ = v.read() {
			if m.Type == "ack" {
				t.Fatalf("%s was taken", choice)
			}
			if m.Type == "error" && strings.Contains(string(m.Payload), string(contracts.CodeValidationFailed)) {
				break
			}
		}
	}
	v.command(contracts.CmdResolveDecision, contracts.ResolveDecision{DecisionID: e.DecisionID, Choice: contracts.OptionDeny})
	if got := <-answer; !strings.Contains(got.body, `"behavior":"deny"`) {
		t.Errorf("%+v", got)
	}
}

// S4: neither open loopback access nor an agent's credential can answer an agent's permission
// request, and the hook endpoint issues no credential.
func TestClaudeAgentCannotAllowItself(t *testing.T) {
	cfg := Config{Crew: CrewNone, DataDir: t.TempDir()}
	r := startRig(t, cfg)
	owner := r.dial(cfg.ownerToken(t))
	id, answer := r.asking(owner)
	open := r.dial("")
	open.command(contracts.CmdResolveDecision, contracts.ResolveDecision{DecisionID: id, Choice: contracts.OptionAllow})
	for {
		m, _ := open.read()
		if m.Type == "ack" {
			t.Fatal("any local process may allow it")
		}
		if m.Type == "error" && strings.Contains(string(m.Payload), string(contracts.CodeNotAllowed)) {
			break
		}
	}
	resp, _ := r.do("GET", hookDoor, "")
	if len(resp.Cookies()) > 0 {
		t.Error("the endpoint issues a credential")
	}
	select {
	case got := <-answer:
		t.Fatalf("it was answered: %+v", got)
	default:
	}
	owner.command(contracts.CmdResolveDecision, contracts.ResolveDecision{DecisionID: id, Choice: contracts.OptionDeny})
	if got := <-answer; !strings.Contains(got.body, `"behavior":"deny"`) {
		t.Errorf("%+v", got)
	}
}

// A permission request is withdrawn once it has been answered in the terminal, that is, once the
// call has run or the hook is no longer waiting.
func TestClaudePermissionIsWithdrawn(t *testing.T) {
	cfg := Config{Crew: CrewNone, DataDir: t.TempDir()}
	r := startRig(t, cfg)
	v := r.dial(cfg.ownerToken(t))
	id, answer := r.asking(v)
	r.post(hookDoor, strings.ReplaceAll(preHook, "PreToolUse", "PostToolUse"), asJSON)
	if got := <-answer; got.status != http.StatusOK || got.body != "" {
		t.Errorf("%+v", got)
	}
	if d := r.decision("/v1/decisions/" + id); d.Status != contracts.DecisionCancelled || d.Reason != "answered in the terminal" {
		t.Errorf("%+v", d)
	}

	ctx, hangUp := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		req, _ := http.NewRequestWithContext(ctx, "POST", "http://"+r.addr+hookDoor, strings.NewReader(strings.ReplaceAll(askHook, "make", "rm x")))
		if resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req); err == nil {
			resp.Body.Close()
		}
	}()
	asked := v.untilEvent(func(e contracts.Event) bool { return e.Name == contracts.EventDecisionRequested })
	r.untilTrue("the agent waits", func() bool { return r.view.State().Agents[0].Activity == contracts.ActivityWaiting })
	hangUp()
	<-gone
	v.untilEvent(func(e contracts.Event) bool {
		return e.Name == contracts.EventDecisionCancelled && e.DecisionID == asked.DecisionID
	})
	r.untilTrue("the notice is withdrawn", func() bool {
		s := r.view.State()
		rows := model.Rows{Agents: s.Agents, Decisions: s.Decisions}
		return len(rows.Needs()) == 0 && s.Agents[0].Activity != contracts.ActivityWaiting
	})
}

// A server that shuts down does not wait for people. A killed server leaves questions open, and the
// next server withdraws them.
func TestClaudePermissionAndRestart(t *testing.T) {
	cfg := Config{Crew: CrewNone, DataDir: t.TempDir()}
	r := startRig(t, cfg)
	v := r.dial(cfg.ownerToken(t))
	closing, answer := r.asking(v)
	killed := r.office.Tell(t.Context(), contracts.AskSeen{
		AgentID: r.decision("/v1/decisions/" + closing).AskedBy, Kind: contracts.DecisionPermission, Prompt: "May I?",
		Options: []string{contracts.OptionAllow, contracts.OptionDeny}, Permission: &contracts.Permission{Tool: "exec"},
	})[0].Result.DecisionID
	r.stop()
	if got := <-answer; got.body != "" {
		t.Errorf("%+v", got)
	}
	r = startRig(t, cfg)
	for id, reason := range map[string]string{closing: "the server is shutting down; answer in the terminal", killed: "the server restarted; answer in the terminal"} {
		if d := r.decision("/v1/decisions/" + id + "?wait=60s"); d.Status != contracts.DecisionCancelled || d.Reason != reason {
			t.Errorf("%+v", d)
		}
	}
}

// A viewer may not send hooks, and an agent may not send them for another agent. An agent token
// without an agent id may send them.
func TestClaudeHookRoles(t *testing.T) {
	cfg := Config{Crew: CrewNone, DataDir: t.TempDir(), RequireToken: true}
	r := startRig(t, cfg)
	for _, c := range []struct {
		role    contracts.AccessRole
		agentID string
		want    int
	}{
		{contracts.AccessViewer, "", http.StatusForbidden},
		{contracts.AccessAgent, "", http.StatusOK},
		{contracts.AccessAgent, "agent_other", http.StatusForbidden},
	} {
		token := madeToken(t, cfg.DataDir, c.role, c.agentID)
		if status, body := r.post(hookDoor, preHook, asJSON, "Authorization: Bearer "+token); status != c.want && (status != http.StatusAccepted || c.want != http.StatusOK) {
			t.Errorf("%s of %q: %d %s", c.role, c.agentID, status, body)
		}
	}
	if status, _ := r.post(hookDoor, preHook, asJSON); status != http.StatusUnauthorized {
		t.Errorf("no credential: %d", status)
	}
	r.untilTrue("the session joined", func() bool { // the hook does not wait until the session joins
		_, ok := r.roster.Explain(translate.AgentID("s1", ""))
		return ok
	})
}

func madeToken(t *testing.T, dir string, role contracts.AccessRole, agentID string) string {
	t.Helper()
	store, err := gate.OpenTokens(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, secret, err := store.Create(gate.Token{Role: role, AgentID: agentID, Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// claudeIn returns options that set Claude Code's directory to dir.
func claudeIn(dir string) map[string]agents.Options {
	return map[string]agents.Options{"claude": {agents.OptionDir: {dir}}}
}
