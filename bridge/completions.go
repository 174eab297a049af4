package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/turn"
)

// headerIgnored is the response header that lists the ignored parameters and members.
const headerIgnored = "Bullpen-Ignored"

// ServeCompletions handles POST /v1/chat/completions.
func (b *Bridge) ServeCompletions(w http.ResponseWriter, r *http.Request) {
	req, refused := readWith(r, completion.Read)
	var send *sender
	if refused == nil {
		send, refused = b.open(w, r, req)
	}
	if refused != nil {
		refused.write(w)
		return
	}
	defer send.turn.Leave()
	out := &chunks{id: "chatcmpl-" + b.cfg.NewUUID(), created: b.cfg.Now().Unix(), model: send.model, usage: req.Usage, whole: r.URL.Query().Get("buffer") == "1"}
	if req.Stream {
		send.stream(r.Context(), out)
	} else {
		send.whole(r.Context(), out.completion, (*problem).write)
	}
}

// open submits a request and returns the sender of its answer. The response header lists the
// ignored parameters and members. The caller must call Leave on the sender's turn.
func (b *Bridge) open(w http.ResponseWriter, r *http.Request, req *completion.Request) (*sender, *problem) {
	t, q, refused := b.begin(r, req, retryOf(r.Header))
	if refused != nil {
		return nil, refused
	}
	if len(q.ask.Ignored) > 0 {
		w.Header().Set(headerIgnored, strings.Join(q.ask.Ignored, ", "))
	}
	return &sender{bridge: b, turn: t, w: w, model: cmp.Or(req.Model, modelPrefix+q.addr.agent)}, nil
}

// begin submits a request to its conversation and attaches the caller to the returned turn. Leave
// must be called on that turn.
func (b *Bridge) begin(r *http.Request, req *completion.Request, join turn.Join) (*turn.Turn, question, *problem) {
	a, caps, refused := b.address(r, req)
	if refused != nil {
		return nil, question{}, refused
	}
	ask, bad := req.Ask(caps, a.byHeader)
	if bad != nil {
		return nil, question{}, asProblem(bad)
	}
	join.Retry = ask.Retry
	q := question{addr: a, ask: ask, prompt: b.prompt(a, ask.Text), root: completion.Root(gate.PrincipalFrom(r).ID, a.agent, req.Model, a.workspace)}
	q.whole = q.root.Then(ask.Messages...)
	t, err := b.submit(join, &q)
	if err != nil {
		return nil, q, b.refusal(err, a)
	}
	return t, q, nil
}

// address returns the address of a request, and the capabilities of the agent at that address. It
// refuses a request for an agent that the caller may not use or that cannot be reached.
func (b *Bridge) address(r *http.Request, req *completion.Request) (address, drive.Capabilities, *problem) {
	who := gate.PrincipalFrom(r)
	a, refused := addressOf(r.Header, req, b.defaultAgent(who), b.newChat)
	if refused == nil && !allows(who.AgentID, a.agent) {
		refused = notAllowed(who.AgentID)
	}
	if refused != nil {
		return a, drive.Capabilities{}, refused
	}
	return b.reachable(r.Context(), a)
}

// refusal converts the error for a rejected question to an OpenAI error.
func (b *Bridge) refusal(err error, a address) *problem {
	switch {
	case errors.Is(err, turn.ErrWorkspace):
		return badRequest(headerWorkspace, "This conversation is bound to another workspace. Omit the workspace, or use another chat.")
	case errors.Is(err, turn.ErrQueue):
		return tooMany("%d turns are already waiting for %s. Try again later.", contracts.LimitBridgeQueue, a.key())
	}
	return asProblem(err)
}

// prompt returns the prompt that the office records and shows for a question.
func (b *Bridge) prompt(a address, text string) drive.Prompt {
	return drive.Prompt{Text: text, ChatID: a.chat, MessageID: b.cfg.NewUUID(), TS: b.cfg.Now().UnixMilli()}
}

// readBody reads a request body. It refuses a body that is too large.
func readBody(r *http.Request) ([]byte, *problem) {
	body, err := io.ReadAll(io.LimitReader(r.Body, contracts.LimitBody+1))
	var large *http.MaxBytesError
	if err != nil && !errors.As(err, &large) {
		return nil, badRequest("", "The body could not be read: %v.", err)
	}
	if large != nil || len(body) > contracts.LimitBody {
		return nil, &problem{status: http.StatusRequestEntityTooLarge, Type: typeInvalid, Code: "request_too_large",
			Message: fmt.Sprintf("The body exceeds %d bytes.", contracts.LimitBody)}
	}
	return body, nil
}

// readWith reads a request with its protocol's read function.
func readWith[R any](r *http.Request, read func(body []byte) (R, *completion.Error)) (req R, refused *problem) {
	body, refused := readBody(r)
	if refused != nil {
		return req, refused
	}
	req, bad := read(body)
	if bad != nil {
		return req, asProblem(bad)
	}
	return req, nil
}

// defaultAgent returns the agent for a caller that names none: the agent of the caller's token,
// else the configured agent.
func (b *Bridge) defaultAgent(who contracts.Principal) string {
	return cmp.Or(who.AgentID, b.cfg.DefaultAgent)
}

// reachable returns the address with its workspace resolved, and the agent's capabilities. A
// request that cannot be dispatched is refused here, before any response header is sent. If the
// office has a program for the agent, that program must be allowed to use the named workspace, even
// while a connected peer is serving the session.
func (b *Bridge) reachable(ctx context.Context, a address) (address, drive.Capabilities, *problem) {
	r, err := b.cfg.Engine.Route(ctx, a.key())
	found := err == nil
	if found && a.workspace != "" && r.Confine != nil {
		path, confined, err := r.Confine(a.workspace)
		if err != nil {
			return a, drive.Capabilities{}, badRequest(headerWorkspace, "The workspace cannot be used: %v.", err)
		}
		a.workspace, a.confined = path, confined
	}
	switch {
	case found && r.External:
		return a, drive.CapabilitiesOf(r.Driver), nil
	case (found || !a.byModel) && !callable(a.agent):
		return a, drive.Capabilities{}, badRequest(headerAgent, "Invalid agent id %q. Use letters and digits, with spaces, dots, underscores or hyphens between them, at most %d bytes.", contracts.Clip(a.agent, contracts.LimitName), contracts.LimitName)
	case found:
		return a, drive.CapabilitiesOf(r.Driver), nil
	case !a.named() && errors.Is(err, turn.ErrUnclaimed):
		return a, drive.Capabilities{}, unavailable("Agent %s accepts only conversations that it has claimed by name. Name one of them with user: \"%s::CHAT\".", a.agent, a.agent)
	case a.byModel:
		return a, drive.Capabilities{}, noModel(a.agent)
	}
	return a, drive.Capabilities{}, unavailable("Agent %s is not connected, and no program is configured for it. Start it, or choose another agent: GET /v1/models lists them.", a.agent)
}

// retryOf returns the identity that retries of one request share: an idempotency key or, if there
// is none, a trace id.
func retryOf(h http.Header) turn.Join {
	if key := h.Get("Idempotency-Key"); key != "" {
		return turn.Join{ID: "key " + key, Explicit: true}
	}
	parts := strings.Split(h.Get("Traceparent"), "-")
	if len(parts) == 4 && len(parts[1]) == 32 && strings.Trim(parts[1], "0") != "" {
		return turn.Join{ID: "trace " + parts[1]}
	}
	return turn.Join{}
}

// asProblem converts the error of a failed turn to an OpenAI error. A program's stderr is left out:
// it may name files, accounts and settings on the machine.
func asProblem(err error) *problem {
	p := problemOf(err)
	var exit *drive.ExitError
	if errors.As(err, &exit) && exit.Stderr != "" {
		p.Message = strings.ReplaceAll(p.Message, exit.Error(), exit.Status)
	}
	return p
}

func problemOf(err error) *problem {
	var p *problem
	var bad *completion.Error
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &bad):
		return &problem{status: http.StatusBadRequest, Type: typeInvalid, Param: bad.Param, Code: bad.Code, Message: bad.Message}
	case errors.Is(err, drive.ErrUnsupported):
		return &problem{status: http.StatusBadRequest, Type: typeInvalid, Code: "unsupported_parameter", Message: err.Error() + "."}
	case errors.Is(err, drive.ErrTooLong):
		return &problem{status: http.StatusBadRequest, Type: typeInvalid, Code: codeLength, Message: err.Error() + "."}
	case errors.Is(err, drive.ErrUnreachable):
		return unavailable("The turn did not start: %v. Try again later.", err)
	case errors.Is(err, drive.ErrGone):
		return &problem{status: http.StatusBadGateway, Type: typeServer, Code: "agent_disconnected", Message: fmt.Sprintf("The turn ended early: %v. Try again.", err)}
	case errors.Is(err, turn.ErrClosing):
		return closing()
	case errors.Is(err, turn.ErrOpen):
		return tooMany("Too many conversations (%d). Try again later.", contracts.LimitBridgeSessions)
	case errors.Is(err, turn.ErrCallers):
		return tooMany("Too many callers (%d) are already waiting for this turn. Try again later.", contracts.LimitBridgeCallers)
	case errors.Is(err, turn.ErrReused):
		return &problem{status: http.StatusUnprocessableEntity, Type: typeInvalid, Code: "idempotency_key_reused",
			Message: "This Idempotency-Key was used for another request. Use a new key for each request."}
	case errors.Is(err, turn.ErrStopped): // no client retries this status and type automatically
		return &problem{status: http.StatusUnprocessableEntity, Type: typeInvalid, Code: "turn_stopped", Message: "A person in the office stopped the turn."}
	case errors.Is(err, turn.ErrOrphaned), errors.Is(err, context.Canceled):
		return &problem{status: http.StatusServiceUnavailable, Type: typeServer, Code: "turn_stopped", Message: "The turn was stopped. Try again."}
	}
	return &problem{status: http.StatusBadGateway, Type: typeServer, Code: "agent_error", Message: err.Error()}
}
