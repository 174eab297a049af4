package bridge

import (
	"cmp"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/turn"
)

// runInput is AG-UI's RunAgentInput. Tools and state sent by the client are ignored, because agents
// have their own.
type runInput struct {
	ThreadID string       `json:"threadId"`
	RunID    string       `json:"runId"`
	Messages []runMessage `json:"messages"`
}

type runMessage struct {
	Role    string         `json:"role"`
	Content jsontext.Value `json:"content,omitzero"`
}

// ServeRun handles POST /v1/agui/{agent}, the request that AG-UI's HttpAgent sends. A run is one
// turn of the agent, in the conversation that the run's threadId names. A repeated run joins the
// turn of the original run.
func (b *Bridge) ServeRun(w http.ResponseWriter, r *http.Request) {
	in, req, refused := readRun(r)
	var t *turn.Turn
	if refused == nil {
		req.Model = r.PathValue("agent")
		agent := cmp.Or(agentOfModel(req.Model), b.defaultAgent(gate.PrincipalFrom(r)))
		req.User = agent + keySeparator + in.ThreadID // so that the thread cannot name another agent
		t, _, refused = b.begin(r, req, turn.Join{ID: "run " + in.RunID, Explicit: true})
	}
	if refused != nil {
		refused.write(w)
		return
	}
	defer t.Leave()
	send := &sender{bridge: b, turn: t, w: w}
	send.stream(r.Context(), &run{in: in, message: "msg_" + b.cfg.NewUUID()})
}

// readRun reads a run as a chat completion request. It leaves out messages whose role is not user,
// system, developer or assistant.
func readRun(r *http.Request) (in runInput, req *completion.Request, refused *problem) {
	body, refused := readBody(r)
	if refused != nil {
		return in, nil, refused
	}
	if err := json.Unmarshal(body, &in); err != nil {
		member, why := contracts.ExplainJSONError(err)
		return in, nil, badRequest(member, "The body is not a RunAgentInput: %s.", why)
	}
	for _, id := range []struct{ member, value string }{{"threadId", in.ThreadID}, {"runId", in.RunID}} {
		if id.value == "" || len(id.value) > contracts.LimitSessionKey {
			return in, nil, badRequest(id.member, "%s is required and may have at most %d bytes.", id.member, contracts.LimitSessionKey)
		}
	}
	messages := []runMessage{}
	for _, m := range in.Messages {
		switch m.Role {
		case "user", "system", "developer":
			messages = append(messages, m)
		case "assistant":
			if kind := m.Content.Kind(); kind == '"' || kind == '[' { // a message without content only called tools
				messages = append(messages, m)
			}
		}
	}
	body, err := json.Marshal(map[string]any{"messages": messages})
	if err != nil {
		return in, nil, asProblem(err)
	}
	req, bad := completion.Read(body)
	if bad != nil {
		return in, nil, asProblem(bad)
	}
	return in, req, nil
}

// run encodes a turn as AG-UI events.
type run struct {
	in             runInput
	message        string
	messageStarted bool
}

type runEvent struct {
	Type      string `json:"type"`
	ThreadID  string `json:"threadId,omitzero"`
	RunID     string `json:"runId,omitzero"`
	MessageID string `json:"messageId,omitzero"`
	Role      string `json:"role,omitzero"`
	Delta     string `json:"delta,omitzero"`
	Message   string `json:"message,omitzero"`
	Code      string `json:"code,omitzero"`
}

// Begin returns the start event.
func (o *run) Begin() []byte {
	return o.encode(runEvent{Type: "RUN_STARTED", ThreadID: o.in.ThreadID, RunID: o.in.RunID})
}

// Text returns the event for a piece of the message, preceded by the start event if it is the first
// piece.
func (o *run) Text(text string) (frames []byte) {
	if !o.messageStarted {
		o.messageStarted = true
		frames = o.encode(runEvent{Type: "TEXT_MESSAGE_START", MessageID: o.message, Role: "assistant"})
	}
	return append(frames, o.encode(runEvent{Type: "TEXT_MESSAGE_CONTENT", MessageID: o.message, Delta: text})...)
}

// Alive returns a comment that keeps the connection open.
func (o *run) Alive() []byte { return []byte(": keep-alive\n\n") }

// End returns the events that end the message, if any, and the run.
func (o *run) End(drive.Answer) []byte {
	return append(o.close(), o.encode(runEvent{Type: "RUN_FINISHED", ThreadID: o.in.ThreadID, RunID: o.in.RunID})...)
}

// Fail returns the event that ends the message, if any, and the error event.
func (o *run) Fail(p *problem) []byte {
	return append(o.close(), o.encode(runEvent{Type: "RUN_ERROR", Message: p.Message, Code: p.Code})...)
}

func (o *run) close() []byte {
	if !o.messageStarted {
		return nil
	}
	return o.encode(runEvent{Type: "TEXT_MESSAGE_END", MessageID: o.message})
}

func (o *run) encode(e runEvent) []byte {
	body, err := json.Marshal(e, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return event(asProblem(err).body())
	}
	return event(body)
}
