package director_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

// sessions is an office with guests whose sessions end, and its ledger.
type sessions struct {
	t interface {
		Helper()
		Fatal(...any)
		Fatalf(string, ...any)
	}
	d    *director.Director
	w    *world.World
	recs []contracts.Record
	now  int64
	n    int
}

func listing(on bool) *director.Director {
	return director.New(director.Config{Sources: sources, Unchecked: on})
}

func (s *sessions) open() *sessions {
	s.d, s.w, s.now = listing(true), world.New(scene.Default()), 1000
	recs, err := s.d.Create(s.w, s.moment(), "l", nil)
	s.did(recs, nil, err)
	_, recs, err = s.d.Begin(s.w, s.moment(), 0, []string{"claude"})
	s.did(recs, nil, err)
	return s
}

func (s *sessions) moment() director.Now { return director.Now{MS: s.now, Node: "n"} }

func (s *sessions) did(recs []contracts.Record, refusal *contracts.Refusal, err error) {
	s.t.Helper()
	if refusal != nil || err != nil {
		s.t.Fatal(refusal, err)
	}
	s.recs = append(s.recs, recs...)
}

// tell reports a fact, and lets the office react to it.
func (s *sessions) tell(f contracts.Fact) {
	s.t.Helper()
	s.now++
	recs, _, refusal, err := s.d.Observe(s.w, s.moment(), f)
	s.did(recs, refusal, err)
	s.advance()
}

func (s *sessions) advance() {
	s.t.Helper()
	recs, err := s.d.Advance(s.w, s.moment())
	s.did(recs, nil, err)
}

func (s *sessions) join(id, place string) {
	s.t.Helper()
	s.tell(contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: id, Name: "Name of " + id, Source: "claude", Session: "claude:" + id, Place: place}})
}

func (s *sessions) report(id string, h contracts.HUD) {
	s.t.Helper()
	s.n++
	h.UUID = fmt.Sprint("fact", s.n)
	s.tell(contracts.HUDSeen{HUD: h, Watch: "claude"})
}

// call reports a call that takes some time, and returns when it started and ended.
func (s *sessions) call(id, tool string, args map[string]string, result any) (since, at int64) {
	s.t.Helper()
	source, span := hud.Source{AgentID: id, Session: "claude:" + id}, hud.Span{Correlation: fmt.Sprint("call", s.n)}
	call := hud.Call{Tool: tool, Args: hud.Value(args)}
	s.report(id, hud.ToolStart(source, "", span, call))
	s.now += 2
	end, _ := hud.ToolEnd(source, "", span, call, result, 0)
	took := int64(2)
	end.DurationMS = &took
	s.report(id, end)
	return s.now - took, s.now
}

func (s *sessions) edit(id, path string) (at int64) {
	s.t.Helper()
	_, at = s.call(id, "Edit", map[string]string{"file_path": path}, hud.Edit(path, hud.FileArea{}))
	return at
}

func (s *sessions) run(id, command string, exit int) (since int64) {
	s.t.Helper()
	since, _ = s.call(id, "Bash", map[string]string{"command": command}, hud.Exec(command, exit, "", ""))
	return since
}

func (s *sessions) status(id string, activity contracts.Activity, by contracts.EvidenceSource) {
	s.t.Helper()
	s.tell(contracts.StatusSeen{Status: contracts.AgentStatus{AgentID: id, Activity: activity, Why: "It was seen.", Authority: by}})
}

// listed returns the sessions in the inbox, oldest first.
func (s *sessions) listed() (list []contracts.Decision) {
	for _, d := range s.w.Decisions() {
		if d.Session != nil && d.Status == contracts.DecisionOpen {
			list = append(list, *d)
		}
	}
	return list
}

func (s *sessions) dismiss(id string) {
	s.t.Helper()
	recs, _, refusal, err := s.d.Decide(s.w, s.moment(), contracts.Caller{}, contracts.ResolveDecision{DecisionID: id, Choice: contracts.OptionDismiss})
	s.did(recs, refusal, err)
	s.advance()
}

// watched is the state that a guest and its session should have; the inbox is compared with it.
type watched struct {
	here     bool
	activity contracts.Activity
	by       contracts.EvidenceSource
	code     int64 // the last code edit; 0 if there was none
	since    int64 // when the last check began; 0 if there was none
	outcome  contracts.CheckOutcome
	noticed  int64 // the edit that was in the inbox; 0 after the session continued
	entry    int64 // the edit that is in the inbox; 0 if there is none
}

func (m *watched) state() contracts.EditsState {
	switch {
	case m.since == 0:
		return contracts.EditsUnchecked
	case m.code > m.since:
		return contracts.EditsStale
	case m.outcome == contracts.OutcomeFailed:
		return contracts.EditsFailed
	case m.outcome == contracts.OutcomeUnknown:
		return contracts.EditsUnknown
	}
	return contracts.EditsChecked
}

// react updates the inbox of the model. All guests work in the same folder.
func react(all map[string]*watched, on bool) {
	passedSince := func(edit int64) bool {
		for _, m := range all {
			if m.here && m.outcome == contracts.OutcomePassed && m.since > edit {
				return true
			}
		}
		return false
	}
	for _, m := range all {
		active := m.here && (m.activity == contracts.ActivityWorking || m.activity == contracts.ActivityWaiting)
		if m.entry != 0 && (!on || active || m.here && m.code > m.entry || passedSince(m.entry)) {
			if m.entry = 0; active {
				m.noticed = 0
			}
		}
		ended := m.here && m.activity == contracts.ActivityOffline && m.by != contracts.FromOffice
		if on && ended && m.code != 0 && m.code != m.noticed && m.state().Unproven() && !passedSince(m.code) {
			m.entry, m.noticed = m.code, m.code
		}
	}
}

// For any history of edits, checks, ends and answers, the inbox lists the same sessions as a simple
// model, and folding the ledger produces the same world.
func TestUncheckedSessionsMatchAModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := (&sessions{t: rt}).open()
		all, on := map[string]*watched{"agent_a": {}, "agent_b": {}}, true
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			id := rapid.SampledFrom([]string{"agent_a", "agent_a", "agent_b"}).Draw(rt, "agent")
			m := all[id]
			if !m.here {
				s.join(id, "~/shop")
				m.here, m.activity = true, ""
				react(all, on)
			}
			switch rapid.IntRange(0, 12).Draw(rt, "what") {
			case 0, 1:
				m.code = s.edit(id, "/shop/a.go")
			case 2:
				s.edit(id, "/shop/README.md")
			case 3:
				m.since, m.outcome = s.run(id, "go test ./...", 0), contracts.OutcomePassed
			case 4:
				m.since, m.outcome = s.run(id, "go test ./...", 1), contracts.OutcomeFailed
			case 5:
				m.since, m.outcome = s.run(id, "go test ./... | tail", 0), contracts.OutcomeUnknown
			case 6, 7, 8:
				m.activity, m.by = contracts.ActivityOffline, rapid.SampledFrom([]contracts.EvidenceSource{"hook", "silence", "office"}).Draw(rt, "by")
				s.status(id, m.activity, m.by)
			case 9:
				m.activity = rapid.SampledFrom([]contracts.Activity{"working", "waiting", "idle"}).Draw(rt, "activity")
				s.status(id, m.activity, contracts.FromHook)
			case 10:
				if list := s.listed(); len(list) > 0 {
					s.dismiss(list[0].DecisionID)
					all[list[0].AskedBy].entry = 0
				}
			case 11:
				s.tell(contracts.AgentGone{AgentID: id, Reason: "left"})
				*m = watched{entry: m.entry}
			case 12:
				on = !on
				s.d = listing(on)
				s.advance()
			}
			react(all, on)
			want, got := map[string]int64{}, map[string]int64{}
			for id, m := range all {
				if m.entry != 0 {
					want[id] = m.entry
				}
			}
			for _, d := range s.listed() {
				got[d.AskedBy] = d.Session.Checked.Edit.At
			}
			if diff := cmp.Diff(want, got); diff != "" || len(got) != len(s.listed()) {
				rt.Fatalf("the inbox differs from the model: %s", diff)
			}
		}
		again := world.New(scene.Default())
		for _, r := range s.recs {
			if err := again.Apply(contracts.Record{Seq: r.Seq, TS: r.TS, Kind: r.Kind, ID: r.ID, Key: r.Key, Body: r.Body}); err != nil {
				rt.Fatal(err)
			}
		}
		want, _ := s.w.Hash()
		if got, err := again.Hash(); got != want || err != nil {
			rt.Fatalf("the ledger leads to a different world: %v", err)
		}
	})
}

// An entry describes the session and its last code edit. No agent is waiting for an answer to the
// entry, which outlives the guest.
func TestUncheckedSession(t *testing.T) {
	s := (&sessions{t: t}).open()
	s.join("agent_a", "~/shop")
	since := s.run("agent_a", "go test ./...", 0)
	edit := s.edit("agent_a", "/shop/a.go")
	source := hud.Source{AgentID: "agent_a", Session: "claude:agent_a"}
	s.report("agent_a", hud.TurnStart(source, "", hud.Span{Correlation: "turn"}, "work"))
	s.report("agent_a", hud.TurnEnd(source, "", hud.Span{Correlation: "turn"}, 0, ""))
	done := s.now
	s.edit("agent_a", "/shop/README.md")
	s.status("agent_a", contracts.ActivityOffline, contracts.FromHook)
	list := s.listed()
	if len(list) != 1 {
		t.Fatalf("%d entries", len(list))
	}
	want := contracts.Decision{
		DecisionID: "dec_d1", Kind: contracts.DecisionUnchecked, Status: contracts.DecisionOpen, Prompt: "The session ended after an edit that `go test ./...` did not cover.",
		Options: []string{contracts.OptionDismiss}, AskedBy: "agent_a", AskedAt: s.now,
		Session: &contracts.EndedSession{Agent: list[0].Session.Agent, Checked: contracts.Checked{
			State: contracts.EditsStale, DoneAt: done, Edit: contracts.Impact{Kind: contracts.ImpactEdit, At: edit, What: "/shop/a.go"},
			Check: &contracts.Impact{Kind: contracts.ImpactCheck, At: since + 2, Since: since, What: "go test ./...", Outcome: contracts.OutcomePassed, ExitCode: new(0)},
		}},
	}
	if diff := cmp.Diff(want, list[0]); diff != "" {
		t.Error(diff)
	}
	if who := list[0].Session.Agent; who.Name != "Name of agent_a" || who.Place != "~/shop" {
		t.Errorf("the session belongs to %+v", who)
	}
	if a := s.w.Agent("agent_a"); s.w.Asks(a) || s.w.OpenAsk("agent_a") != nil || len(s.w.Summary().Decisions) > 0 {
		t.Error("the entry counts as a question")
	}
	s.tell(contracts.AgentGone{AgentID: "agent_a", Reason: "It was offline."})
	if len(s.listed()) != 1 {
		t.Error("the entry left with the guest")
	}
	s.dismiss("dec_d1")
	if len(s.listed()) != 0 {
		t.Error("the entry was not dismissed")
	}
}

// An interrupted turn is not recorded as done.
func TestInterruptedTurnIsNotDone(t *testing.T) {
	s := (&sessions{t: t}).open()
	s.join("agent_a", "~/shop")
	s.edit("agent_a", "/shop/a.go")
	source := hud.Source{AgentID: "agent_a", Session: "claude:agent_a"}
	s.report("agent_a", hud.TurnStart(source, "", hud.Span{Correlation: "turn"}, "work"))
	s.report("agent_a", hud.TurnEnd(source, "", hud.Span{Correlation: "turn"}, 0, "interrupted"))
	if c := s.w.Snapshot(s.now, nil, nil).Agents[0].Checked; c == nil || c.DoneAt != 0 {
		t.Errorf("%+v", c)
	}
}

// A turn without edits leaves no record that retention must keep.
func TestTurnWithoutEditsKeepsNothing(t *testing.T) {
	s := (&sessions{t: t}).open()
	s.join("agent_a", "~/shop")
	source := hud.Source{AgentID: "agent_a", Session: "claude:agent_a"}
	s.report("agent_a", hud.TurnStart(source, "", hud.Span{Correlation: "turn"}, "work"))
	s.report("agent_a", hud.TurnEnd(source, "", hud.Span{Correlation: "turn"}, 0, ""))
	if seqs := s.w.RetainedSeqs(); len(seqs) != 0 {
		t.Errorf("retention must keep %v", seqs)
	}
}

// The edits of a sub-agent are listed once, for its parent.
func TestUncheckedSubagent(t *testing.T) {
	s := (&sessions{t: t}).open()
	s.join("agent_a", "~/shop")
	s.tell(contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: "agent_s", Name: "S", Source: "claude", ParentID: "agent_a"}})
	s.edit("agent_s", "/shop/a.go")
	s.status("agent_s", contracts.ActivityOffline, contracts.FromHook)
	if len(s.listed()) != 0 {
		t.Error("a sub-agent is listed")
	}
	s.status("agent_a", contracts.ActivityOffline, contracts.FromHook)
	if list := s.listed(); len(list) != 1 || list[0].AskedBy != "agent_a" {
		t.Errorf("%+v", list)
	}
}

// The number of entries is limited: the oldest are removed and are not listed again.
func TestUncheckedSessionsAreLimited(t *testing.T) {
	s := (&sessions{t: t}).open()
	const more = 3
	for i := range contracts.LimitUnchecked + more {
		id := fmt.Sprint("agent_", i)
		s.join(id, "~/shop")
		s.edit(id, "/shop/a.go")
		s.status(id, contracts.ActivityOffline, contracts.FromHook)
	}
	s.advance()
	list := s.listed()
	if len(list) != contracts.LimitUnchecked || list[0].AskedBy != fmt.Sprint("agent_", more) {
		t.Errorf("%d entries, the first for %s", len(list), list[0].AskedBy)
	}
}
