package director_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

// tester has the methods that *testing.T and *rapid.T share.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// rig runs an office step by step: the test plays the person, the workers and the clock.
type rig struct {
	node, life string // empty before the first life
	t          tester
	d          *director.Director
	w          *world.World
	now        int64
	players    []contracts.Player
	recs       []contracts.Record
	caller     contracts.Caller
	result     contracts.Result // result of the last fact
	repo       string           // repository that requests are submitted with
	accept     []string         // acceptance checks that requests are submitted with
}

var crew = []contracts.AgentProfile{
	{AgentID: "agent_bd", Name: "Ada", Role: contracts.RoleBD, Runner: "rehearsal", Home: "poi_director_desk"},
	{AgentID: "agent_research_1", Name: "Bram", Role: contracts.RoleResearcher, Runner: "rehearsal", Home: "poi_lounge"},
	{AgentID: "agent_writer_1", Name: "Cleo", Role: contracts.RoleWriter, Runner: "rehearsal", Home: "poi_lounge"},
	{AgentID: "agent_eng_1", Name: "Dov", Role: contracts.RoleEngineer, Runner: "rehearsal", Home: "poi_coffee_bar"},
	{AgentID: "agent_design_1", Name: "Esi", Role: contracts.RoleDesigner, Runner: "rehearsal", Home: "poi_beanbags"},
	{AgentID: "agent_strategy_1", Name: "Finn", Role: contracts.RoleStrategist, Runner: "rehearsal", Home: "poi_beanbags"},
	{AgentID: "agent_review_1", Name: "Gia", Role: contracts.RoleReviewer, Runner: "rehearsal", Home: "poi_coffee_bar"},
}

// sources are an endpoint, a vendor whose agents obey some commands, and the crew's script.
var sources = contracts.Sources{
	{Source: contracts.SourceBridge, Controls: []contracts.CommandName{contracts.CmdStopAgent, contracts.CmdNewSession, contracts.CmdKillAgent, contracts.CmdChat}},
	{Source: "gateway", Controls: []contracts.CommandName{contracts.CmdStopAgent, contracts.CmdNewSession}},
	{Source: "rehearsal", Scripted: true},
}

func newRig(t tester) *rig { return newRigIn(t, scene.Default()) }

func newRigIn(t tester, sc *scene.Scene) *rig {
	s := &rig{t: t, d: director.New(director.Config{Sources: sources}), w: world.New(sc), now: 1_700_000_000_000}
	recs, err := s.d.Create(s.w, s.moment(), "ltest", crew)
	s.keep(recs, err)
	return s
}

func (s *rig) moment() director.Now {
	return director.Now{MS: s.now, Players: s.players, Node: s.node, Life: s.life}
}

func (s *rig) keep(recs []contracts.Record, err error) []contracts.Record {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
	s.recs = append(s.recs, recs...)
	return recs
}

// try sends a command and advances the office.
func (s *rig) try(data contracts.CommandData) (contracts.Result, *contracts.Refusal) {
	s.t.Helper()
	recs, res, refusal, err := s.d.Decide(s.w, s.moment(), s.caller, data)
	s.keep(recs, err)
	s.advance()
	return res, refusal
}

func (s *rig) do(data contracts.CommandData) contracts.Result {
	s.t.Helper()
	res, refusal := s.try(data)
	if refusal != nil {
		s.t.Fatalf("%s was refused: %v", data.CommandName(), refusal)
	}
	return res
}

func (s *rig) refuse(code contracts.ErrorCode, data contracts.CommandData) {
	s.t.Helper()
	before, err := s.w.Hash()
	if err != nil {
		s.t.Fatal(err)
	}
	_, refusal := s.try(data)
	if refusal == nil || refusal.Code != code {
		s.t.Fatalf("%s %+v: got %v, want %s", data.CommandName(), data, refusal, code)
	}
	if after, _ := s.w.Hash(); after != before {
		s.t.Fatalf("%s was refused but changed the world", data.CommandName())
	}
}

// refuseWith is like refuse, and also expects the reason to contain a text.
func (s *rig) refuseWith(code contracts.ErrorCode, reason string, data contracts.CommandData) {
	s.t.Helper()
	s.refuse(code, data)
	if _, refusal := s.try(data); !strings.Contains(refusal.Error(), reason) {
		s.t.Fatalf("%s: got %v, want %q", data.CommandName(), refusal, reason)
	}
}

func (s *rig) tell(f contracts.Fact) *contracts.Refusal {
	s.t.Helper()
	recs, res, refusal, err := s.d.Observe(s.w, s.moment(), f)
	s.result = res
	s.keep(recs, err)
	s.advance()
	return refusal
}

func (s *rig) must(f contracts.Fact) {
	s.t.Helper()
	if refusal := s.tell(f); refusal != nil {
		s.t.Fatalf("%T was refused: %v", f, refusal)
	}
}

func (s *rig) advance() {
	s.t.Helper()
	recs, err := s.d.Advance(s.w, s.moment())
	s.keep(recs, err)
}

// wait advances time from deadline to deadline until the condition holds.
func (s *rig) wait(what string, cond func() bool) {
	s.t.Helper()
	for range 500 {
		if cond() {
			return
		}
		at, ok := s.d.Deadline(s.w)
		if !ok {
			break
		}
		s.now = max(s.now, at)
		s.advance()
	}
	s.t.Fatalf("never: %s\n%s", what, s.story())
}

// pass advances time by a duration, deadline by deadline.
func (s *rig) pass(d time.Duration) {
	s.t.Helper()
	end := s.now + d.Milliseconds()
	for {
		at, ok := s.d.Deadline(s.w)
		if !ok || at > end {
			break
		}
		s.now = max(s.now, at)
		s.advance()
	}
	s.now = end
	s.advance()
}

// events returns the names of the events after a seq, except the names in without.
func (s *rig) events(after uint64, without ...contracts.EventName) []contracts.EventName {
	var out []contracts.EventName
	for i := range s.recs {
		if s.recs[i].Seq <= after {
			continue
		}
		body, err := s.recs[i].Decode()
		if err != nil {
			s.t.Fatal(err)
		}
		if e, ok := body.(*contracts.Event); ok && !slices.Contains(without, e.Name) {
			out = append(out, e.Name)
		}
	}
	return out
}

func (s *rig) story() string {
	var out string
	for _, r := range s.recs {
		out += fmt.Sprintf("%d %s %s\n", r.Seq, r.Kind, r.Body)
	}
	return out
}

// kickedOff returns an office whose project has one planned task of each given kind.
func kickedOff(t testing.TB, kinds ...contracts.TaskKind) (*rig, string, []string) {
	t.Helper()
	return newRig(t).kickOff(kinds...)
}

func (s *rig) kickOff(kinds ...contracts.TaskKind) (*rig, string, []string) {
	s.t.Helper()
	res := s.do(contracts.SubmitRequest{Text: "Create a landing page plan + copy + design brief", Repo: s.repo, Accept: s.accept})
	drafts := make([]contracts.TaskDraft, len(kinds))
	for i, k := range kinds {
		drafts[i] = contracts.TaskDraft{Title: fmt.Sprintf("Task %d: %s", i+1, k), Kind: k}
	}
	s.must(contracts.PlanReady{ProjectID: res.ProjectID, Summary: "A plan.", Tasks: drafts})
	s.wait("the kickoff ends", func() bool { return s.w.Project(res.ProjectID).Kickoff == world.KickoffOver })
	var ids []string
	for task := range s.w.ProjectTasks(res.ProjectID) {
		ids = append(ids, task.TaskID)
	}
	return s, res.ProjectID, ids
}

// started returns an office where one task is in progress.
func started(t testing.TB, kind contracts.TaskKind, agent string) (*rig, *world.Task) {
	t.Helper()
	return startedIn(t, scene.Default(), kind, agent)
}

func startedIn(t testing.TB, sc *scene.Scene, kind contracts.TaskKind, agent string) (*rig, *world.Task) {
	t.Helper()
	s := newRigIn(t, sc)
	return s, s.begin(kind, agent)
}

// begin submits a request and returns its task, in progress.
func (s *rig) begin(kind contracts.TaskKind, agent string) *world.Task {
	s.t.Helper()
	_, _, ids := s.kickOff(kind)
	s.do(contracts.AssignTask{TaskID: ids[0], AgentID: agent})
	task := s.w.Task(ids[0])
	s.wait("work starts", func() bool { return task.Status == contracts.TaskInProgress })
	return task
}

func (s *rig) deliver(task *world.Task) *contracts.Artifact {
	s.t.Helper()
	s.must(contracts.RunDelivered{TaskID: task.TaskID, Attempt: task.Attempt, Artifacts: []contracts.ArtifactDraft{
		{Type: "report", Title: task.Title, MIME: "text/markdown", Bytes: 5, SHA256: "00"},
	}})
	s.wait("it is on the shelf", func() bool { return task.Status == contracts.TaskReview })
	arts := s.w.TaskArtifacts(task.TaskID, contracts.ArtifactInReview)
	return arts[len(arts)-1]
}
