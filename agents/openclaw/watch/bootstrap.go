package watch

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/openclaw/translate"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
)

// bootstrap requests the agents, their sessions and history, and the pending approvals.
func (v *connection) bootstrap() {
	v.requestWithRetry("agents.list", struct{}{}, v.listed)
}

func (v *connection) listed(ctx context.Context, f translate.Frame) {
	if found, err := v.reader.Agents(f.Payload, v.now()); !f.OK || err != nil {
		v.logFailure("agents.list", f, err)
	} else {
		v.handleFindings(ctx, found)
	}
	ids := v.reader.GuestIDs()
	v.set(func(s *agents.Link) { s.People = len(ids) })
	for _, id := range ids {
		v.cfg.Roster.AddEvidence(ctx, id, status.Evidence{Source: contracts.FromGateway, Claim: status.Present, Says: "listed by gateway " + v.gateway.Name, At: v.now()})
	}
	v.requestWithRetry("sessions.subscribe", map[string]any{"limit": contracts.LimitGatewayReplays}, v.subscribed)
	if !v.cfg.ReadOnly && v.supports("exec.approval.list") {
		v.requestWithRetry("exec.approval.list", struct{}{}, v.approvals)
	}
}

// logFailure logs an error response. The next connection sends the request again.
func (v *connection) logFailure(method string, f translate.Frame, err error) {
	if f.Error != nil {
		err = f.Error
	}
	v.cfg.Log.Warn("gateway request failed", "gateway", v.gateway.Name, "method", method, "error", err)
}

// subscribed handles the list of sessions, and queues the histories of sessions that may have
// changed.
func (v *connection) subscribed(ctx context.Context, f translate.Frame) {
	list, found, err := v.reader.Sessions(f.Payload, v.now())
	if !f.OK || err != nil {
		v.logFailure("sessions.subscribe", f, err)
		return
	}
	v.handleFindings(ctx, found)
	v.endMissedTurns(ctx, list)
	since := v.cfg.Now().Add(-contracts.SessionFreshness)
	if v.connections > 1 {
		since = v.lostAt.Add(-overlap)
	}
	slices.SortFunc(list, func(a, b translate.Session) int { return cmp.Compare(b.UpdatedAt, a.UpdatedAt) })
	var chosen []translate.Session
	for _, s := range list {
		if (s.Active || s.UpdatedAt >= since.UnixMilli() || v.reader.Busy(s.Key)) && len(chosen) < contracts.LimitGatewayReplays {
			chosen = append(chosen, s)
		}
	}
	slices.Reverse(chosen) // oldest first
	for _, s := range chosen {
		if v.connections > 1 {
			v.recordReconnect(ctx, s.Key)
		}
		v.histories = append(v.histories, s.Key)
	}
	v.nextHistory()
}

// endMissedTurns reports agents without an active run as idle: otherwise an agent whose turn ended
// during a disconnection would look busy until it times out.
func (v *connection) endMissedTurns(ctx context.Context, list []translate.Session) {
	for _, id := range v.reader.GuestIDs() {
		active := slices.ContainsFunc(list, func(s translate.Session) bool { return s.Active && v.reader.SourceOf(s.Key).AgentID == id })
		if active || len(v.reader.Running(id)) > 0 {
			continue
		}
		v.cfg.Roster.AddEvidence(ctx, id, status.Evidence{Source: contracts.FromGateway, Claim: status.TurnEnded, Says: "gateway " + v.gateway.Name + " reports no active run", At: v.now()})
	}
}

// overlap allows for clocks that differ: after a reconnect, the histories of sessions that changed
// up to this long before the disconnection are read again too.
const overlap = 5 * time.Minute

func (v *connection) recordReconnect(ctx context.Context, key string) {
	source := v.reader.SourceOf(key)
	if source.AgentID != "" {
		v.record(ctx, contracts.HUDSeen{HUD: hud.ReceivedReconnect(source, uuid.NewString(), key)})
	}
}

// reread queues a history to be read again, after a pause if it was read recently.
func (v *connection) reread(key string) {
	switch {
	case slices.Contains(v.histories, key), slices.Contains(v.deferred, key):
	case v.cfg.Now().Sub(v.rereadAt[key]) < rereadPause:
		v.deferred = append(v.deferred, key)
	default:
		v.histories = append(v.histories, key)
		v.nextHistory()
	}
}

// nextHistory requests the next queued history, one at a time, so that live events are not delayed.
func (v *connection) nextHistory() {
	if v.reading || len(v.histories) == 0 {
		return
	}
	key := v.histories[0]
	v.histories = v.histories[1:]
	if len(v.rereadAt) > contracts.LimitGatewaySessions {
		clear(v.rereadAt)
	}
	v.reading, v.rereadAt[key] = true, v.cfg.Now()
	v.requestWithRetry("chat.history", map[string]any{"sessionKey": key, "limit": contracts.LimitGatewayHistory}, func(ctx context.Context, f translate.Frame) {
		v.reading = false
		found, err := v.reader.History(f.Payload, today(v.cfg.Now()), v.now())
		if !f.OK || err != nil {
			v.logFailure("chat.history", f, err)
		} else {
			v.handleFindings(ctx, found)
		}
		v.nextHistory()
	})
}

// today returns the start of the current UTC day in Unix milliseconds. The cost table also uses UTC.
func today(now time.Time) int64 { return now.UTC().Truncate(24 * time.Hour).UnixMilli() }
