package rehearsal

import (
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
)

func TestChat(t *testing.T) {
	busy := contracts.OfficeSummary{Projects: []contracts.ProjectSummary{
		{ProjectID: "proj_a", Title: "Landing page", Status: contracts.ProjectExecuting, Done: 1, Total: 4, Active: []string{"Cleo: Draft the copy (45%)"}},
	}}
	asking := busy
	asking.Decisions = []string{"Cleo asks: Which tone?"}
	asking.Reviews = []string{"Landing page plan (version 1) art_7"}
	planned := contracts.OfficeSummary{Projects: []contracts.ProjectSummary{{ProjectID: "proj_a", Title: "Landing page", Status: contracts.ProjectPlanning, Total: 3}}}
	finished := contracts.OfficeSummary{Projects: []contracts.ProjectSummary{{Title: "Shop", Status: contracts.ProjectCompleted, Done: 2, Total: 2}}}
	for _, c := range []struct {
		name, agent, text string
		summary           contracts.OfficeSummary
		want, action      string
	}{
		{"greeting", contracts.AgentBD, "Hi!", busy, "Hello, I am Ada.", "open_task_board"},
		{"status", contracts.AgentBD, "How is it going?", busy, "“Landing page”: 1 of 4 tasks done.", "open_task_board"},
		{"status, empty", contracts.AgentBD, "status", contracts.OfficeSummary{}, "There is no project yet.", ""},
		{"status, finished", contracts.AgentBD, "status", finished, "Every project is finished.", ""},
		{"status, planning", contracts.AgentBD, "any progress?", contracts.OfficeSummary{Projects: []contracts.ProjectSummary{{Title: "Shop", Status: contracts.ProjectPlanning}}}, "“Shop” is being planned.", "open_task_board"},
		{"status, waiting", contracts.AgentBD, "done?", asking, "Delivered and waiting for your review: Landing page plan (version 1) art_7.", "clarify"},
		{"who", contracts.AgentBD, "Who is working?", busy, "Working now: Cleo: Draft the copy (45%).", ""},
		{"who, none", contracts.AgentBD, "who's on it?", planned, "Nobody has a task", "auto_assign"},
		{"needs me", contracts.AgentBD, "What needs me?", asking, "Waiting for your answer: Cleo asks: Which tone?", "open_artifact"},
		{"needs nothing", contracts.AgentBD, "what needs me", busy, "Nothing needs your attention right now.", ""},
		{"assign", contracts.AgentBD, "Please auto-assign the tasks", planned, "assigns them by role", "auto_assign"},
		{"assign, nothing", contracts.AgentBD, "assign them", contracts.OfficeSummary{}, "no tasks left", ""},
		{"unknown", contracts.AgentBD, "Explique la physique quantique", busy, "I cannot answer that", ""},
		{"unknown, command", contracts.AgentBD, "🎉", busy, ConnectCommand, ""},
		{"colleague", "agent_writer_1", "what are you up to?", busy, "I am working on “Draft the copy (45%)” for “Landing page”.", ""},
		{"colleague, free", "agent_eng_1", "hello", busy, "I am Dov, the engineer", ""},
		{"stranger", "agent_new", "hello", busy, "I am agent_new, the colleague", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := New(Config{Sleep: noSleep}).Chat(t.Context(), crew.ChatJob{AgentID: c.agent, ChatWork: contracts.ChatWork{
				Chat: contracts.Chat{Text: c.text}, Summary: c.summary,
			}}, discardSink{})
			if err != nil || !strings.Contains(got.Text, c.want) {
				t.Errorf("says %q, %v, want %q", got.Text, err, c.want)
			}
			offered := c.action == ""
			for _, a := range got.SuggestedActions {
				offered = offered || a.Action == c.action
				if a.Action == "auto_assign" && a.ProjectID != "proj_a" || a.Action == "open_artifact" && a.ArtifactID != "art_7" {
					t.Errorf("%s names the wrong thing: %+v", a.Action, a)
				}
			}
			if !offered {
				t.Errorf("offers %+v, want %s", got.SuggestedActions, c.action)
			}
		})
	}
}

func TestCrew(t *testing.T) {
	roles := map[contracts.Role]int{}
	seen := map[string]bool{}
	for _, p := range Crew() {
		roles[p.Role]++
		if seen[p.AgentID] || seen[p.Name] || !contracts.HasPrefix(p.AgentID, contracts.PrefixAgent) || !contracts.HasPrefix(p.Home, contracts.PrefixPOI) || p.Runner != crew.Rehearsal {
			t.Errorf("profile %+v", p)
		}
		seen[p.AgentID], seen[p.Name] = true, true
	}
	if len(Crew()) > 8 || roles[contracts.RoleBD] != 1 || roles[contracts.RoleEngineer] != 2 {
		t.Errorf("roles %v: everybody needs a seat at the table", roles)
	}
	for _, r := range []contracts.Role{contracts.RoleResearcher, contracts.RoleWriter, contracts.RoleDesigner, contracts.RoleStrategist, contracts.RoleReviewer} {
		if roles[r] == 0 {
			t.Errorf("nobody is a %s", r)
		}
	}
}
