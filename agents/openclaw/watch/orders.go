package watch

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/agents/openclaw/translate"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// order is a person's order to an agent.
type order struct {
	guestID string
	key     string // the session's key
	what    string // stop or new_session
}

// followOrders receives orders from the office until ctx is done.
func (f *Follower) followOrders(ctx context.Context) {
	err := f.cfg.Office.Orders(ctx, translate.Source, func(h contracts.HUD) error {
		o, ok := f.orderOf(h)
		if !ok {
			return nil
		}
		select {
		case f.orders <- o:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	if err != nil && ctx.Err() == nil && !errors.Is(err, context.Canceled) {
		f.cfg.Log.Error("order stream ended; stop and new_session do not work for this gateway until the office is restarted", "gateway", f.gateway.Name, "error", err)
	}
}

// orderOf returns the order in a record, or false if the record is not an order for one of this
// gateway's agents. The office forwards only orders that the director recorded after it had checked
// that the person is allowed to give them.
func (f *Follower) orderOf(h contracts.HUD) (order, bool) {
	key := f.gateway.Key(h.Session)
	switch hud.Subtype(h.Subtype) {
	case hud.SubtypeStop, hud.SubtypeNewSession:
		return order{guestID: h.AgentID, key: key, what: h.Subtype}, key != ""
	}
	return order{}, false
}

// carryOut sends an order to the gateway. The gateway's next events show success; a failure is
// recorded.
func (v *connection) carryOut(ctx context.Context, o order) {
	if v.cfg.ReadOnly {
		v.refuse(ctx, o, "this gateway is read-only (--openclaw-watch)")
		return
	}
	if o.what == string(hud.SubtypeNewSession) {
		v.request("sessions.reset", map[string]any{"key": o.key}, v.outcome(o))
		return
	}
	keys := v.reader.Running(o.guestID)
	if len(keys) == 0 {
		keys = []string{o.key}
	}
	for _, key := range keys {
		v.request("chat.abort", map[string]any{"sessionKey": key}, v.outcome(o))
	}
}

func (v *connection) outcome(o order) func(context.Context, translate.Frame) {
	return func(ctx context.Context, f translate.Frame) {
		var done struct {
			Aborted *bool `json:"aborted"`
		}
		switch {
		case !f.OK && f.Error != nil:
			v.refuse(ctx, o, refusalWords(f.Error))
		case translate.Decode(f.Payload, &done) == nil && done.Aborted != nil && !*done.Aborted:
			v.refuse(ctx, o, "nothing was running")
		}
	}
}

// refusalWords describes why a gateway rejected an order, and names the missing scope if there is
// one.
func refusalWords(e *translate.Error) string {
	if e.Details.MissingScope != "" {
		return fmt.Sprintf("the gateway does not allow this: this device lacks the %s scope; approve it with `openclaw devices approve`", contracts.CleanLine(e.Details.MissingScope))
	}
	return "the gateway does not allow this: " + contracts.CleanLine(e.Message)
}

// refuse records that an order was not carried out.
func (f *Follower) refuse(ctx context.Context, o order, reason string) {
	source := hud.Source{AgentID: o.guestID, Session: f.reader.SessionName(o.key)}
	payload := hud.Value(map[string]string{"refused": o.what, "reason": hud.Line(reason, contracts.LimitNote)})
	h := hud.Received(source, uuid.NewString(), hud.SubtypeMessage, o.what+" was not carried out: "+reason, payload)
	f.cfg.Log.Warn("order not carried out", "gateway", f.gateway.Name, "agent", o.guestID, "order", o.what, "reason", reason)
	f.record(ctx, contracts.HUDSeen{HUD: h})
}
