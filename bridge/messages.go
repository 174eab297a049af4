package bridge

import (
	"net/http"

	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/bridge/messages"
	"github.com/bullpen-office/bullpen/gate"
)

// headerEstimated is the response header that lists the members of the body that are estimates.
const headerEstimated = "Bullpen-Estimated"

// ServeMessages handles POST /v1/messages.
func (b *Bridge) ServeMessages(w http.ResponseWriter, r *http.Request) {
	req, refused := readMessages(r)
	var send *sender
	if refused == nil {
		send, refused = b.open(w, r, req)
	}
	if refused != nil {
		refused.writeAnthropic(w)
		return
	}
	defer send.turn.Leave()
	out := message{messages.Message{ID: "msg_" + b.cfg.NewUUID(), Model: send.model}}
	if req.Stream {
		send.stream(r.Context(), out)
	} else {
		send.whole(r.Context(), out.Whole, (*problem).writeAnthropic)
	}
}

// ServeCountTokens handles POST /v1/messages/count_tokens. The response marks the count as an
// estimate.
func (b *Bridge) ServeCountTokens(w http.ResponseWriter, r *http.Request) {
	req, refused := readMessages(r)
	if refused == nil {
		_, _, refused = b.address(r, req)
	}
	if refused != nil {
		refused.writeAnthropic(w)
		return
	}
	w.Header().Set(headerEstimated, "input_tokens")
	gate.Answer(w, http.StatusOK, tokenCount{messages.Estimate(req.Messages), true})
}

type tokenCount struct {
	Input     int  `json:"input_tokens"`
	Estimated bool `json:"estimated"`
}

// refuseMessagesMethod responds to a method that an Anthropic endpoint does not support.
func refuseMessagesMethod(w http.ResponseWriter, r *http.Request) {
	refuseMethod(w, r, (*problem).writeAnthropic)
}

func readMessages(r *http.Request) (*completion.Request, *problem) {
	return readWith(r, messages.Read)
}

// message encodes a turn as an Anthropic message.
type message struct{ messages.Message }

// Fail returns the last event of a turn that failed.
func (o message) Fail(p *problem) []byte { return o.Message.Fail(p.anthropic()) }
