package director_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

// mixed returns an office with the given crew, in which author has delivered a patch.
func mixed(t tester, cfg director.Config, crew []contracts.AgentProfile, author string) (*rig, *contracts.Artifact) {
	t.Helper()
	cfg.Sources = sources
	s := &rig{t: t, d: director.New(cfg), w: world.New(scene.Default()), now: 1_700_000_000_000, caller: contracts.Caller{Permit: true}}
	recs, err := s.d.Create(s.w, s.moment(), "ltest", crew)
	s.keep(recs, err)
	s.must(contracts.RepoSeen{Repo: contracts.Repo{Path: "/src/shop", Target: "main"}})
	s.repo = "shop"
	task := s.begin(contracts.KindCode, author)
	s.must(contracts.TaskPrepared{TaskID: task.TaskID, Attempt: 1, Worktree: worktree()})
	return s, s.deliverPatch(task, treeA)
}

func member(id string, role contracts.Role, runner, model string) contracts.AgentProfile {
	return contracts.AgentProfile{AgentID: id, Name: strings.TrimPrefix(id, "agent_"), Role: role, Runner: runner, Model: model, Home: "poi_lounge"}
}

var lead = contracts.AgentProfile{AgentID: "agent_bd", Name: "Ada", Role: contracts.RoleBD, Runner: "claude", Home: "poi_director_desk"}

func TestReviewerIsAnotherAgent(t *testing.T) {
	author := member("agent_dov", contracts.RoleEngineer, "claude", "big")
	twin := member("agent_eve", contracts.RoleReviewer, "claude", "big")
	small := member("agent_fay", contracts.RoleWriter, "claude", "small")
	other := member("agent_gus", contracts.RoleWriter, "codex", "")
	script := member("agent_hal", contracts.RoleReviewer, "rehearsal", "")
	actor := member("agent_ida", contracts.RoleEngineer, "rehearsal", "")
	asked := func(agent string, difference contracts.ReviewDifference) []contracts.Review {
		return []contracts.Review{{AgentID: agent, Status: contracts.ReviewAsked, Differs: difference}}
	}
	nobody := []contracts.Review{{Status: contracts.ReviewFailed, Reason: "no other agent can review it"}}
	for name, c := range map[string]struct {
		mode contracts.ReviewMode
		crew []contracts.AgentProfile
		want []contracts.Review
	}{
		"another vendor before another model":   {"", []contracts.AgentProfile{author, twin, small, other}, asked("agent_gus", contracts.DiffersVendor)},
		"another model before the fitting role": {"", []contracts.AgentProfile{author, twin, small}, asked("agent_fay", contracts.DiffersModel)},
		"the same model only on request":        {"", []contracts.AgentProfile{author, twin}, nil},
		"the same model":                        {contracts.ReviewAlways, []contracts.AgentProfile{author, twin}, asked("agent_eve", "")},
		"a script does not review real work":    {contracts.ReviewAlways, []contracts.AgentProfile{author, script}, nobody},
		"a script reviews a script":             {"", []contracts.AgentProfile{actor, script}, asked("agent_hal", "")},
		"nobody else":                           {"", []contracts.AgentProfile{author}, nobody},
		"off":                                   {contracts.ReviewOff, []contracts.AgentProfile{author, other}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, art := mixed(t, director.Config{Reviews: c.mode}, append([]contracts.AgentProfile{lead}, c.crew...), c.crew[0].AgentID)
			if diff := cmp.Diff(c.want, art.Reviews); diff != "" {
				t.Errorf("reviews (-want +got):\n%s", diff)
			}
		})
	}
}

// The choice of a reviewer is deterministic. The reviewer is never the author, and is from another
// vendor if there is one.
func TestReviewerProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		crew := []contracts.AgentProfile{lead}
		for i := range rapid.IntRange(1, 5).Draw(rt, "agents") {
			crew = append(crew, member(fmt.Sprintf("agent_a%d", i+1), rapid.SampledFrom([]contracts.Role{contracts.RoleEngineer, contracts.RoleReviewer, contracts.RoleWriter}).Draw(rt, "role"),
				rapid.SampledFrom([]string{"claude", "codex", "rehearsal"}).Draw(rt, "runner"), rapid.SampledFrom([]string{"", "big"}).Draw(rt, "model")))
		}
		author := rapid.SampledFrom(crew[1:]).Draw(rt, "author")
		cfg := director.Config{Reviews: rapid.SampledFrom(contracts.ReviewModes).Draw(rt, "mode")}
		s, art := mixed(rt, cfg, crew, author.AgentID)
		_, again := mixed(rt, cfg, crew, author.AgentID)
		if diff := cmp.Diff(art.Reviews, again.Reviews); diff != "" {
			rt.Fatalf("the same history, another reviewer:\n%s", diff)
		}
		vendors := slices.ContainsFunc(crew[1:], func(p contracts.AgentProfile) bool { return p.Runner != author.Runner && p.Runner != "rehearsal" })
		for _, r := range art.Reviews {
			if r.AgentID == author.AgentID || r.AgentID == lead.AgentID {
				rt.Fatalf("%s reviews the work of %s", r.AgentID, author.AgentID)
			}
			if vendors && r.Differs != contracts.DiffersVendor {
				rt.Fatalf("another vendor was available, but the reviewer is %+v", r)
			}
		}
		if _, refusal := s.try(contracts.AskReview{ArtifactID: art.ArtifactID, AgentID: author.AgentID}); refusal == nil || refusal.Code != contracts.CodeNotAllowed {
			rt.Fatalf("self-review: %v", refusal)
		}
	})
}

// An agent that started a task but delivered nothing does not review another agent's work on it.
func TestReviewerDidNotAttemptTheTask(t *testing.T) {
	s, task := inShopRepo(t)
	s.must(contracts.RunAsked{TaskID: task.TaskID, Attempt: 1, Prompt: "Which one?", Options: []string{"A", "B"}})
	s.do(contracts.ReassignTask{TaskID: task.TaskID, ToAgentID: "agent_review_1"})
	s.wait("the next attempt has started", func() bool { return task.Attempt == 2 && task.Status == contracts.TaskInProgress })
	art := s.deliverPatch(task, treeA)
	s.refuse(contracts.CodeNotAllowed, contracts.AskReview{ArtifactID: art.ArtifactID, AgentID: "agent_eng_1"})
	s.refuse(contracts.CodeNotAllowed, contracts.AskReview{ArtifactID: art.ArtifactID, AgentID: "agent_review_1"})
	for _, r := range art.Reviews {
		if r.AgentID == "agent_eng_1" || r.AgentID == "agent_review_1" {
			t.Errorf("%s reviews its own work", r.AgentID)
		}
	}
	s.checkReplay()
}

func TestReviewOnce(t *testing.T) {
	s, task := inShopRepo(t)
	art := s.deliverPatch(task, treeA)
	work := func() (keys []string) {
		for _, w := range s.w.Work() {
			if w.Review != nil {
				keys = append(keys, w.Key+" "+w.AgentID)
			}
		}
		return keys
	}
	if diff := cmp.Diff([]string{"review:" + art.ArtifactID + ":agent_review_1 agent_review_1"}, work()); diff != "" {
		t.Fatalf("work (-want +got):\n%s", diff)
	}
	finding := contracts.Finding{Path: "cart.go", Line: 3, Severity: contracts.SeverityProblem, Text: "It overflows."}
	ready := contracts.ReviewReady{ArtifactID: art.ArtifactID, AgentID: "agent_review_1", Summary: "Not yet.", Findings: []contracts.Finding{finding}}
	s.must(ready)
	seq := s.w.Seq()
	s.must(ready)
	s.must(contracts.ReviewBroke{ArtifactID: art.ArtifactID, AgentID: "agent_review_1", Reason: "late"})
	if got := s.events(seq); len(got) > 0 || len(work()) > 0 {
		t.Errorf("recorded again: %v, work: %v", got, work())
	}
	want := []contracts.Review{{AgentID: "agent_review_1", Status: contracts.ReviewCommented, Summary: "Not yet.", Findings: []contracts.Finding{finding}}}
	if diff := cmp.Diff(want, art.Reviews); diff != "" {
		t.Errorf("reviews (-want +got):\n%s", diff)
	}
	s.do(contracts.RequestChanges{ArtifactID: art.ArtifactID, Instructions: "Fix it.", WithFindings: true})
	if want := "Fix it.\n\nReviewers' findings:\ncart.go:3: problem: It overflows."; task.Instructions != want {
		t.Errorf("instructions %q, want %q", task.Instructions, want)
	}
}

// A patch that is not waiting for a review needs none, and a review of it cannot be recorded.
func TestReviewOfDecidedPatch(t *testing.T) {
	s, task := inShopRepo(t)
	art := s.deliverPatch(task, treeA)
	s.do(contracts.ApproveArtifact{ArtifactID: art.ArtifactID})
	for _, w := range s.w.Work() {
		if w.Review != nil {
			t.Errorf("still listed: %s", w.Key)
		}
	}
	if refusal := s.tell(contracts.ReviewReady{ArtifactID: art.ArtifactID, AgentID: "agent_review_1"}); refusal == nil || refusal.Code != contracts.CodeConflict {
		t.Errorf("a late review: %v", refusal)
	}
}

func TestReviewRefusals(t *testing.T) {
	s, task := inShopRepo(t)
	art := s.deliverPatch(task, treeA)
	good := contracts.Finding{Path: "a.go", Line: 1, Severity: contracts.SeverityNit, Text: "x"}
	with := func(change func(*contracts.Finding)) contracts.ReviewReady {
		f := good
		change(&f)
		return contracts.ReviewReady{ArtifactID: art.ArtifactID, AgentID: "agent_review_1", Findings: []contracts.Finding{f}}
	}
	for name, f := range map[string]contracts.Fact{
		"by an agent that was not asked": contracts.ReviewReady{ArtifactID: art.ArtifactID, AgentID: "agent_writer_1"},
		"by the author":                  contracts.ReviewReady{ArtifactID: art.ArtifactID, AgentID: "agent_eng_1"},
		"by nobody":                      contracts.ReviewBroke{ArtifactID: art.ArtifactID},
		"of an unknown artifact":         contracts.ReviewReady{ArtifactID: "art_a99", AgentID: "agent_review_1"},
		"too many findings":              contracts.ReviewReady{ArtifactID: art.ArtifactID, AgentID: "agent_review_1", Findings: slices.Repeat([]contracts.Finding{good}, contracts.LimitFindings+1)},
		"line 0":                         with(func(f *contracts.Finding) { f.Line = 0 }),
		"no path":                        with(func(f *contracts.Finding) { f.Path = "" }),
		"a path with a newline":          with(func(f *contracts.Finding) { f.Path = "a\nb" }),
		"an unknown severity":            with(func(f *contracts.Finding) { f.Severity = "fatal" }),
		"no text":                        with(func(f *contracts.Finding) { f.Text = " " }),
		"a megabyte of text":             with(func(f *contracts.Finding) { f.Text = strings.Repeat("x", 1<<20) }),
	} {
		if refusal := s.tell(f); refusal == nil {
			t.Errorf("%s was recorded", name)
		}
	}
	s.refuse(contracts.CodeNotAllowed, contracts.AskReview{ArtifactID: art.ArtifactID, AgentID: "agent_bd"})
	s.refuse(contracts.CodeConflict, contracts.AskReview{ArtifactID: art.ArtifactID, AgentID: "agent_review_1"})
	s.refuse(contracts.CodeNotFound, contracts.AskReview{ArtifactID: art.ArtifactID, AgentID: "agent_x9"})
	s.must(contracts.ReviewBroke{ArtifactID: art.ArtifactID, AgentID: "agent_review_1", Reason: "no answer"})
	if r := art.Reviews[0]; r.Status != contracts.ReviewFailed || r.Reason != "no answer" {
		t.Errorf("a failed review: %+v", r)
	}
	s.do(contracts.AskReview{ArtifactID: art.ArtifactID, AgentID: "agent_review_1"}) // a failed review may be repeated
	for _, agent := range []string{"agent_writer_1", "agent_design_1", "agent_strategy_1", "agent_research_1"} {
		s.do(contracts.AskReview{ArtifactID: art.ArtifactID, AgentID: agent})
	}
	s.refuse(contracts.CodeConflict, contracts.AskReview{ArtifactID: art.ArtifactID})
}
