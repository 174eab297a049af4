package tui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/tui/link"
)

// reviewed opens a patch with reviews by agents.
func reviewed(t *testing.T, reviews ...contracts.Review) *stage {
	t.Helper()
	s := newStage(t, 100, 40)
	s.live(true)
	crew := func(id, name string) contracts.Agent {
		return contracts.Agent{AgentProfile: contracts.AgentProfile{AgentID: id, Name: name, Runner: "codex", Role: contracts.RoleEngineer}, State: contracts.StateIdle}
	}
	s.rows(contracts.Snapshot{
		Agents: []contracts.Agent{crew("agent_a", "Ada"), crew("agent_r", "Rae")},
		Artifacts: []contracts.Artifact{{ArtifactID: "art_p", ProjectID: "proj_1", TaskID: "task_a", Type: contracts.ArtifactPatch, MIME: contracts.MIMEPatch, Version: 1,
			Tree: tree, Status: contracts.ArtifactInReview, CreatedBy: "agent_a", Reviews: reviews}},
	})
	s.conn.texts["/v1/artifacts/art_p/content"] = patch
	s.run(s.openArtifact("art_p"), 0)
	return s
}

// TestFindings checks that a patch shows who reviewed it, and each finding below its line with the
// reviewer's name; a file with findings is not folded, and hostile text stays text.
func TestFindings(t *testing.T) {
	s := reviewed(t, contracts.Review{AgentID: "agent_r", Status: contracts.ReviewCommented, Differs: contracts.DiffersVendor, Summary: "Almost.", Findings: []contracts.Finding{
		{Path: "src/cart.ts", Line: 12, Severity: contracts.SeverityProblem, Text: "Rounds\x1b[2J twice."},
		{Path: "go.sum", Line: 1, Removed: true, Severity: contracts.SeverityNit, Text: "Why?"},
		{Path: "gone.ts", Line: 7, Severity: contracts.SeverityQuestion, Text: "Is it used?"},
	}})
	s.keys("c", `"Mine."`, "enter")
	s.says("◆ Rae (codex, another vendor) reviewed it: 3 findings", "Almost.", "◆ gone.ts:7: Rae, question: Is it used?", "◆ Rae, nit: Why?", "▌ Mine.")
	frame := s.shown()
	line, finding := strings.Index(frame, "sum = round(sum);"), strings.Index(frame, "◆ Rae, problem: Rounds")
	if line < 0 || finding < line || strings.Count(frame[line:finding], "\n") != 1 {
		t.Errorf("the finding is not directly below its line:\n%s", frame)
	}
	if strings.Contains(s.View().Content, "\x1b[2J") {
		t.Error("the frame contains a control sequence of a finding")
	}
}

// TestFindingsAreSent checks that Ctrl S decides whether the findings are sent with the changes.
func TestFindingsAreSent(t *testing.T) {
	s := reviewed(t, contracts.Review{AgentID: "agent_r", Status: contracts.ReviewCommented, Findings: []contracts.Finding{{Path: "src/cart.ts", Line: 12, Severity: contracts.SeverityNit, Text: "Name it."}}})
	s.keys("r", "ctrl+s", "ctrl+s")
	s.says("^S " + contracts.SaySendFindings)
	s.keys("ctrl+s")
	s.says("✓ "+contracts.SaySendFindings, "leave out the findings")
	s.keys(`"Please fix."`, "enter")
	want := []contracts.CommandData{contracts.RequestChanges{ArtifactID: "art_p", Instructions: "Please fix.", WithFindings: true, ExpectedArtifactStatus: contracts.ArtifactInReview}}
	if diff := cmp.Diff(want, s.conn.done); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

// TestAskReview checks that E asks for a review, and that the key is not offered while the review
// runs.
func TestAskReview(t *testing.T) {
	s := reviewed(t)
	s.says("E " + contracts.SayAskReview)
	s.keys("e")
	s.says(contracts.SayReviewAsked)
	event := &contracts.Event{Name: contracts.EventReviewAssigned, ArtifactID: "art_p", AgentID: "agent_r", Review: &contracts.Review{AgentID: "agent_r", Status: contracts.ReviewAsked}}
	seq := s.office.Seq + 1
	s.tell(link.Update{Messages: []model.Message{{Type: contracts.TypeEvent, ID: "msg_1", TS: s.now.UnixMilli(), Seq: seq, Payload: event}}})
	s.says("Rae (codex) is reviewing it")
	s.keys("e")
	if strings.Contains(s.shown(), contracts.SayAskReview) {
		t.Error("a second review can be asked for while the first one runs")
	}
	if diff := cmp.Diff([]contracts.CommandData{contracts.AskReview{ArtifactID: "art_p"}}, s.conn.done); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}
