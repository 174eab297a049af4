package outpost

import (
	"context"
	"fmt"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// join starts the outpost's first life. While the office cannot be reached, it keeps trying; any
// other failure is an error.
func (o *Office) join(ctx context.Context) error {
	for retry := newRetry(); ; {
		err := o.synchronize(ctx)
		if err == nil {
			return nil
		}
		if isPermanent(err) || ctx.Err() != nil {
			return err
		}
		o.markOffline(err)
		if err := retry.Wait(ctx); err != nil {
			return err
		}
	}
}

// Run maintains the connection until ctx is done: it sends heartbeats and stored entries. It
// returns an error if the office no longer accepts the outpost.
func (o *Office) Run(ctx context.Context) error {
	retry := newRetry()
	wait, stored := contracts.OutpostHeartbeat, o.stored
	for {
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-stored:
			timer.Stop()
		case <-timer.C:
		}
		switch err := o.synchronize(ctx); {
		case ctx.Err() != nil:
			return nil
		case isPermanent(err):
			o.setProblem(err)
			return err
		case err != nil:
			o.markOffline(err)
			wait, stored = retry.Next(), nil
		default:
			retry.Reset()
			wait, stored = contracts.OutpostHeartbeat, o.stored
		}
	}
}

// synchronize makes sure that the outpost has a life, and sends the entries in the spool.
func (o *Office) synchronize(ctx context.Context) error {
	life := o.currentLife()
	state, err := o.link.state(ctx, life)
	if err != nil {
		return err
	}
	renewed := life == "" || state.Life != life
	if renewed {
		reply, err := o.link.start(ctx, o.watches)
		if err != nil {
			return err
		}
		life = reply.Life
	}
	o.setState(life, state)
	if err := o.drain(ctx, life); err != nil {
		return err
	}
	if renewed {
		o.renewed()
	}
	return nil
}

func (o *Office) currentLife() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.life
}

// setState stores the state that the office sent for a life. For the first life, it also sets the
// record after which orders are read.
func (o *Office) setState(life string, state contracts.OutpostState) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.life == "" { // the first life
		o.orders = state.Seq
		for _, a := range state.Agents {
			o.profiles[a.AgentID] = a.AgentProfile
		}
	}
	o.life, o.state = life, state
}

// drain sends everything in the spool; from then on facts are sent directly.
func (o *Office) drain(ctx context.Context, life string) error {
	sent := 0
	for {
		e, number, ok, err := o.spool.first()
		switch {
		case err != nil:
			o.log.Error("stored facts lost", "error", err)
			continue
		case !ok:
			if sent > 0 {
				o.log.Info("stored facts sent", "entries", sent)
			}
			o.setProblem(nil)
			return nil
		}
		if err := o.deliver(ctx, life, e); err != nil {
			return err
		}
		if err := o.spool.remove(number); err != nil {
			return err
		}
		sent++
	}
}

// deliver sends a stored entry. A fact that the office refuses is dropped.
func (o *Office) deliver(ctx context.Context, life string, e entry) error {
	if e.Blob != nil {
		return o.ignoreRejected(o.link.blob(ctx, e.Blob))
	}
	replies, err := o.link.facts(ctx, life, e)
	if err != nil {
		return o.ignoreRejected(err)
	}
	for i, r := range replies {
		switch {
		case unrecorded(r):
			return r.Refusal
		case r.Refusal != nil:
			o.log.Warn("stored fact refused", "error", r.Refusal)
		case e.Withdraw && r.Result.DecisionID != "":
			if err := o.withdraw(ctx, life, r.Result.DecisionID, fmt.Sprintf("%s.%d", e.Key, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// ignoreRejected returns nil if err means that the office can never accept the entry, so that the
// entry is not sent again; otherwise it returns err.
func (o *Office) ignoreRejected(err error) error {
	if rejected(err) {
		o.log.Error("stored facts refused; they are lost", "error", err)
		return nil
	}
	return err
}

// withdraw ends a question whose reply was lost.
func (o *Office) withdraw(ctx context.Context, life, decisionID, key string) error {
	parts := split([]contracts.Fact{contracts.AskWithdrawn{DecisionID: decisionID, Reason: "the connection to the office was lost; answer in the terminal"}})
	replies, err := o.link.facts(ctx, life, entry{Key: key, Facts: parts[0].encoded})
	if err == nil && unrecorded(replies[0]) {
		err = replies[0].Refusal
	}
	return err
}

// State returns the part of the office's state that the roster needs: the outpost's agents with
// their questions, and the names of the other agents.
func (o *Office) State() (s contracts.Snapshot) {
	o.mu.Lock()
	defer o.mu.Unlock()
	s.Agents = append(s.Agents, o.state.Agents...)
	for _, name := range o.state.Names {
		s.Agents = append(s.Agents, contracts.Agent{AgentProfile: contracts.AgentProfile{Name: name}})
	}
	s.Decisions = o.state.Decisions
	return s
}

// streams sends text until ctx is done. Text is dropped while the office cannot be reached.
func (o *Office) streams(ctx context.Context) error {
	for {
		var batch []contracts.StreamDelta
		select {
		case <-ctx.Done():
			return nil
		case d := <-o.deltas:
			batch = append(batch, d)
		}
		for len(o.deltas) > 0 && len(batch) < contracts.LimitOutpostDeltas {
			batch = append(batch, <-o.deltas)
		}
		if _, ok := o.online(); !ok {
			continue
		}
		if err := o.link.stream(ctx, batch); err != nil {
			o.log.Debug("streamed text not sent", "error", err)
		}
	}
}
