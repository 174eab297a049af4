package sim

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
)

// ask sends a command over the socket and returns the reply; ok is false if none arrived. The
// viewer reads only while it waits for a reply, so the hub may drop it between commands.
func (v *viewer) ask(ctx context.Context, cmd contracts.Command) (reply contracts.Reply, ok bool) {
	v.asked, v.reply = cmd.ID, nil
	if v.conn == nil {
		if v.connect(ctx) != nil {
			return reply, false
		}
	}
	limit, _ := ctx.Deadline()
	_ = v.conn.SetDeadline(limit)
	err := v.send(contracts.TypeCommand, cmd.ID, struct {
		Name contracts.CommandName `json:"name"`
		Data contracts.CommandData `json:"data"`
	}{cmd.Data.CommandName(), cmd.Data})
	for err == nil && v.reply == nil {
		err = v.next()
	}
	if err != nil {
		v.hangUp()
		return reply, false
	}
	_ = v.conn.SetDeadline(time.Time{})
	return *v.reply, true
}

// hangUp closes the connection, if there is one.
func (v *viewer) hangUp() {
	if v.conn != nil {
		_ = v.conn.Close()
		v.conn = nil
	}
}

// answered processes the reply to the waiting command. The reply must arrive before the records
// that the command caused.
func (v *viewer) answered(m message) error {
	var p struct {
		contracts.Ack     `json:",inline"`
		contracts.Refusal `json:",inline"`
	}
	if err := json.Unmarshal(m.Payload, &p); err != nil {
		return err
	}
	switch {
	case p.InReplyTo == "" || p.InReplyTo != v.asked:
		v.addError("unexpected %s %s", m.Type, m.Payload)
	case m.Type == contracts.TypeError:
		v.reply = &contracts.Reply{Refusal: &p.Refusal, Duplicate: p.Duplicate}
	default:
		v.reply = &contracts.Reply{Seq: p.Seq, Duplicate: p.Duplicate, Result: p.Result}
		if !p.Duplicate && len(v.stretches) > 0 && v.last().upTo >= p.Seq {
			v.addError("the reply to %s with seq %d arrived after record %d", v.asked, p.Seq, v.last().upTo)
		}
	}
	return nil
}
