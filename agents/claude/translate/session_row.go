package translate

import (
	"cmp"
	"strings"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
)

// Row handles a transcript row and returns everything to report.
func (s *Session) Row(r *Row) (t Updates) {
	if r.Sidechain && s.agent == "" {
		return t // older versions wrote sub-agents' rows to the parent's file
	}
	at := cmp.Or(r.At, s.rows.at)
	switch r.Type {
	case rowUser:
		t.Changed = s.updateProfile(r.Cwd, "")
		s.userRow(&t, r, at)
	case rowAssistant:
		t.Changed = s.updateProfile(r.Cwd, r.Message.Model)
		s.assistantRow(&t, r, at)
	case rowSystem:
		s.systemRow(&t, r, at)
	case rowCost:
		s.costRow(&t, r)
	}
	s.rows.at = max(s.rows.at, at)
	return t
}

func (s *Session) addRowEvidence(t *Updates, claim status.Claim, at int64, says, call, line string) {
	e := evidence(contracts.FromTranscript, claim, at, says)
	e.Call, e.Line = call, line
	t.Evidence = append(t.Evidence, e)
}

func (s *Session) userRow(t *Updates, r *Row, at int64) {
	s.usage.flush(t)
	if r.Summary {
		return
	}
	blocks := r.blocks()
	results := false
	for i := range blocks {
		if b := &blocks[i]; b.Type == "tool_result" {
			results = true
			s.resultBlock(t, r, b, at)
		}
	}
	text := strings.TrimSpace(joined(blocks))
	switch {
	case results || text == "" && (len(blocks) == 0 || blocks[0].Type != "image"):
	case strings.HasPrefix(text, "[Request interrupted by user"):
		s.interruptRow(t, r, at)
	case r.Meta || strings.HasPrefix(text, "<bash-") || text != "" && promptOf(text).text == "":
		// text or a shell command that is not a prompt for the agent
	case strings.HasPrefix(text, "<command-"):
		s.rows.prompt = r // a command; the agent answers only some commands
		s.rows.prompt.At = at
	default:
		s.promptRow(t, r, text, at)
	}
}

func joined(blocks []block) string {
	var texts []string
	for i := range blocks {
		if blocks[i].Type == "text" {
			texts = append(texts, blocks[i].Text)
		}
	}
	return strings.Join(texts, "\n")
}

func (s *Session) promptRow(t *Updates, r *Row, text string, at int64) {
	s.rows.prompt = nil
	id, p := s.promptID(&s.rows, r.PromptID, text), promptOf(text)
	if s.agent == "" && (r.Origin.Kind == "" || r.Origin.Kind == "human") {
		s.received(t, id, p, at)
	}
	s.begin(t, &s.rows, s.turnID(id), p.text, at)
	s.addRowEvidence(t, status.TurnStarted, at, "prompt", "", hud.Line(p.text, contracts.LimitPreview))
}

func (s *Session) interruptRow(t *Updates, r *Row, at int64) {
	if turn := s.turnID(r.PromptID); turn != "" && turn != s.rows.turn {
		s.begin(t, &s.rows, turn, "", at)
	}
	s.interrupt(t, &s.rows, at)
	s.addRowEvidence(t, status.Interrupted, at, "interrupted by the user", "", "")
}

func (s *Session) assistantRow(t *Updates, r *Row, at int64) {
	if p := s.rows.prompt; p != nil {
		s.promptRow(t, p, commandText(joined(p.blocks())), p.At)
	}
	s.rows.ending = nil // more follows: the turn continues
	s.usageRow(t, r)
	blocks := r.blocks()
	s.rows.keepText(r.Message.ID, joined(blocks))
	for i := range blocks {
		b := &blocks[i]
		switch b.Type {
		case "thinking", "redacted_thinking":
			s.thought(t, r, b, at)
		case "tool_use":
			line := s.toolStart(t, call{id: guest.Name(b.ID), tool: guest.Name(b.Name), input: b.Input, turn: s.rows.turn, at: at})
			s.addRowEvidence(t, status.ToolStarted, at, "tool_use "+guest.Name(b.Name), guest.Name(b.ID), line)
		default:
			s.addRowEvidence(t, status.Sign, at, "assistant "+guest.Name(b.Type), "", "")
		}
	}
	if s.rows.turn == "" || s.rows.over {
		return
	}
	switch {
	case r.APIError:
		s.rows.ending = &ending{at: at, failure: joined(blocks)}
	case r.Message.StopReason != "" && r.Message.StopReason != "tool_use" && r.Message.StopReason != "pause_turn":
		s.rows.ending = &ending{at: at, said: s.rows.said}
	}
}

// keepText adds text to the newest message, whose blocks arrive in separate rows. If message is the
// id of another message, text replaces the old text.
func (v *view) keepText(message, text string) {
	switch {
	case text == "":
	case message == v.saidIn && v.said != "":
		v.said += "\n" + text
	default:
		v.said, v.saidIn = text, message
	}
	v.said = hud.Cut(v.said, 2*contracts.LimitFinalAnswer)
}

func (s *Session) resultBlock(t *Updates, r *Row, b *block, at int64) {
	id := guest.Name(b.ToolUseID)
	c := call{id: id, turn: s.rows.turn, at: at}
	if o, ok := s.Open[id]; ok {
		c.took = guest.Elapsed(o.At, at)
	}
	out := outcome{response: r.Result, text: ContentText(b.Content)}
	if out.response.Kind() == 0 {
		out.response = b.Content
	}
	if b.IsError {
		if out.failure = out.text; out.failure == "" {
			out.failure = "the tool failed"
		}
	}
	s.toolEnd(t, c, out)
	s.addRowEvidence(t, status.ToolEnded, at, "tool_result", id, "")
}

// thought reports that the agent was thinking, and for how long.
func (s *Session) thought(t *Updates, r *Row, b *block, at int64) {
	from := s.rows.at // the model was called when the last row was written
	if ms, ok := numberOf(r.ThinkingMS); ok && ms >= 0 {
		from = at - milliseconds(ms).Milliseconds()
	}
	if from <= 0 || from > at {
		from = at
	}
	sp := hud.Span{Correlation: r.UUID, Parent: s.rows.turn}
	if sp.Correlation == "" {
		return
	}
	s.AddFact(t, hud.ThinkStart(s.Source, s.UUID(contracts.HUDThinkStart, r.UUID), sp), nil, from)
	text := ""
	if s.cfg.KeepThinking {
		text = b.Thinking
	}
	h := hud.Thought(s.Source, s.UUID(contracts.HUDThinkEnd, r.UUID), sp, guest.Elapsed(from, at), text)
	s.AddFact(t, h, nil, at)
	s.addRowEvidence(t, status.Sign, at, "thinking", "", "Thinking")
}

func (s *Session) systemRow(t *Updates, r *Row, at int64) {
	switch r.Subtype {
	case "turn_duration":
		e := ending{at: at, said: s.rows.said}
		if s.rows.ending != nil {
			e = *s.rows.ending
		}
		s.endRows(t, e)
	case "compact_boundary":
		s.addRowEvidence(t, status.Sign, at, "conversation compacted", "", "")
	}
}

// endRows ends the transcript's current turn.
func (s *Session) endRows(t *Updates, e ending) {
	if s.rows.turn == "" || s.rows.over {
		return
	}
	s.usage.flush(t)
	s.end(t, &s.rows, e)
	s.addRowEvidence(t, status.TurnEnded, e.at, "final message of the turn", "", "")
	t.SetAnswer(e.said)
	if s.agent != "" { // a sub-agent has only this one task
		s.addRowEvidence(t, status.Ended, e.at, "sub-agent finished", "", "")
	}
}
