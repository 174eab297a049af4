package bridge

import (
	"net/http"

	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/bridge/responses"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/gate"
)

// ServeResponses handles POST /v1/responses.
func (b *Bridge) ServeResponses(w http.ResponseWriter, r *http.Request) {
	owner := gate.PrincipalFrom(r).ID
	req, refused := b.readResponse(r, owner)
	var send *sender
	if refused == nil {
		send, refused = b.open(w, r, &req.Request)
	}
	if refused != nil {
		refused.write(w)
		return
	}
	defer send.turn.Leave()
	out := &response{
		Stream: responses.Stream{Response: responses.Response{ID: "resp_" + b.cfg.NewUUID(), Message: "msg_" + b.cfg.NewUUID(), Created: b.cfg.Now().Unix(), Model: send.model, Request: req}},
		bridge: b, owner: owner,
	}
	if req.Stream {
		send.stream(r.Context(), out)
	} else {
		send.whole(r.Context(), out.whole, (*problem).write)
	}
}

func (b *Bridge) readResponse(r *http.Request, owner string) (*responses.Request, *problem) {
	return readWith(r, func(body []byte) (*responses.Request, *completion.Error) {
		return responses.Read(body, func(id string) ([]drive.Message, bool) {
			b.mu.Lock()
			defer b.mu.Unlock()
			return b.store.Get(owner, id)
		})
	})
}

// response encodes a turn as an OpenAI response. It also stores the conversation, including that
// turn.
type response struct {
	responses.Stream
	bridge *Bridge
	owner  string
}

func (o *response) whole(a drive.Answer) ([]byte, error) {
	o.keep(a.Text)
	return o.Response.Whole(a)
}

// End returns the last events of a turn that succeeded. The caller can continue the response as soon
// as it has read them.
func (o *response) End(a drive.Answer) []byte {
	o.keep(o.Said())
	return o.Stream.End(a)
}

// Fail returns the last event of a turn that failed, with one of the codes that OpenAI's clients
// recognize. Clients retry a failed response unless its code is invalid_prompt.
func (o *response) Fail(p *problem) []byte {
	code := p.Type
	switch {
	case p.Code == codeLength, p.Type == typeLimit:
		code = p.Code
	case p.Type == typeInvalid:
		code = "invalid_prompt"
	}
	return o.Stream.Fail(code, p.Message)
}

// keep stores the conversation if the caller wants to continue it. The response then reports
// whether the conversation was stored.
func (o *response) keep(answer string) {
	req := o.Response.Request
	if !req.Store {
		return
	}
	o.bridge.mu.Lock()
	defer o.bridge.mu.Unlock()
	req.Store = o.bridge.store.Put(o.owner, o.Response.ID, req.Conversation(answer))
}
