package translate

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
)

// Row handles a line of the rollout file and returns everything to report.
func (s *Session) Row(row guest.Row) (t guest.Updates) {
	r := row.(*Row)
	at := cmp.Or(r.at, s.at)
	switch r.Type {
	case rowMeta:
		t.Changed = s.updateProfile(r.payload.Cwd, "")
		t.Changed = s.NameSubagent(r.payload.Kind, r.payload.Nickname) || t.Changed
		s.addRowEvidence(&t, status.Present, at, "session", "", "")
	case rowContext:
		t.Changed = s.updateProfile(r.payload.Cwd, guest.Text(r.payload.Model))
	case rowEvent:
		s.eventRow(&t, r, at)
	case rowResponse:
		s.responseRow(&t, r, at)
	case rowUsed:
		s.usageRow(&t, r, at)
	case rowCompact:
		s.addRowEvidence(&t, status.Sign, at, "conversation compacted", "", "")
	case rowWorld:
	default:
		s.addRowEvidence(&t, status.Alive, at, "unknown record "+r.Type, "", "")
	}
	s.at = max(s.at, at)
	return t
}

func (s *Session) addRowEvidence(t *guest.Updates, claim status.Claim, at int64, says, call, line string) {
	t.Evidence = append(t.Evidence, status.Evidence{Source: contracts.FromTranscript, Claim: claim, At: at, Says: says, Call: call, Line: line})
}

func (s *Session) eventRow(t *guest.Updates, r *Row, at int64) {
	p := &r.payload
	turn := cmp.Or(p.Turn, s.turn)
	switch p.Type {
	case "task_started", "turn_started":
		s.startRow(t, p.Turn, "", at)
	case "task_complete", "turn_complete":
		s.endRow(t, turn, at, guest.Text(p.LastMessage), guest.Text(p.Error))
	case "turn_aborted":
		s.turnEnd(t, turn, end{at: at, failure: abortReason(p.Reason)})
		s.addRowEvidence(t, status.Interrupted, at, "turn_aborted "+guest.Name(p.Reason), "", "")
		s.finished(t, at)
	case "item_started", "item_completed":
		s.itemRow(t, r, turn, at)
	case "user_message": // older versions
		s.promptRow(t, turn, p.Message, at)
	case "agent_message":
		s.said = p.Message
		s.addRowEvidence(t, status.Sign, at, "agent_message", "", "")
	case "error", "stream_error":
		s.failure = cmp.Or(p.Message, guest.Text(p.Error))
		s.addRowEvidence(t, status.Sign, at, p.Type, "", hud.Line(s.failure, contracts.LimitPreview))
	case "token_count":
		s.countRow(t, r, at)
	case "thread_settings_applied":
	default:
		s.addRowEvidence(t, status.Alive, at, "record "+p.Type, "", "")
	}
}

// startRow starts a turn that the rollout file reports.
func (s *Session) startRow(t *guest.Updates, turn, label string, at int64) {
	if turn == "" {
		return
	}
	if turn != s.turn {
		s.turn, s.said, s.failure = turn, "", ""
	}
	s.begin(t, turn, label, at)
	s.addRowEvidence(t, s.claim(contracts.HUDTurnEnd, turn, status.TurnStarted), at, "turn started", "", hud.Line(label, contracts.LimitPreview))
}

// promptRow handles a person's message. In files from old Codex versions, the message starts a
// turn.
func (s *Session) promptRow(t *guest.Updates, turn, text string, at int64) {
	if turn == "" || turn == s.derived {
		s.turnEnd(t, turn, end{at: s.at, said: s.said})
		s.prompts++
		turn = contracts.DerivedUUID(Source, s.id, "prompt", strconv.Itoa(s.prompts))
		s.derived = turn
		s.startRow(t, turn, text, at)
	}
	s.received(t, turn, text, at)
}

// endRow ends a turn when the rollout file reports its end.
func (s *Session) endRow(t *guest.Updates, turn string, at int64, said, failure string) {
	e := end{at: at, said: cmp.Or(said, s.said), failure: failure}
	if said == "" && failure == "" { // the turn ended without an answer
		e.failure = s.failure
	}
	s.turnEnd(t, turn, e)
	s.addRowEvidence(t, status.TurnEnded, at, "turn ended", "", "")
	t.SetAnswer(e.said)
	s.finished(t, at)
}

// finished reports that a sub-agent has nothing left to do, so it leaves the office until it is
// given another task.
func (s *Session) finished(t *guest.Updates, at int64) {
	if s.agent != "" {
		s.addRowEvidence(t, status.Ended, at, "sub-agent finished", "", "")
	}
}

// abortReason describes why Codex ended a turn early.
func abortReason(reason string) string {
	switch reason = guest.Name(reason); reason {
	case "interrupted":
		return interrupted
	case "":
		return "stopped before it finished"
	}
	return "stopped: " + reason
}

// itemRow handles an item, which is more precise than the response that it belongs to.
func (s *Session) itemRow(t *guest.Updates, r *Row, turn string, at int64) {
	it, _, err := ParseItem(r.payload.Item)
	if err != nil {
		return
	}
	done := r.payload.Type == "item_completed"
	switch {
	case it.Type == ItemUser && done:
		s.promptRow(t, turn, it.Message(), at)
	case it.Type == ItemAgent && done:
		s.said = it.Message()
		s.addRowEvidence(t, status.Sign, at, "message", "", "")
	case it.IsCall():
		s.callItem(t, &it, r, turn, at, done)
	default:
		s.addRowEvidence(t, status.Sign, at, "item "+it.Type, "", "")
	}
}

func (s *Session) callItem(t *guest.Updates, it *Item, r *Row, turn string, at int64, done bool) {
	from := at
	if ms := r.payload.StartedAtMS; ms > 0 && ms < at {
		from = ms
	}
	line := s.toolStart(t, it.Call(), it.ID, turn, from)
	s.addRowEvidence(t, s.claim(contracts.HUDToolEnd, it.ID, status.ToolStarted), from, it.Type, it.ID, line)
	if !done {
		return
	}
	call, result := it.Call(), it.Outcome()
	if o, ok := s.Open[it.ID]; ok && o.HUD.Tool != call.Tool { // for example a patch that a command applies
		call = hud.Call{Tool: o.HUD.Tool, Args: o.HUD.Args}
		result = it.outcomeOf(call)
	}
	s.toolEnd(t, call, it.ID, turn, at, result)
	s.addRowEvidence(t, status.ToolEnded, at, it.Type, it.ID, "")
}

// outcomeOf returns the item's outcome in the form that fits call, the tool call that was first
// reported for the item.
func (it *Item) outcomeOf(call hud.Call) hud.Result {
	failure := it.failure()
	if call.Tool == "exec" {
		return executed(call, text(it.Output), it.Exit, failure)
	}
	if failure != "" {
		return hud.FailedCall(call, failure)
	}
	return hud.ValueResult(call, it.Raw, it.Message())
}

// responseRow handles one part of the model's input or output: a message, a thought, a tool call or
// a tool call's output.
func (s *Session) responseRow(t *guest.Updates, r *Row, at int64) {
	p := &r.payload
	id := cmp.Or(p.CallID, p.ID)
	switch {
	case p.Type == "message":
		if p.Role == "assistant" {
			s.said = cmp.Or(contentText(p.Content), s.said)
			s.addRowEvidence(t, status.Sign, at, "message", "", "")
		}
	case p.Type == "reasoning":
		s.thought(t, r, at)
	case strings.HasSuffix(p.Type, "_output"):
		s.outputRow(t, p.CallID, p.Output, at)
	case strings.HasSuffix(p.Type, "_call"):
		line := s.toolStart(t, p.call(), id, s.turn, at)
		s.addRowEvidence(t, s.claim(contracts.HUDToolEnd, id, status.ToolStarted), at, p.Type, id, line)
		if p.Type == "web_search_call" { // the search is over when the response is recorded
			s.toolEnd(t, p.call(), id, s.turn, at, hud.TextResult(p.call(), ""))
			s.addRowEvidence(t, status.ToolEnded, at, p.Type, id, "")
		}
	default:
		s.addRowEvidence(t, status.Alive, at, "response "+p.Type, "", "")
	}
}

// call returns the tool call in a response, with the office's tool names. A call of an unknown kind
// becomes a call to a tool named after the kind.
func (p *payload) call() hud.Call {
	switch p.Type {
	case "local_shell_call":
		var action struct {
			Command jsontext.Value `json:"command"`
		}
		_, _ = hud.Decode(p.Action, &action) // an action with another shape has no command
		return hud.Call{Tool: "exec", Args: hud.Value(map[string]string{"command": Command(action.Command)})}
	case "web_search_call":
		it := Item{Type: ItemSearch, Action: p.Action}
		return it.Call()
	}
	args := p.Input
	if p.Arguments != "" {
		args = jsontext.Value(p.Arguments)
		if !args.IsValid() {
			args = hud.Value(p.Arguments)
		}
	}
	if args.Kind() == '"' {
		args = hud.Value(map[string]string{"input": guest.Text(args)})
	}
	return officeCall(cmp.Or(p.Name, p.Type), args)
}

// outputRow handles a call's result, as the model received it. If a command is still running, its
// call ends later, with the command's item or with the turn.
func (s *Session) outputRow(t *guest.Updates, id string, output jsontext.Value, at int64) {
	o, open := s.Open[id]
	if !open {
		return
	}
	call := hud.Call{Tool: o.HUD.Tool, Args: o.HUD.Args}
	text := cmp.Or(contentText(output), guest.Text(output))
	var result hud.Result
	switch body, exit, state := execOutput(text); {
	case call.Tool != "exec":
		result = hud.TextResult(call, text)
	case state == running:
		s.addRowEvidence(t, status.Sign, at, "output", "", "")
		return
	case state == exited:
		result = executed(call, body, &exit, "")
	case s.results[id] != nil: // a hook reported that the command has run
		result = executed(call, body, nil, "")
	default:
		result = hud.FailedCall(call, text) // the command did not run
	}
	s.toolEnd(t, call, id, o.HUD.ParentID, at, result)
	s.addRowEvidence(t, status.ToolEnded, at, "output", id, "")
}

// States of a command, as described in the text that the model receives.
const (
	unknown = iota
	running
	exited
)

// execOutput parses the text that the model receives about a command: its output, its exit code and
// whether it is still running.
func execOutput(text string) (output string, exit, state int) {
	var old struct {
		Output   string `json:"output"`
		Metadata struct {
			Exit *int `json:"exit_code"`
		} `json:"metadata"`
	}
	if v := jsontext.Value(text); v.Kind() == '{' && json.Unmarshal(v, &old, hud.Lenient) == nil && old.Metadata.Exit != nil {
		return old.Output, *old.Metadata.Exit, exited
	}
	head, output, found := strings.Cut(text, "Output:\n")
	if !found {
		head, output = text, text
	}
	for line := range strings.Lines(head) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "Process running with session ID") {
			return output, 0, running
		}
		for _, prefix := range []string{"Process exited with code ", "Exit code: "} {
			if code, ok := strings.CutPrefix(line, prefix); ok {
				if n, err := strconv.Atoi(code); err == nil {
					return output, n, exited
				}
			}
		}
	}
	return output, 0, unknown
}

// thought reports that the agent was thinking.
func (s *Session) thought(t *guest.Updates, r *Row, at int64) {
	id := r.payload.ID
	if id == "" {
		return
	}
	from := s.at
	if from <= 0 || from > at {
		from = at
	}
	span := hud.Span{Correlation: id, Parent: s.turn}
	s.AddFact(t, hud.ThinkStart(s.Source, s.UUID(contracts.HUDThinkStart, id), span), nil, from)
	text := ""
	if s.cfg.KeepThinking {
		text = cmp.Or(contentText(r.payload.Summary), contentText(r.payload.Content))
	}
	s.AddFact(t, hud.Thought(s.Source, s.UUID(contracts.HUDThinkEnd, id), span, guest.Elapsed(from, at), text), nil, at)
	s.addRowEvidence(t, status.Sign, at, "reasoning", "", "Thinking")
}
