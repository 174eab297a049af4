package door

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/tools"
	"github.com/bullpen-office/bullpen/world"
)

// Ask records a question, which survives a restart of the office.
func (d *desk) Ask(ctx context.Context, q tools.Question) (tools.Answer, error) {
	p, _, err := d.caller(ctx, "asked a question")
	if err != nil {
		return tools.Answer{}, err
	}
	payload, err := json.Marshal(struct {
		Prompt        string   `json:"prompt"`
		Options       []string `json:"options,omitzero"`
		AllowFreeText bool     `json:"allow_free_text"`
	}{q.Text, q.Options, q.AllowFreeText})
	if err != nil {
		return tools.Answer{}, contracts.RefuseField("question", "the question cannot be encoded: %v", err)
	}
	id, err := d.report(ctx, p, intake.Event{Kind: "ask", ID: eventID("ask_person", q.RequestID, payload), Payload: payload})
	if err != nil {
		return tools.Answer{}, err
	}
	return d.question(ctx, p.AgentID, id)
}

// eventID returns the id of an event. The id also depends on the payload, so that an event that
// reuses a request id with a different payload is not treated as a duplicate.
func eventID(tool, requestID string, payload jsontext.Value) string {
	return contracts.DerivedUUID("mcp", tool, requestID, string(payload))
}

// report records an event that the agent reports.
func (d *desk) report(ctx context.Context, p contracts.Principal, e intake.Event) (decisionID string, err error) {
	ctx, cancel := context.WithTimeout(ctx, contracts.CommandTimeout)
	defer cancel()
	id, refusal := d.Events.Report(ctx, p, e)
	if refusal != nil {
		return "", refusal
	}
	return id, nil
}

// Answer returns one of the agent's questions once it has been answered or withdrawn, or once the
// wait is over.
func (d *desk) Answer(ctx context.Context, questionID string, wait time.Duration) (tools.Answer, error) {
	p, _, err := d.caller(ctx, "waited for an answer")
	if err != nil {
		return tools.Answer{}, err
	}
	a, err := d.question(ctx, p.AgentID, questionID)
	if err != nil || a.Status != tools.Waiting || wait <= 0 {
		return a, err
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	row, err := d.View.Await(waiting, questionID)
	if err != nil && waiting.Err() != nil {
		return a, nil
	}
	return answerRow(row), err
}

// question returns a question that the agent itself has asked.
func (d *desk) question(ctx context.Context, agentID, id string) (tools.Answer, error) {
	row, _, ok, err := d.View.Decision(ctx, id)
	switch {
	case err != nil:
		return tools.Answer{}, errors.New("the question cannot be read right now; try again")
	case !ok || row.AskedBy != agentID:
		return tools.Answer{}, contracts.Refuse(contracts.CodeNotFound, "you have not asked a question with the id %q; read_board lists your open questions", contracts.Clip(contracts.CleanLine(id), contracts.LimitID))
	}
	return answerRow(row), nil
}

func answerRow(d contracts.Decision) tools.Answer {
	a := tools.Answer{QuestionID: d.DecisionID, Question: d.Prompt, Status: tools.Waiting}
	switch d.Status {
	case contracts.DecisionResolved:
		a.Status, a.Answer, a.Choices, a.Note = tools.Answered, d.Choice, d.Choices, d.Note
	case contracts.DecisionCancelled:
		a.Status, a.Reason = tools.Withdrawn, d.Reason
	}
	return a
}

// Messages returns the messages that are waiting for the agent's answer, once there is at least one
// message or the wait is over.
func (d *desk) Messages(ctx context.Context, wait time.Duration) (tools.Messages, error) {
	_, me, err := d.caller(ctx, "read its messages")
	if err != nil {
		return tools.Messages{}, err
	}
	if me.Source != contracts.SourceMCP && !d.Pulls(me.AgentID) {
		return tools.Messages{}, contracts.Refuse(contracts.CodeNotAllowed, "read_messages is not available to %s: the office delivers messages directly to that agent's program", me.Name)
	}
	late := time.After(wait)
	for {
		changed := d.View.Changed()
		out := tools.Messages{Messages: []tools.Incoming{}}
		d.View.Look(func(w *world.World) {
			for _, m := range w.PendingChats(me.AgentID) {
				out.Messages = append(out.Messages, tools.Incoming{MessageID: m.Seq, Text: m.Chat.Text})
			}
		})
		if len(out.Messages) > 0 || wait <= 0 {
			return out, nil
		}
		select {
		case <-changed:
		case <-late:
			return out, nil
		case <-ctx.Done():
			return out, nil
		}
	}
}

// Say sends a message to people, or answers a person's message.
func (d *desk) Say(ctx context.Context, m tools.Message) (tools.Done, error) {
	p, me, err := d.caller(ctx, "sent a message")
	if err != nil {
		return tools.Done{}, err
	}
	if m.Answers > 0 {
		said := contracts.ChatSaid{Chat: contracts.Chat{From: me.AgentID, Text: hud.Redact(m.Text), AnswersSeq: m.Answers}}
		if _, err := d.tell(ctx, said, me.AgentID, "send_message", m.RequestID, strconv.FormatUint(m.Answers, 10), m.Text); err != nil {
			return tools.Done{}, err
		}
		return tools.Done{Done: "answered"}, nil
	}
	text := quoted(m.Text)
	if _, err := d.report(ctx, p, intake.Event{Kind: "message", ID: eventID("send_message", m.RequestID, text), Payload: text}); err != nil {
		return tools.Done{}, err
	}
	return tools.Done{Done: "sent"}, nil
}

// quoted returns text as a JSON string, with invalid UTF-8 replaced.
func quoted(text string) jsontext.Value {
	b, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\uFFFD"))
	return b
}
