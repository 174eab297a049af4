package peers

import (
	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
)

// onPermissionRequest forwards a peer's permission request to a person. The turn continues while the
// person decides, and the decision goes to the connection that is open by then. The refusal may be
// about an earlier answer that was still held when the request arrived; see onReply.
func (p *peer) onPermissionRequest(f *frame) (refusal *contracts.Refusal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	x := p.waiting
	switch {
	case f.RequestID == "" || f.Tool == "":
		return contracts.RefuseField("request_id", "a permission request needs an id and the name of its tool")
	case x == nil:
		return contracts.Refuse(contracts.CodeConflict, "no turn is waiting for this permission request; answer it where the agent runs")
	case x.asks >= contracts.LimitPeerAsks:
		return contracts.Refuse(contracts.CodeRateLimited, "too many open permission requests in this turn (%d)", x.asks)
	}
	if x.heldComplete { // the peer is working on this turn, so the held text was late
		x.drop()
		refusal = contracts.Refuse(contracts.CodeConflict, errLate)
	}
	args, err := json.Marshal(map[string]string{"description": f.Description, "input_preview": f.Preview})
	if err != nil {
		return contracts.RefuseField("input_preview", "the request must be text")
	}
	request := contracts.Permission{Tool: f.Tool, Args: args, CallID: contracts.Clip(f.RequestID, contracts.LimitID), Label: f.Tool + ": " + f.Description}
	x.asks++
	p.peers.running.Go(func() {
		defer func() {
			p.mu.Lock()
			x.asks--
			p.mu.Unlock()
		}()
		answer := &frame{Type: "permission", RequestID: f.RequestID, Behavior: "deny"}
		if verdict, err := x.sink.Permit(x.ctx, request); err == nil && verdict.Allow {
			answer.Behavior = "allow"
		} else if err != nil {
			return // no answer: the peer still asks where it runs
		}
		p.answer(answer)
	})
	return refusal
}

// answer sends a frame if the peer is connected.
func (p *peer) answer(f *frame) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.socket != nil {
		p.socket.send(f)
	}
}
