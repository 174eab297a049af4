package rehearsal

import (
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/hud"
)

// intents are what people say to the crew, most specific first.
var intents = []struct {
	words  string
	answer func(desk) crew.Reply
}{
	{"assign|distribute|hand out|delegate|get started|start working", desk.assign},
	{"needs me|need me|need from me|waiting for me|what should i|decide|decision|review|approve|my turn|anything for me", desk.needs},
	{"who is|who's|working on|doing|busy|idle|team|people", desk.who},
	{"how is|how's|how are|status|progress|going|far|when|done|update|ready", desk.status},
	{"help|what can you|how do i|how does|commands|explain", desk.help},
	{"thanks|thank you|great|nice|well done|perfect|cool", desk.thanks},
	{"hello|hi|hey|good morning|good evening|hallo|bonjour|hola", desk.greet},
}

// desk is what one agent knows when somebody talks to it.
type desk struct {
	me      contracts.AgentProfile
	summary contracts.OfficeSummary
	text    string
}

// answer replies from the summary alone; what it does not understand it says so.
func answer(job crew.ChatJob) crew.Reply {
	d := desk{me: profile(job.AgentID), summary: job.Summary, text: " " + strings.Join(keys(job.Chat.Text), " ") + " "}
	if d.me.AgentID != contracts.AgentBD {
		return fitting(d.colleague())
	}
	for _, in := range intents {
		for _, w := range strings.Split(in.words, "|") {
			if strings.Contains(d.text, " "+w+" ") || (len(w) > 5 && strings.Contains(d.text, " "+w)) {
				return fitting(in.answer(d))
			}
		}
	}
	return fitting(d.unknown())
}

func keys(text string) []string {
	var out []string
	for _, w := range newPhrase(strings.NewReplacer("’", "'", "-", " ", "/", " ").Replace(text)) {
		out = append(out, key(w))
	}
	return out
}

// fitting keeps a reply within what a chat may have.
func fitting(r crew.Reply) crew.Reply {
	if len([]rune(r.Text)) > contracts.LimitChatText {
		r.Text = hud.Shorten(r.Text, contracts.LimitChatText)
	}
	return r
}

func (d desk) open() []contracts.ProjectSummary {
	var out []contracts.ProjectSummary
	for _, p := range d.summary.Projects {
		if p.Status != contracts.ProjectCompleted && p.Status != contracts.ProjectArchived {
			out = append(out, p)
		}
	}
	return out
}

func (d desk) greet() crew.Reply {
	text := "Hello, I am " + d.me.Name + ". " + d.statusText()
	return crew.Reply{Text: text, SuggestedActions: d.actions()}
}

func (d desk) thanks() crew.Reply {
	return crew.Reply{Text: "You are welcome; I will tell the crew. " + d.needsText(), SuggestedActions: d.actions()}
}

func (d desk) status() crew.Reply {
	text := d.statusText()
	if len(d.summary.Decisions)+len(d.summary.Reviews) > 0 {
		text += " " + d.needsText()
	}
	return crew.Reply{Text: text, SuggestedActions: d.actions()}
}

func (d desk) statusText() string {
	open := d.open()
	if len(open) == 0 {
		if n := len(d.summary.Projects); n > 0 {
			return fmt.Sprintf("All %d project(s) are finished. Give us something new whenever you like.", n)
		}
		return "Nothing is on the board yet. Give us a request and we hold a kickoff."
	}
	var parts []string
	for _, p := range open {
		if p.Total == 0 {
			parts = append(parts, fmt.Sprintf("“%s” is being planned.", p.Title))
			continue
		}
		parts = append(parts, fmt.Sprintf("“%s” is %s: %d of %d tasks done.", p.Title, p.Status, p.Done, p.Total))
	}
	return strings.Join(parts, " ")
}

func (d desk) who() crew.Reply {
	var active []string
	for _, p := range d.summary.Projects {
		active = append(active, p.Active...)
	}
	if len(active) == 0 {
		return crew.Reply{Text: "Nobody is on a task right now. " + d.statusText(), SuggestedActions: d.actions()}
	}
	return crew.Reply{Text: "Right now: " + strings.Join(active, "; ") + ".", SuggestedActions: d.actions()}
}

func (d desk) needs() crew.Reply {
	return crew.Reply{Text: d.needsText(), SuggestedActions: d.actions()}
}

func (d desk) needsText() string {
	var parts []string
	if n := len(d.summary.Decisions); n > 0 {
		parts = append(parts, fmt.Sprintf("%d decision(s) wait for you: %s.", n, strings.Join(d.summary.Decisions, "; ")))
	}
	if n := len(d.summary.Reviews); n > 0 {
		parts = append(parts, fmt.Sprintf("%d review(s) wait for you: %s.", n, strings.Join(d.summary.Reviews, "; ")))
	}
	if len(parts) == 0 {
		return "Nothing needs you right now."
	}
	return strings.Join(parts, " ")
}

func (d desk) assign() crew.Reply {
	for _, p := range d.open() {
		if p.Total > p.Done+len(p.Active) {
			return crew.Reply{
				Text:             fmt.Sprintf("I can hand out what is still open in “%s” by role. Shall I?", p.Title),
				ProjectID:        p.ProjectID,
				SuggestedActions: []contracts.SuggestedAction{autoAssign(p), {Action: "open_task_board", Label: "Review tasks"}},
			}
		}
	}
	return crew.Reply{Text: "There is no task left to hand out. " + d.statusText(), SuggestedActions: d.actions()}
}

func autoAssign(p contracts.ProjectSummary) contracts.SuggestedAction {
	return contracts.SuggestedAction{Action: string(contracts.CmdAutoAssign), Label: "Auto-assign tasks", ProjectID: p.ProjectID}
}

func (d desk) help() crew.Reply {
	return crew.Reply{
		Text: "This is a rehearsal: the crew works without a model. Give us a request; we plan it, ask you what only you can decide, " +
			"write drafts, and bring them to the shelf. Ask me how it is going, who is working, what needs you, or to hand out the tasks.",
		SuggestedActions: d.actions(),
	}
}

func (d desk) unknown() crew.Reply {
	return crew.Reply{
		Text: fmt.Sprintf("I am %s of the rehearsal crew, without a model behind me, so I cannot answer that. "+
			"I can tell you how it is going, who is working and what needs you, and I can hand out tasks. %s", d.me.Name, d.statusText()),
		SuggestedActions: d.actions(),
	}
}

// actions are the buttons that fit the moment.
func (d desk) actions() []contracts.SuggestedAction {
	var out []contracts.SuggestedAction
	for _, r := range d.summary.Reviews {
		if id := idIn(r, contracts.PrefixArtifact); id != "" || len(out) == 0 {
			out = append(out, contracts.SuggestedAction{Action: "open_artifact", Label: hud.Shorten("Open "+r, 60), ArtifactID: id})
			break
		}
	}
	if len(d.summary.Decisions) > 0 {
		q := d.summary.Decisions[0]
		out = append(out, contracts.SuggestedAction{Action: "clarify", Label: "Answer a question", DecisionID: idIn(q, contracts.PrefixDecision)})
	}
	for _, p := range d.open() {
		if p.Status != contracts.ProjectPaused && p.Total > p.Done+len(p.Active) && len(p.Active) == 0 && len(d.summary.Reviews)+len(d.summary.Decisions) == 0 {
			out = append(out, autoAssign(p))
			break
		}
	}
	if len(d.open()) > 0 {
		out = append(out, contracts.SuggestedAction{Action: "open_task_board", Label: "Open the task board"})
	}
	return out
}

// idIn finds an entity's id in a line of the summary.
func idIn(line string, p contracts.Prefix) string {
	for _, w := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" ()[]:,;", r) }) {
		if contracts.HasPrefix(w, p) {
			return w
		}
	}
	return ""
}

// colleague answers for everybody but the director: what they do now.
func (d desk) colleague() crew.Reply {
	for _, p := range d.summary.Projects {
		for _, a := range p.Active {
			if what, ok := strings.CutPrefix(a, d.me.Name+": "); ok {
				return crew.Reply{
					Text:      fmt.Sprintf("I am on “%s” for “%s”. You can watch me write it; Ada knows the rest.", what, p.Title),
					ProjectID: p.ProjectID,
				}
			}
		}
	}
	role := string(d.me.Role)
	if role == "" {
		role = "colleague"
	}
	return crew.Reply{Text: fmt.Sprintf("I am %s, the %s of the rehearsal crew. I have no task right now; Ada hands them out.", d.me.Name, role)}
}
