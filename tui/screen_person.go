package tui

import (
	"net/url"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

const (
	recentShown  = 5
	personNodes  = 12
	streamShown  = 1600
	streamRows   = 6
	familyShown  = 6
	evidenceRows = 8
	sourceWidth  = 14 // width of the source column
)

// explanation is the response to GET /v1/agents/{id}/explain (A6).
type explanation struct {
	Authority contracts.EvidenceSource `json:"authority"`
	Why       string                   `json:"why"`
	Since     int64                    `json:"since"`
	Evidence  []contracts.Evidence     `json:"evidence"`
	DecaysAt  int64                    `json:"decays_at"`
	PID       int                      `json:"pid"`
	Recent    []recent                 `json:"recent"`
	Outpost   *contracts.OutpostHealth `json:"outpost"`
}

// recent is one activity fact in an explanation.
type recent struct {
	Label string `json:"label"`
	At    int64  `json:"at"`
}

// asked is the state of a request for an explanation.
type asked struct {
	busy      bool
	explained *explanation
	err       string
}

// personScreen shows one agent: what it is doing and why, its recent work and its controls.
type personScreen struct {
	app   *app
	id    string
	top   int
	asked *asked
}

func (s *personScreen) hints() []hint {
	list := []hint{{"E", "explain"}}
	if p := s.app.office.Rows().Agent(s.id); p != nil {
		if slices.Contains(p.Controls, contracts.CmdChat) {
			list = append(list, hint{"M", "message"})
		}
		if len(controlsOf(p)) > 0 {
			list = append(list, hint{"X", "controls"})
		}
	}
	return append(list, hint{"F", "follow"}, hint{"A", "activity"})
}

func (s *personScreen) scroll(by int) { s.top = max(0, s.top+by) }

func (s *personScreen) key(k string) (tea.Cmd, bool) {
	a := s.app
	p := a.office.Rows().Agent(s.id)
	switch strings.ToLower(k) {
	case "e":
		return s.ask(), true
	case "m":
		if p != nil && slices.Contains(p.Controls, contracts.CmdChat) {
			return a.compose(a.newMessage(contracts.AgentThreadPx + s.id)), true
		}
		return nil, true
	case "x":
		if p != nil && len(controlsOf(p)) > 0 {
			s.controls(p)
		}
		return nil, true
	case "a":
		a.goTab(tabActivity)
		a.activityScreen().show(s.id)
		return nil, true
	case "w":
		return s.openNewest(), true
	case "f":
		a.selected = s.id
		return nil, false
	case "enter":
		return s.openNeed(), true
	}
	if by := step(k, 10); by != 0 {
		s.scroll(by)
		return nil, true
	}
	return nil, false
}

// openNewest shows this agent's newest tool call full-screen, or a toast if there is none.
func (s *personScreen) openNewest() tea.Cmd {
	for _, turn := range slices.Backward(s.app.office.ActivityOf(s.id)) {
		for _, n := range slices.Backward(append([]*model.Node{turn}, turn.Children...)) {
			if n.Type == model.NodeTool && n.More() {
				return s.app.activityScreen().openNode(n)
			}
		}
	}
	s.app.toast("No tool calls recorded for this agent.", tonePlain)
	return nil
}

// openNeed opens the card of this agent's most urgent need, if it has one.
func (s *personScreen) openNeed() tea.Cmd {
	for _, n := range s.app.office.Rows().Needs() {
		if n.AgentID == s.id {
			s.app.goNeed(n.Ref)
			return nil
		}
	}
	return nil
}

// ask requests an explanation of the agent's status, unless a request is under way.
func (s *personScreen) ask() tea.Cmd {
	if s.asked != nil && s.asked.busy {
		return nil
	}
	s.asked = &asked{busy: true}
	id := s.id
	return later(func() func() tea.Cmd {
		var explained explanation
		err := s.app.conn.GetJSON(s.app.ctx, "/v1/agents/"+url.PathEscape(id)+"/explain", &explained)
		return func() tea.Cmd {
			if s.asked == nil || s.id != id {
				return nil
			}
			s.asked = &asked{explained: &explained}
			if err != nil {
				s.asked = &asked{err: err.Error()}
			}
			return nil
		}
	})
}

// controlsOf returns the controls that the server offers for an agent.
func controlsOf(p *contracts.Agent) []contracts.Control {
	return slices.DeleteFunc(slices.Clone(contracts.Controls), func(c contracts.Control) bool { return !slices.Contains(p.Controls, c.Command) })
}

// controls opens an agent's controls menu. A disabled control shows why it is disabled.
func (s *personScreen) controls(p *contracts.Agent) {
	a := s.app
	var items []choice
	for _, c := range controlsOf(p) {
		reason := a.disabledReason()
		if reason == "" {
			reason = model.ControlReason(p, c.Command, a.office.Rows().Task(p.TaskID))
		}
		data := contracts.AgentControl{Name: c.Command, AgentID: p.AgentID, Session: s.session(p)}
		label, run := c.Words, func() tea.Cmd { return a.act(data, c.Done, nil) }
		if c.Command == contracts.CmdSwitchAgent || c.Command == contracts.CmdHandover {
			label, run = c.Words+" to…", func() tea.Cmd { s.chooseOther(p, c, data); return nil }
		}
		items = append(items, choice{label: label, disabledReason: reason, run: run})
	}
	a.openMenu("Controls: "+model.Line(p.Name), "", items)
}

// chooseOther opens the list of crew members that can take over from an agent.
func (s *personScreen) chooseOther(p *contracts.Agent, c contracts.Control, data contracts.AgentControl) {
	a := s.app
	crew, _ := a.office.Rows().People()
	var items []choice
	for _, q := range crew {
		if q.AgentID == p.AgentID {
			continue
		}
		data := data
		data.ToAgentID = q.AgentID
		items = append(items, choice{label: q.Name, hint: model.Doing(&q), run: func() tea.Cmd { return a.act(data, c.Done, nil) }})
	}
	a.openMenu(c.Words+" to…", "", items)
}

func (s *personScreen) session(p *contracts.Agent) string {
	if p.Session != "" {
		return p.Session
	}
	nodes := s.app.office.ActivityOf(s.id)
	for i := len(nodes) - 1; i >= 0; i-- {
		if nodes[i].Session != "" {
			return nodes[i].Session
		}
	}
	return ""
}
