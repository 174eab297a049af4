package server

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/activity"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
)

// bridgeTurn records a turn that came through the bridge: as activity, as
// evidence of what the agent is doing, and as cost.
type bridgeTurn struct {
	*activity.Turn
	s     *Server
	agent string
	guest bool   // not of the crew
	key   string // of its usage
	log   *slog.Logger
	ctx   context.Context // outlives the caller: a start that is recorded needs its end
}

func (s *Server) newBridgeTurn(ctx context.Context, agent, session string, p drive.Prompt) *bridgeTurn {
	t := &bridgeTurn{s: s, agent: agent, key: "bridge/" + p.MessageID, log: s.cfg.Log.With("agent", agent, "session", session), ctx: context.WithoutCancel(ctx)}
	t.guest = !s.belongs(agent)
	t.Turn = activity.NewTurn(activity.Log{
		Record: t.record, Keep: t.keep, Publish: s.hub.PublishStream, NewUUID: uuid.NewString, Now: s.cfg.Now,
	}, hud.Source{AgentID: agent, Session: session, Origin: contracts.OriginCaller, Roots: s.roots(agent)}, contracts.StreamDelta{StreamID: fmt.Sprintf("%s_bridge_%s", contracts.PrefixStream, streamSuffix(p.MessageID)), AgentID: agent})
	return t
}

// streamSuffix spells a message id with what ids are made of.
func streamSuffix(id string) string {
	out := make([]rune, 0, len(id))
	for _, r := range id {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			out = append(out, r)
		}
	}
	return string(out)
}

func (t *bridgeTurn) begin(text string) {
	t.Received(text)
	t.Begin(text)
	t.witness(status.TurnStarted, "", "a turn began", hud.Line(text, contracts.LimitPreview))
}

// record tells a fact, for a while also when the ledger does not take it.
func (t *bridgeTurn) record(h contracts.HUD) {
	ctx, cancel := context.WithTimeout(t.ctx, contracts.RecordTimeout)
	defer cancel()
	err := activity.Insist(ctx, t.log, string(h.Event), func(ctx context.Context) error { return t.s.office.Record(ctx, contracts.HUDSeen{HUD: h}) })
	if err != nil {
		t.log.Warn("a fact of activity was not recorded", "event", h.Event, "error", err)
	}
}

func (t *bridgeTurn) keep(whole []byte) {
	ctx, cancel := context.WithTimeout(t.ctx, contracts.RecordTimeout)
	defer cancel()
	if _, err := t.s.ledger.PutBlob(ctx, whole); err != nil {
		t.log.Warn("the whole of a tool result was not stored", "bytes", len(whole), "error", err)
	}
}

func (t *bridgeTurn) witness(claim status.Claim, call, says, line string) {
	t.tell(t.evidence(claim, call, says, line))
}

func (t *bridgeTurn) evidence(claim status.Claim, call, says, line string) status.Evidence {
	return status.Evidence{Source: contracts.FromStream, Claim: claim, Call: call, Says: says, Line: line, At: t.s.cfg.Now().UnixMilli()}
}

func (t *bridgeTurn) tell(e status.Evidence) {
	if t.guest { // what the crew does for callers follows from its open turns
		t.s.roster.Witness(t.ctx, t.agent, e)
	}
}

// ToolStart records a tool call and its end.
func (t *bridgeTurn) ToolStart(callID, tool string, args any) func(any) {
	if callID == "" {
		callID = "call_" + streamSuffix(uuid.NewString())
	}
	end := t.Turn.ToolStart(callID, tool, args)
	t.witness(status.ToolStarted, callID, tool+" began", tool)
	return func(result any) {
		end(result)
		t.witness(status.ToolEnded, callID, tool+" ended", "")
	}
}

// Used is the business of whoever holds the turn against a budget; what it used in
// the end is recorded.
func (t *bridgeTurn) Used(contracts.Usage) {}

// Permit asks a person whether a tool may run.
func (t *bridgeTurn) Permit(ctx context.Context, p contracts.Permission) (drive.Verdict, error) {
	asked, over := t.waits("asks for permission", p.Label)
	defer over()
	return t.s.permit(ctx, asker{agent: t.agent, turn: t.ID()}, p, asked)
}

// Ask puts questions to a person.
func (t *bridgeTurn) Ask(ctx context.Context, questions []contracts.AskSeen) ([]contracts.Decision, error) {
	asked, over := t.waits("asks a question", questions[0].Prompt)
	defer over()
	return t.s.ask(ctx, asker{agent: t.agent, turn: t.ID()}, questions, asked)
}

// waits shows that the agent waits for the decisions that asked is told of, until
// over is called.
func (t *bridgeTurn) waits(says, line string) (asked func(decisionID string), over func()) {
	var open []string
	asked = func(id string) {
		open = append(open, id)
		t.witness(status.Asked, id, says, hud.Line(line, contracts.LimitPreview))
	}
	over = func() {
		for _, id := range open {
			t.witness(status.Answered, id, "it was answered", "")
		}
	}
	return asked, over
}

// End closes the turn and reports what it used.
func (t *bridgeTurn) End(answer drive.Answer, err error) {
	failure, used := "", answer.Usage
	if err != nil {
		failure = err.Error()
	}
	var usage *contracts.Usage
	if used != (contracts.Usage{Model: used.Model}) {
		usage = &used
	}
	t.Turn.End(activity.Outcome{Failure: failure, Said: answer.Text, Usage: usage})
	if usage != nil {
		if no := t.s.office.Tell(t.ctx, contracts.UsageSeen{Key: t.key, AgentID: t.agent, TurnID: t.ID(), Usage: used})[0].Refusal; no != nil {
			t.log.Warn("the cost of a turn was not recorded", "error", no)
		}
	}
	says := "the turn ended"
	if failure != "" {
		says = hud.Line("the turn failed: "+failure, contracts.LimitPreview)
	}
	e := t.evidence(status.TurnEnded, "", says, "")
	if failure == "" {
		e.Said = hud.Line(answer.Text, contracts.LimitSnapshotText)
	}
	t.tell(e)
}
