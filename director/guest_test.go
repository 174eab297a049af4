package director_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/google/go-cmp/cmp"
)

const guestID = "agent_claude_a1"

func visit(s *rig, id string) {
	s.must(contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: id, Name: "bullpen", Source: "claude", Session: "claude:s1", Place: "~/src/bullpen"}})
}

func (s *rig) status(activity contracts.Activity, why string) {
	s.t.Helper()
	s.must(contracts.StatusSeen{Status: contracts.AgentStatus{AgentID: guestID, Activity: activity, Why: why, Line: "⚡ make", Authority: contracts.FromHook}})
}

func (s *rig) state() contracts.AgentState { return s.w.Agent(guestID).Goal.State }

// A1: a guest goes where its status requires, and its evidence is shown as the reason.
func TestGuestMovesByEvidence(t *testing.T) {
	s := newRig(t)
	visit(s, guestID)
	s.wait("it is home", func() bool { return s.state() == contracts.StateIdle })

	s.status(contracts.ActivityWorking, "Bash runs.")
	if g := s.w.Agent(guestID).Goal; g.State != contracts.StateWalking || g.Goal.POIID == "" || g.Why != "Bash runs." {
		t.Fatalf("the guest is not going to a desk: %+v", g)
	}
	s.wait("it works", func() bool { return s.state() == contracts.StateWorking })

	s.status(contracts.ActivityIdle, "The turn ended.")
	s.wait("it is home again", func() bool { return s.state() == contracts.StateIdle })

	s.status(contracts.ActivityWorking, "A new turn.")
	s.now += 200 // in the middle of the guest's walk
	s.advance()
	s.status(contracts.ActivityOffline, "pid 4711 is gone.")
	if g := s.w.Agent(guestID).Goal; g.State != contracts.StateOffline || g.Goal.Kind.Moves() || g.Goal.AnchorID != "" {
		t.Fatalf("the guest did not stop where it was: %+v", g)
	}
	row := s.w.Snapshot(s.now, nil, sources).Agents[len(crew)]
	if row.Activity != contracts.ActivityOffline || row.Why != "pid 4711 is gone." || row.Authority != contracts.FromHook || row.StatusLine != "⚡ make" {
		t.Errorf("the row does not show the status: %+v", row)
	}
	s.must(contracts.AgentGone{AgentID: guestID, Reason: "gone for long"})
	if s.w.Agent(guestID) != nil {
		t.Error("the guest is still in the office")
	}
	s.must(contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: guestID, Name: "again", Source: "claude"}})
}

// A sub-agent works next to its parent and follows the parent.
func TestSubagentStaysWithItsParent(t *testing.T) {
	s := newRig(t)
	visit(s, guestID)
	s.status(contracts.ActivityWorking, "A turn runs.")
	s.must(contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: "agent_sub", Name: "Explore", Source: "claude", ParentID: guestID}})
	s.must(contracts.StatusSeen{Status: contracts.AgentStatus{AgentID: "agent_sub", Activity: contracts.ActivityWorking, Why: "It was sent.", Authority: contracts.FromHook}})
	apart := func() float64 {
		p, q := s.w.Agent("agent_sub").Destination(), s.w.Agent(guestID).Destination()
		return math.Hypot(p[0]-q[0], p[2]-q[2])
	}
	if d := apart(); d > 2 {
		t.Errorf("the sub-agent is working %.1f m away", d)
	}
	s.must(permission()) // the parent walks off to ask
	s.pass(time.Minute)
	if d := apart(); d > 2.5 {
		t.Errorf("the sub-agent was left %.1f m behind", d)
	}
}

// A1: since is the start of the activity; a new status line alone does not change it.
func TestGuestStatusKeepsSince(t *testing.T) {
	s := newRig(t)
	visit(s, guestID)
	s.status(contracts.ActivityWorking, "one")
	since := s.w.Agent(guestID).Status.Since
	s.now += 5000
	s.status(contracts.ActivityWorking, "two")
	if got := s.w.Agent(guestID).Status; got.Since != since || got.Why != "two" {
		t.Errorf("%+v", got)
	}
	s.status(contracts.ActivityIdle, "three")
	if got := s.w.Agent(guestID).Status; got.Since != s.now {
		t.Errorf("%+v", got)
	}
}

// The office gives a guest no tasks, and no messages or orders that its source does not support. A
// refusal changes nothing.
func TestGuestIsOnlyWatched(t *testing.T) {
	s, _, ids := kickedOff(t, contracts.KindCode)
	visit(s, guestID)
	s.refuse(contracts.CodeNotAllowed, contracts.AssignTask{TaskID: ids[0], AgentID: guestID})
	s.refuse(contracts.CodeNotAllowed, contracts.Say{ThreadID: "agent:" + guestID, Text: "Hello"})
	s.refuse(contracts.CodeNotAllowed, contracts.AgentControl{Name: contracts.CmdStopAgent, AgentID: guestID})
	if refusal := s.tell(contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: "agent_bd", Source: "claude"}}); refusal == nil || refusal.Code != contracts.CodeConflict {
		t.Errorf("a guest replaced a crew member: %v", refusal)
	}
	if refusal := s.tell(contracts.StatusSeen{Status: contracts.AgentStatus{AgentID: "agent_bd", Activity: contracts.ActivityOffline, Why: "x"}}); refusal == nil {
		t.Error("evidence removed a crew member")
	}
	s.do(contracts.AutoAssign{ProjectID: s.w.Task(ids[0]).ProjectID})
	if s.w.Agent(guestID).TaskID != "" {
		t.Error("a guest got a task")
	}
}

// An agent's row lists the commands that the agent obeys: those that its adapter set or, by
// default, those of its source. The office refuses all other commands.
func TestRowListsTheControlsOfItsAgent(t *testing.T) {
	s := newRig(t)
	visit(s, guestID)
	for _, p := range []contracts.AgentProfile{
		{AgentID: "agent_claw", Name: "claw", Source: "gateway"},
		{AgentID: "agent_later", Name: "later", Source: "later", Controls: []contracts.CommandName{contracts.CmdKillAgent, contracts.CmdChat}},
		{AgentID: "agent_mute", Name: "mute", Source: contracts.SourceBridge, Controls: []contracts.CommandName{}},
	} {
		s.must(contracts.AgentSeen{Profile: p})
	}
	crew := []contracts.CommandName{contracts.CmdStopAgent, contracts.CmdKillAgent, contracts.CmdNewSession, contracts.CmdSwitchAgent, contracts.CmdHandover, contracts.CmdChat}
	want := map[string][]contracts.CommandName{
		"agent_bd": crew, guestID: nil, "agent_mute": nil,
		"agent_claw": {contracts.CmdStopAgent, contracts.CmdNewSession}, "agent_later": {contracts.CmdKillAgent, contracts.CmdChat},
	}
	for _, row := range s.w.Snapshot(s.now, nil, sources).Agents {
		obeyed, asked := want[row.AgentID]
		if !asked {
			continue
		}
		delete(want, row.AgentID)
		if !slices.Equal(row.Controls, obeyed) {
			t.Errorf("%s obeys %v, want %v", row.AgentID, row.Controls, obeyed)
		}
		for _, c := range crew {
			if slices.Contains(obeyed, c) {
				continue
			}
			if c == contracts.CmdChat {
				s.refuse(contracts.CodeNotAllowed, contracts.Say{ThreadID: "agent:" + row.AgentID, Text: "Hello"})
			} else {
				s.refuse(contracts.CodeNotAllowed, contracts.AgentControl{Name: c, AgentID: row.AgentID})
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("no row for %v", want)
	}
	s.do(contracts.Say{ThreadID: "agent:agent_later", Text: "Hello"})
}

// Another source cannot take over a guest, unless the guest is known only from workflow events or
// from calls to the office's MCP tools.
func TestGuestKeepsItsPlace(t *testing.T) {
	s := newRig(t)
	visit(s, guestID)
	impostor := contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: guestID, Name: "impostor", Source: contracts.SourceBridge}}
	if refusal := s.tell(impostor); refusal == nil || refusal.Code != contracts.CodeConflict || s.w.Agent(guestID).Name != "bullpen" {
		t.Errorf("%v, and now %+v is here", refusal, s.w.Agent(guestID).AgentProfile)
	}
	for _, source := range []string{contracts.SourceUI, contracts.SourceBridge} {
		s.must(contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: "agent_indexer", Name: "indexer", Source: source}})
	}
	s.do(contracts.Say{ThreadID: "agent:agent_indexer", Text: "Hello"}) // B13: a connected agent receives messages
}

// A gateway agent can be stopped while it works, and can be given a new session while it is online;
// the order is recorded as a received fact.
func TestGatewayGuestTakesOrders(t *testing.T) {
	s := newRig(t)
	s.must(contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: guestID, Name: "main", Source: "gateway", Session: "gateway:agent:main:main"}})
	stop := contracts.AgentControl{Name: contracts.CmdStopAgent, AgentID: guestID}
	s.refuse(contracts.CodeConflict, stop)
	s.status(contracts.ActivityWorking, "A turn runs.")
	s.do(stop)
	s.do(contracts.AgentControl{Name: contracts.CmdNewSession, AgentID: guestID})
	var got []string
	for i := range s.recs {
		body, _ := s.recs[i].Decode()
		if h, ok := body.(*contracts.HUD); ok {
			got = append(got, fmt.Sprintf("%s %s %s", h.Event, h.Subtype, h.Session))
		}
	}
	want := []string{"received stop gateway:agent:main:main", "received new_session gateway:agent:main:main"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	s.status(contracts.ActivityOffline, "The gateway is not reachable.")
	s.refuse(contracts.CodeConflict, stop)
}

func permission() contracts.AskSeen {
	return contracts.AskSeen{
		AgentID: guestID, Kind: contracts.DecisionPermission, Prompt: "Run make?",
		Options:    []string{contracts.OptionAllow, contracts.OptionAlways, contracts.OptionDeny},
		Permission: &contracts.Permission{Tool: "exec", Label: "⚡ make"},
	}
}

// S4: only the operator credential can allow a tool call; answers from other callers change
// nothing.
func TestPermissionNeedsTheCredential(t *testing.T) {
	s := newRig(t)
	visit(s, guestID)
	s.must(permission())
	id := s.result.DecisionID
	s.wait("it waits for a person", func() bool { return s.state() == contracts.StateWaiting })
	if row := s.w.Snapshot(s.now, nil, sources).Agents[len(crew)]; !row.NeedsYou {
		t.Error("the guest is not shown as needing a person")
	}
	allow := contracts.ResolveDecision{DecisionID: id, Choice: contracts.OptionAllow}
	for _, caller := range []contracts.Caller{{}, {Access: contracts.AccessAgent}, {Access: contracts.AccessOperator}} {
		s.caller = caller
		s.refuse(contracts.CodeNotAllowed, allow)
	}
	s.caller.Permit = true
	s.refuse(contracts.CodeValidationFailed, contracts.ResolveDecision{DecisionID: id, Choice: "yes"})
	s.do(allow)
	if d := s.w.Decision(id); d.Status != contracts.DecisionResolved || d.Choice != contracts.OptionAllow {
		t.Errorf("%+v", d)
	}
	s.wait("it goes on", func() bool { return s.state() == contracts.StateIdle })
}

// Answering a tool's question needs the operator credential. Several options or free text are
// accepted only if the question allows them.
func TestQuestionOfATool(t *testing.T) {
	s := newRig(t)
	visit(s, guestID)
	ask := func(multiple, free bool) string {
		s.must(contracts.AskSeen{
			AgentID: guestID, Kind: contracts.DecisionAsk, Prompt: "Which?", Header: "Features", Options: []string{"Auth", "Export"},
			Descriptions: []string{"Sign in", "CSV, PDF"}, Multiple: multiple, AllowFreeText: free, Permission: &contracts.Permission{Tool: "AskUserQuestion", CallID: "toolu_1"},
		})
		return s.result.DecisionID
	}
	answer := func(id, choice string, choices ...string) contracts.ResolveDecision {
		return contracts.ResolveDecision{DecisionID: id, Choice: choice, Choices: choices}
	}
	several, one, free := ask(true, false), ask(false, false), ask(true, true)
	if d := s.w.Decision(several); !d.Multiple || d.Header != "Features" || d.Descriptions[1] != "CSV, PDF" {
		t.Errorf("asked %+v", d)
	}
	s.caller.Permit = false
	s.refuse(contracts.CodeNotAllowed, answer(several, "Auth"))
	s.caller.Permit = true
	s.refuse(contracts.CodeValidationFailed, answer(several, "Auth", "Auth", "Search"))
	s.refuse(contracts.CodeValidationFailed, answer(several, "Auth", "Export"))
	s.refuse(contracts.CodeValidationFailed, answer(one, "Auth", "Auth", "Export"))
	s.do(answer(several, "Auth", "Auth", "Export", "Auth"))
	s.do(answer(one, "Export"))
	s.do(answer(free, "Auth", "Auth", "and a dark mode"))
	for id, want := range map[string][]string{several: {"Auth, Export", "Auth", "Export"}, one: {"Export"}, free: {"Auth, and a dark mode", "Auth", "and a dark mode"}} {
		d := s.w.Decision(id)
		if diff := cmp.Diff(want, append([]string{d.Choice}, d.Choices...)); diff != "" || d.Status != contracts.DecisionResolved {
			t.Errorf("%s: %s", d.Status, diff)
		}
	}
}

// A question is cancelled with a reason if it has expired, if it was answered elsewhere, or if its
// agent has left.
func TestAsksAreCancelledWithAReason(t *testing.T) {
	s := newRig(t)
	visit(s, guestID)
	var ids []string
	ask := func(expires int64) {
		f := permission()
		f.ExpiresAt = expires
		s.must(f)
		ids = append(ids, s.result.DecisionID)
	}
	ask(s.now + 60_000)
	ask(0)
	ask(0)
	s.must(contracts.AskWithdrawn{DecisionID: ids[1], Reason: "answered in the terminal"})
	if refusal := s.tell(contracts.AskWithdrawn{DecisionID: ids[1], Reason: "again"}); refusal == nil || refusal.Code != contracts.CodeConflict {
		t.Errorf("the question was withdrawn twice: %v", refusal)
	}
	s.pass(time.Minute)
	s.must(contracts.AgentGone{AgentID: guestID})
	var got []string
	for _, id := range ids {
		d := s.w.Decision(id)
		got = append(got, fmt.Sprintf("%s %s", d.Status, d.Reason))
	}
	want := []string{"cancelled Not answered in time.", "cancelled answered in the terminal", "cancelled bullpen has left."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Questions from outside are limited and checked like every other input.
func TestAskRefusals(t *testing.T) {
	s := newRig(t)
	visit(s, guestID)
	for name, spoil := range map[string]func(*contracts.AskSeen){
		"nobody":               func(f *contracts.AskSeen) { f.AgentID = "agent_nobody" },
		"no prompt":            func(f *contracts.AskSeen) { f.Prompt = " \x00" },
		"no options":           func(f *contracts.AskSeen) { f.Options = nil },
		"a blank option":       func(f *contracts.AskSeen) { f.Options = []string{"A", " "} },
		"nothing to permit":    func(f *contracts.AskSeen) { f.Permission = nil },
		"too few descriptions": func(f *contracts.AskSeen) { f.Descriptions = []string{"only one"} },
		"a retry from outside": func(f *contracts.AskSeen) { f.Kind = contracts.DecisionRetry },
	} {
		f := permission()
		spoil(&f)
		if refusal := s.tell(f); refusal == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	for range contracts.LimitOpenAsks {
		s.must(contracts.AskSeen{Kind: contracts.DecisionAsk, Prompt: "Which?", AllowFreeText: true})
	}
	if refusal := s.tell(permission()); refusal == nil || refusal.Code != contracts.CodeConflict {
		t.Errorf("more than LimitOpenAsks: %v", refusal)
	}
	for _, d := range slices.Clone(s.w.Decisions()) {
		s.do(contracts.ResolveDecision{DecisionID: d.DecisionID, Choice: "x"})
	}
	if n := len(s.w.Decisions()); n != contracts.LimitClosedAsks {
		t.Errorf("%d answered questions are in the world, want %d", n, contracts.LimitClosedAsks)
	}
}

// The limit on open questions per agent leaves room for other agents' questions.
func TestAsksOfOneAgentAreBounded(t *testing.T) {
	s := newRig(t)
	visit(s, guestID)
	visit(s, "agent_other")
	ask := func(agentID string) *contracts.Refusal {
		return s.tell(contracts.UISeen{UI: contracts.UI{AgentID: agentID}, Ask: &contracts.AskSeen{AgentID: agentID, Kind: contracts.DecisionAsk, Prompt: "Which?", AllowFreeText: true}})
	}
	for range contracts.LimitAgentAsks {
		if refusal := ask(guestID); refusal != nil {
			t.Fatal(refusal)
		}
	}
	if refusal := ask(guestID); refusal == nil || refusal.Code != contracts.CodeConflict || !strings.Contains(refusal.Message, "ask again once some have been answered") {
		t.Errorf("more than LimitAgentAsks: %v", refusal)
	}
	if refusal := ask("agent_other"); refusal != nil {
		t.Errorf("another agent: %v", refusal)
	}
	if refusal := s.tell(permission()); refusal != nil {
		t.Errorf("a permission request: %v", refusal)
	}
}

// At most LimitGuests guests can be in the office.
func TestGuestsAreBounded(t *testing.T) {
	s := newRig(t)
	for i := range contracts.LimitGuests {
		visit(s, fmt.Sprintf("agent_g%d", i))
	}
	one := contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: "agent_more", Source: "ui"}}
	if refusal := s.tell(one); refusal == nil || !strings.Contains(refusal.Message, "full (200 guests)") {
		t.Fatalf("a guest beyond the limit joined: %v", refusal)
	}
	s.must(contracts.AgentGone{AgentID: "agent_g0"})
	s.must(one)
	if err := check(s.w); err != nil {
		t.Error(err)
	}
}

// U4: a status's lifetime starts at the time of its record.
func TestUIStatusExpires(t *testing.T) {
	s := newRig(t)
	before := s.w.Seq()
	s.must(contracts.UISeen{UI: contracts.UI{Name: "abstract.status", Kind: contracts.UIStatus, Raw: []byte(`"x"`)}, Lasts: 2000})
	body, err := s.recs[before].Decode()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := body.(*contracts.UI).ExpiresAt, s.recs[before].TS+2000; got != want {
		t.Errorf("the status expires at %d, want %d", got, want)
	}
}

// U6: an ask becomes one record and one decision, and the record names the decision.
func TestUIAskBecomesADecision(t *testing.T) {
	s := newRig(t)
	before := s.w.Seq()
	s.must(contracts.UISeen{
		UI:  contracts.UI{Name: "abstract.ask", Kind: contracts.UIAsk, Raw: []byte(`"Which?"`), Source: "x", EventID: "1"},
		Ask: &contracts.AskSeen{Kind: contracts.DecisionAsk, Prompt: "Which?", Options: []string{"A", "B"}},
	})
	rec := s.recs[before]
	body, err := rec.Decode()
	if err != nil {
		t.Fatal(err)
	}
	if u := body.(*contracts.UI); u.DecisionID != s.result.DecisionID || s.w.Decision(u.DecisionID) == nil || rec.Key != contracts.UIKey("x", "1") {
		t.Errorf("%+v %+v", rec, u)
	}
}

// A9: usage is totalled per day, per agent, per task and overall. An unknown price counts as
// unknown, never as zero.
func TestUsageTotals(t *testing.T) {
	s, task := started(t, contracts.KindCode, "agent_eng_1")
	visit(s, guestID)
	half := 0.5
	s.must(contracts.UsageSeen{Key: "1", AgentID: guestID, Usage: contracts.Usage{TokensIn: 10, TokensOut: 5, CostUSD: &half}})
	s.must(contracts.UsageSeen{Key: "2", AgentID: guestID, TaskID: task.TaskID, Usage: contracts.Usage{TokensIn: 1, CacheRead: 7}})
	s.now += 24 * time.Hour.Milliseconds()
	s.advance()
	s.must(contracts.UsageSeen{Key: "3", AgentID: "agent_gone", Usage: contracts.Usage{TokensOut: 2, CostUSD: &half}})
	want := contracts.UsageTotal{TokensIn: 11, TokensOut: 7, CacheRead: 7, CostUSD: 1, Priced: 2, Unpriced: 1}
	got := s.w.Usage(s.now)
	if diff := cmp.Diff(want, got.Lifetime); diff != "" {
		t.Errorf("lifetime: %s", diff)
	}
	if diff := cmp.Diff(contracts.UsageTotal{TokensOut: 2, CostUSD: 0.5, Priced: 1}, got.Today); diff != "" {
		t.Errorf("today: %s", diff)
	}
	if task.Usage == nil || task.Usage.Unpriced != 1 || len(s.w.UsageDays()) != 2 || len(s.w.UsageAgents()) != 2 {
		t.Errorf("task %+v, days %v, agents %v", task.Usage, s.w.UsageDays(), s.w.UsageAgents())
	}
	for _, bad := range []contracts.Usage{{TokensIn: -1}, {CostUSD: new(float64)}} {
		if bad.CostUSD != nil {
			*bad.CostUSD = -0.01
		}
		if refusal := s.tell(contracts.UsageSeen{Usage: bad}); refusal == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
}
