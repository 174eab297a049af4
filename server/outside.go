package server

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/world"
)

// outside is what the crew does for callers of the bridge. The office itself begins
// and ends these turns, so nothing of it decays: it is so until it is over.
type outside struct {
	mu    sync.Mutex
	turns map[string][]*outsideTurn        // that are open, by agent, the oldest first
	told  map[string]contracts.AgentStatus // what is recorded of whoever works for callers
	wake  chan struct{}
}

// outsideTurn is a turn with everything in it that has begun and not ended.
type outsideTurn struct{ open []status.Evidence }

const outsideRetry = time.Second // until what the office did not take is told again

// openOutside takes over what the last life of the server recorded: nobody works on
// that any more.
func (s *Server) openOutside() {
	s.outside = &outside{turns: map[string][]*outsideTurn{}, told: map[string]contracts.AgentStatus{}, wake: make(chan struct{}, 1)}
	s.hub.Look(func(w *world.World) {
		for _, a := range w.Agents() {
			if !a.Guest() && a.Status != nil {
				s.outside.told[a.AgentID] = *a.Status
			}
		}
	})
}

// saw notes what begins and ends in a turn of somebody of the crew.
func (o *outside) saw(agent string, t *outsideTurn, e status.Evidence) {
	ended := func(what status.Claim) {
		t.open = slices.DeleteFunc(t.open, func(began status.Evidence) bool { return began.Claim == what && began.Call == e.Call })
	}
	o.mu.Lock()
	switch e.Claim {
	case status.TurnStarted:
		o.turns[agent] = append(o.turns[agent], t)
		t.open = append(t.open, e)
	case status.ToolStarted, status.Asked:
		t.open = append(t.open, e)
	case status.ToolEnded:
		ended(status.ToolStarted)
	case status.Answered:
		ended(status.Asked)
	case status.TurnEnded:
		o.turns[agent] = slices.DeleteFunc(o.turns[agent], func(have *outsideTurn) bool { return have == t })
		if len(o.turns[agent]) == 0 {
			delete(o.turns, agent)
		}
	}
	o.mu.Unlock()
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// explain says what somebody of the crew does for callers; it is false when that is
// nothing.
func (o *outside) explain(agent string) (intake.Explanation, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.verdict(agent)
	return intake.Explanation{
		AgentID: agent, Activity: s.Activity, Authority: s.Authority, Why: s.Why, Line: s.Line, Since: s.Since, Evidence: s.Evidence,
	}, s.Activity != contracts.ActivityIdle
}

// verdict is what the open turns of somebody say together. The caller holds the lock.
func (o *outside) verdict(agent string) contracts.AgentStatus {
	var open []status.Evidence
	for _, t := range o.turns[agent] {
		open = append(open, t.open...)
	}
	s, ok := status.Held(open)
	if !ok {
		s = contracts.AgentStatus{Activity: contracts.ActivityIdle, Why: "Idle: no caller waits (stream)", Authority: contracts.FromStream}
	}
	s.AgentID = agent
	return s
}

// changed are those of whom something else is recorded than what they do.
func (o *outside) changed() (list []contracts.AgentStatus) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for agent := range o.turns {
		if s := o.verdict(agent); s.Activity != o.told[agent].Activity {
			list = append(list, s)
		}
	}
	for agent := range o.told {
		if o.turns[agent] == nil {
			list = append(list, o.verdict(agent))
		}
	}
	return list
}

func (o *outside) recorded(s contracts.AgentStatus) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.told[s.AgentID] = s; s.Activity == contracts.ActivityIdle {
		delete(o.told, s.AgentID)
	}
}

// tellOutside records what the crew does for callers whenever that changes.
func (s *Server) tellOutside(ctx context.Context) error {
	again := time.NewTimer(0)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.outside.wake:
		case <-again.C:
		}
		for _, now := range s.outside.changed() {
			no := s.office.Tell(ctx, contracts.StatusSeen{Status: now})[0].Refusal
			if no != nil && no.Code == contracts.CodeInternal {
				again.Reset(outsideRetry)
				continue
			}
			if no != nil {
				s.cfg.Log.Warn("what somebody of the crew does for callers was refused", "agent", now.AgentID, "error", no)
			}
			s.outside.recorded(now)
		}
	}
}
