package rehearsal

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/hud"
)

// answers lists the director's replies, each with the words that trigger it. The first match is
// used.
var answers = []struct {
	words string
	give  func(chatState) string
}{
	{"assign distribute delegate start begin", chatState.assign},
	{"needs need waiting waits decide decision decisions review reviews approve delivered delivery deliveries deliverable deliverables", chatState.needs},
	{"who who's whos working doing busy idle", chatState.who},
	{"status progress going done ready update finished far", chatState.status},
	{"hello hi hey hallo bonjour hola thanks thank", chatState.greet},
}

// chatState is the information that an agent's reply is based on.
type chatState struct {
	me      contracts.AgentProfile
	summary contracts.OfficeSummary
}

// answer returns the reply to a message, based on the state of the office. If the director does not
// understand the message, the reply states that this is a rehearsal, and lists the questions that
// the director can answer.
func answer(job crew.ChatJob) crew.Reply {
	s := chatState{profile(job.AgentID), job.Summary}
	if s.me.AgentID != contracts.AgentBD {
		return s.colleague()
	}
	heard := wordsOf(job.Chat.Text)
	text := s.unknown()
	for _, a := range answers {
		if hits(heard, a.words) > 0 {
			text = a.give(s)
			break
		}
	}
	return crew.Reply{Text: hud.Shorten(text, contracts.LimitChatText), SuggestedActions: s.actions()}
}

func (s chatState) open() (out []contracts.ProjectSummary) {
	for _, p := range s.summary.Projects {
		if p.Status != contracts.ProjectCompleted && p.Status != contracts.ProjectArchived {
			out = append(out, p)
		}
	}
	return out
}

func (s chatState) greet() string { return "Hello, I am " + s.me.Name + ". " + s.status() }

func (s chatState) status() string {
	open := s.open()
	var out []string
	for _, p := range open {
		if p.Total == 0 {
			out = append(out, fmt.Sprintf("“%s” is being planned.", p.Title))
			continue
		}
		out = append(out, fmt.Sprintf("“%s”: %d of %s done.", p.Title, p.Done, count(p.Total, "task")))
	}
	switch {
	case len(s.summary.Projects) == 0:
		return "There is no project yet. Type a request, and we will hold a kickoff."
	case len(open) == 0:
		return "Every project is finished. Type a new request whenever you like."
	case len(s.summary.Decisions)+len(s.summary.Reviews) > 0:
		out = append(out, s.needs())
	}
	return strings.Join(out, " ")
}

func (s chatState) who() string {
	var active []string
	for _, p := range s.summary.Projects {
		active = append(active, p.Active...)
	}
	if len(active) == 0 {
		return "Nobody has a task right now. " + s.status()
	}
	return "Working now: " + strings.Join(active, "; ") + "."
}

func (s chatState) needs() string {
	var out []string
	if len(s.summary.Decisions) > 0 {
		out = append(out, "Waiting for your answer: "+strings.Join(s.summary.Decisions, "; ")+".")
	}
	if len(s.summary.Reviews) > 0 {
		out = append(out, "Delivered and waiting for your review: "+strings.Join(s.summary.Reviews, "; ")+".")
	}
	if len(out) == 0 {
		return "Nothing needs your attention right now."
	}
	return strings.Join(out, " ")
}

func (s chatState) assign() string {
	if p, ok := s.waiting(); ok {
		return fmt.Sprintf("“%s” has unassigned tasks. The button below assigns them by role.", p.Title)
	}
	return "There are no tasks left to assign. " + s.status()
}

// waiting returns the first project with unassigned tasks, or false if there is none.
func (s chatState) waiting() (contracts.ProjectSummary, bool) {
	for _, p := range s.open() {
		if p.Status != contracts.ProjectPaused && p.Total > p.Done+len(p.Active)+len(s.summary.Reviews)+len(s.summary.Decisions) {
			return p, true
		}
	}
	return contracts.ProjectSummary{}, false
}

func (s chatState) unknown() string {
	return fmt.Sprintf("I am %s from the rehearsal crew. I work from a script, without a model, so I cannot answer that. "+
		"I can tell you how the projects are going, who is working on what, and what is waiting for you. For real answers, start the office with: %s", s.me.Name, ConnectCommand)
}

// actions returns the buttons that fit the office's state.
func (s chatState) actions() (out []contracts.SuggestedAction) {
	if len(s.summary.Reviews) > 0 {
		r := s.summary.Reviews[0]
		out = append(out, contracts.SuggestedAction{Action: "open_artifact", Label: hud.Shorten("Open "+r, 60), ArtifactID: idIn(r, contracts.PrefixArtifact)})
	}
	if len(s.summary.Decisions) > 0 {
		out = append(out, contracts.SuggestedAction{Action: "clarify", Label: "Answer a question", DecisionID: idIn(s.summary.Decisions[0], contracts.PrefixDecision)})
	}
	if p, ok := s.waiting(); ok {
		out = append(out, contracts.SuggestedAction{Action: string(contracts.CmdAutoAssign), Label: "Auto-assign tasks", ProjectID: p.ProjectID})
	}
	if len(s.open()) > 0 {
		out = append(out, contracts.SuggestedAction{Action: "open_task_board", Label: contracts.SayOpenBoard})
	}
	return out
}

// idIn returns the last id with prefix p in a line of the summary, or "" if there is none.
func idIn(line string, p contracts.Prefix) (id string) {
	for _, w := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" ()[]:,;", r) }) {
		if contracts.HasPrefix(w, p) {
			id = w
		}
	}
	return id
}

// colleague returns the reply of an agent other than the director. The reply names the task that
// the agent is working on.
func (s chatState) colleague() crew.Reply {
	for _, p := range s.summary.Projects {
		for _, a := range p.Active {
			if what, ok := strings.CutPrefix(a, s.me.Name+": "); ok {
				text := fmt.Sprintf("I am working on “%s” for “%s”. I work from a script, without a model; ask Ada about anything else.", what, p.Title)
				return crew.Reply{Text: hud.Shorten(text, contracts.LimitChatText), ProjectID: p.ProjectID}
			}
		}
	}
	role := cmp.Or(string(s.me.Role), "colleague")
	return crew.Reply{Text: fmt.Sprintf("I am %s, the %s of the rehearsal crew. I have no task right now, and I work from a script, without a model. Ask Ada how the projects are going.", s.me.Name, role)}
}
