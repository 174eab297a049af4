package watch

import (
	"context"
	"time"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/intake"
)

// results collects the results of several tasks, in order, so that they are recorded together.
type results struct{ items []item }

// item is the result of one task for one agent.
type item struct {
	p          *tracked
	updates    guest.Updates
	hook       bool // the task was a hook; hooks reach only this node
	process    bool
	leave      string
	asking     *task    // the task whose questions are recorded with this item
	permission *task    // the task whose permission request is reported in updates
	withdrawn  []string // decisions that have become obsolete
}

func (b *results) add(a *tracked, u guest.Updates) {
	if len(u.Facts) > 0 || len(u.Evidence) > 0 || len(u.Usage) > 0 || len(u.Deltas) > 0 || u.Changed {
		b.items = append(b.items, item{p: a, updates: u})
	}
}

func (b *results) process(a *tracked) { b.items = append(b.items, item{p: a, process: true}) }
func (b *results) leave(a *tracked, reason string) {
	b.items = append(b.items, item{p: a, leave: reason})
}

// markPermission marks the last item as the one that reports a task's permission request.
func (b *results) markPermission(t *task) {
	if n := len(b.items); n > 0 {
		b.items[n-1].permission = t
	}
}

func (b *results) addQuestions(a *tracked, t *task) {
	b.items = append(b.items, item{p: a, asking: t})
}

func (b *results) withdraw(decisions ...string) {
	if len(decisions) > 0 {
		b.items = append(b.items, item{withdrawn: decisions})
	}
}

// fact is a fact to record, with its agent.
type fact struct {
	contracts.Fact
	p    *tracked
	task *task // the task that is waiting for the decision
}

// deliver adds agents to the office, stores large results, records facts, and passes on evidence
// and streamed text. Evidence comes last: if it came before a question was recorded, the waiting
// session would look as if only its terminal could answer. deliver returns once everything is
// recorded or ctx is done.
func (s *shard) deliver(ctx context.Context, b *results) {
	var facts []fact
	var inside []*item
	for i := range b.items {
		it := &b.items[i]
		if it.p != nil && it.leave == "" && !s.join(ctx, it.p, it.hook) {
			if it.asking != nil {
				it.asking.refused = errNotInside
			}
			continue
		}
		facts = append(facts, s.factsOf(ctx, it)...)
		inside = append(inside, it)
	}
	s.recordFacts(ctx, facts)
	for _, it := range inside {
		s.passOn(ctx, it)
	}
	for i := range b.items {
		if it := &b.items[i]; it.leave != "" {
			s.watcher.Roster.Leave(ctx, it.p.id, it.leave)
			it.p.joined = contracts.AgentProfile{}
		}
	}
}

// join adds an agent to the office, or updates its profile. hook is true if a hook reported the
// agent, which means that the agent reports to this node. It returns false if the office refuses, for
// example because it is full.
func (s *shard) join(ctx context.Context, a *tracked, hook bool) bool {
	profile := a.session.Profile()
	if a.joined.Equal(profile) && a.proofSent == a.seen {
		return true
	}
	now := s.watcher.Now().UnixMilli()
	if a.refused != 0 && now-a.refused < joinRetry.Milliseconds() {
		return false
	}
	if profile.ParentID != "" {
		session, _ := s.watcher.Source.Split(profile.Session)
		s.join(ctx, s.agentOf(&task{session: session}), hook) // the parent must join first
	}
	for retry := newRetry(); ; {
		err := s.watcher.Roster.Join(ctx, profile, intake.Proof{Shared: !hook, Seen: a.seen, PID: a.pid, Started: a.pidStart})
		if err == nil {
			a.joined, a.refused, a.refusal, a.proofSent = profile, 0, nil, a.seen
			return true
		}
		if !temporary(err) || retry.Wait(ctx) != nil {
			a.refused, a.refusal = now, err
			s.watcher.Log.Warn("session could not join the office", "agent", a.id, "place", profile.Place, "error", err)
			return false
		}
	}
}

func (s *shard) factsOf(ctx context.Context, it *item) (list []fact) {
	a := it.p
	if a != nil && a.returning && a.found {
		a.returning = false
		who := a.session.Profile()
		h := hud.ReceivedReconnect(hud.Source{AgentID: a.id, Session: who.Session}, s.watcher.NewUUID(), who.Session)
		list = append(list, fact{Fact: contracts.HUDSeen{HUD: h, Watch: string(s.watcher.Source)}, p: a})
	}
	now := s.watcher.Now().UnixMilli()
	for _, f := range it.updates.Facts {
		if ago := now - f.HUD.At; ago >= 0 && ago < justNow.Milliseconds() {
			f.HUD.At = 0 // recent enough: use the time of recording
		}
		if f.Whole != nil && !s.store(ctx, f.Whole) {
			return list
		}
		seen := contracts.HUDSeen{HUD: f.HUD, Once: true, Watch: string(s.watcher.Source)}
		list = append(list, fact{Fact: seen, p: a})
	}
	for _, u := range it.updates.Usage {
		if ago := now - u.Usage.At; ago < justNow.Milliseconds() {
			u.Usage.At = 0
		}
		list = append(list, fact{Fact: u, p: a})
	}
	if it.asking != nil {
		for _, q := range it.asking.questions {
			list = append(list, fact{Fact: q, p: a, task: it.asking})
		}
	}
	for _, id := range it.withdrawn {
		list = append(list, fact{Fact: contracts.AskWithdrawn{DecisionID: id, Reason: answeredElsewhere}})
	}
	return list
}

// store stores a large result and retries until it succeeds. It returns false if ctx is done first.
func (s *shard) store(ctx context.Context, whole []byte) bool {
	for retry := newRetry(); ; {
		_, err := s.watcher.Office.PutBlob(ctx, whole)
		if err == nil {
			return true
		}
		s.watcher.Log.Warn("could not store a large tool result; retrying", "bytes", len(whole), "error", err)
		if retry.Wait(ctx) != nil {
			return false
		}
	}
}

// passOn passes on evidence and streamed text, which are not recorded.
func (s *shard) passOn(ctx context.Context, it *item) {
	for _, e := range it.updates.Evidence {
		if e.Claim == status.Asked && it.permission != nil && it.permission.answeredByRule {
			continue
		}
		s.watcher.Roster.AddEvidence(ctx, it.p.id, e)
	}
	if it.process {
		s.watcher.Roster.WatchProcess(it.p.id, it.p.pid, it.p.pidStart)
	}
	for _, d := range it.updates.Deltas {
		s.stream(it.p, d)
	}
}

// stream publishes text as the agent writes it.
func (s *shard) stream(a *tracked, d guest.Delta) {
	if a.text != d.Message {
		if a.text != "" && !a.stream.Done {
			a.stream.Seq++
			a.stream.Delta, a.stream.Done = "", true
			s.watcher.Office.PublishStream(a.stream)
		}
		a.text = d.Message
		a.stream = contracts.StreamDelta{AgentID: a.id, Kind: "token", StreamID: string(contracts.PrefixStream) + "_" + s.watcher.Source.AgentID(a.id, d.Message)[len("agent_"):]}
	}
	text := contracts.CleanText(d.Text)
	for first := true; first || text != ""; first = false {
		piece := hud.Cut(text, contracts.LimitText)
		text = text[len(piece):]
		a.stream.Seq++
		a.stream.Delta, a.stream.Done = piece, d.Final && text == ""
		s.watcher.Office.PublishStream(a.stream)
	}
}

// joinRetry is how long a refused agent waits before it tries to join again.
const joinRetry = 30 * time.Second

// justNow is the age below which an event is recorded with the current time instead of its own.
const justNow = time.Second

// newRetry returns the backoff to use while the ledger is down.
func newRetry() backoff.Backoff {
	return backoff.Backoff{First: 50 * time.Millisecond, Max: 5 * time.Second, Rand: backoff.NoJitter}
}
