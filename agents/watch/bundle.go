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

// bundle collects the results of several tasks, in order, so that they are recorded together.
type bundle struct{ items []item }

// item is the result of one task for one agent.
type item struct {
	p       *person
	told    guest.Told
	hook    bool // the task was a hook; hooks reach only this node
	process bool
	leave   string
	task    *task    // the task whose questions are recorded with this item
	asks    *task    // the task whose permission request is reported in told
	over    []string // decisions that have become obsolete
}

func (b *bundle) add(p *person, told guest.Told) {
	if len(told.Facts) > 0 || len(told.Evidence) > 0 || len(told.Usage) > 0 || len(told.Deltas) > 0 || told.Changed {
		b.items = append(b.items, item{p: p, told: told})
	}
}

func (b *bundle) process(p *person) { b.items = append(b.items, item{p: p, process: true}) }
func (b *bundle) leave(p *person, reason string) {
	b.items = append(b.items, item{p: p, leave: reason})
}

// asks marks the last item as the report of a task's permission request.
func (b *bundle) asks(t *task) {
	if n := len(b.items); n > 0 {
		b.items[n-1].asks = t
	}
}

func (b *bundle) ask(p *person, t *task) {
	b.items = append(b.items, item{p: p, task: t})
}

func (b *bundle) withdraw(decisions ...string) {
	if len(decisions) > 0 {
		b.items = append(b.items, item{over: decisions})
	}
}

// fact is a fact to record, with its agent.
type fact struct {
	contracts.Fact
	p    *person
	task *task // the task that is waiting for the decision
}

// deliver adds agents to the office, stores large results, records facts, and passes on evidence and
// streamed text. Evidence comes last: if it came before a question was recorded, the waiting session
// would look as if only its terminal could answer. deliver returns when everything is recorded or ctx
// has ended.
func (l *lane) deliver(ctx context.Context, b *bundle) {
	var facts []fact
	var inside []*item
	for i := range b.items {
		it := &b.items[i]
		if it.p != nil && it.leave == "" && !l.join(ctx, it.p, it.hook) {
			if it.task != nil {
				it.task.refused = errNotInside
			}
			continue
		}
		facts = append(facts, l.factsOf(ctx, it)...)
		inside = append(inside, it)
	}
	l.tell(ctx, facts)
	for _, it := range inside {
		l.witness(ctx, it)
	}
	for i := range b.items {
		if it := &b.items[i]; it.leave != "" {
			l.in.Roster.Leave(ctx, it.p.id, it.leave)
			it.p.joined = contracts.AgentProfile{}
		}
	}
}

// join adds an agent to the office, or updates its profile. hook is true if a hook reported the
// agent, which means that the agent reports to this node. It returns false if the office refuses, for
// example because it is full.
func (l *lane) join(ctx context.Context, p *person, hook bool) bool {
	profile := p.session.Profile()
	if p.joined.Equal(profile) && p.vouched == p.seen {
		return true
	}
	now := l.in.Now().UnixMilli()
	if p.refused != 0 && now-p.refused < askAgain.Milliseconds() {
		return false
	}
	if profile.ParentID != "" {
		session, _ := l.in.Source.Split(profile.Session)
		l.join(ctx, l.person(&task{session: session}), hook) // the parent must join first
	}
	for retry := newRetry(); ; {
		err := l.in.Roster.Join(ctx, profile, intake.Proof{Shared: !hook, Seen: p.seen, PID: p.pid, Started: p.pidStart})
		if err == nil {
			p.joined, p.refused, p.refusal, p.vouched = profile, 0, nil, p.seen
			return true
		}
		if !temporary(err) || retry.Wait(ctx) != nil {
			p.refused, p.refusal = now, err
			l.in.Log.Warn("session could not join the office", "agent", p.id, "place", profile.Place, "error", err)
			return false
		}
	}
}

func (l *lane) factsOf(ctx context.Context, it *item) (list []fact) {
	p := it.p
	if p != nil && p.again && p.found {
		p.again = false
		who := p.session.Profile()
		h := hud.ReceivedReconnect(hud.Source{AgentID: p.id, Session: who.Session}, l.in.NewUUID(), who.Session)
		list = append(list, fact{Fact: contracts.HUDSeen{HUD: h, Watch: string(l.in.Source)}, p: p})
	}
	now := l.in.Now().UnixMilli()
	for _, f := range it.told.Facts {
		if ago := now - f.HUD.At; ago >= 0 && ago < justNow.Milliseconds() {
			f.HUD.At = 0 // recent enough: use the time of recording
		}
		if f.Whole != nil && !l.store(ctx, f.Whole) {
			return list
		}
		list = append(list, fact{Fact: contracts.HUDSeen{HUD: f.HUD, Once: true, Watch: string(l.in.Source)}, p: p})
	}
	for _, u := range it.told.Usage {
		if ago := now - u.Usage.At; ago < justNow.Milliseconds() {
			u.Usage.At = 0
		}
		list = append(list, fact{Fact: u, p: p})
	}
	if it.task != nil {
		for _, q := range it.task.questions {
			list = append(list, fact{Fact: q, p: p, task: it.task})
		}
	}
	for _, id := range it.over {
		list = append(list, fact{Fact: contracts.AskWithdrawn{DecisionID: id, Reason: answeredElsewhere}})
	}
	return list
}

// store stores a large result and retries until it succeeds. It returns false if ctx ends first.
func (l *lane) store(ctx context.Context, whole []byte) bool {
	for retry := newRetry(); ; {
		_, err := l.in.Office.PutBlob(ctx, whole)
		if err == nil {
			return true
		}
		l.in.Log.Warn("large tool result not stored; retrying", "bytes", len(whole), "error", err)
		if retry.Wait(ctx) != nil {
			return false
		}
	}
}

// witness passes on evidence and streamed text, which are not recorded.
func (l *lane) witness(ctx context.Context, it *item) {
	for _, e := range it.told.Evidence {
		if e.Claim == status.Asked && it.asks != nil && it.asks.ruled {
			continue
		}
		l.in.Roster.Witness(ctx, it.p.id, e)
	}
	if it.process {
		l.in.Roster.Process(it.p.id, it.p.pid, it.p.pidStart)
	}
	for _, d := range it.told.Deltas {
		l.stream(it.p, d)
	}
}

// stream publishes text as the agent writes it.
func (l *lane) stream(p *person, d guest.Delta) {
	if p.text != d.Message {
		if p.text != "" && !p.stream.Done {
			p.stream.Seq++
			p.stream.Delta, p.stream.Done = "", true
			l.in.Office.PublishStream(p.stream)
		}
		p.text = d.Message
		p.stream = contracts.StreamDelta{AgentID: p.id, Kind: "token", StreamID: string(contracts.PrefixStream) + "_" + l.in.Source.AgentID(p.id, d.Message)[len("agent_"):]}
	}
	text := contracts.CleanText(d.Text)
	for first := true; first || text != ""; first = false {
		piece := hud.Cut(text, contracts.LimitText)
		text = text[len(piece):]
		p.stream.Seq++
		p.stream.Delta, p.stream.Done = piece, d.Final && text == ""
		l.in.Office.PublishStream(p.stream)
	}
}

// askAgain is how long a refused agent waits before it tries to join again.
const askAgain = 30 * time.Second

// justNow is the age below which an event is recorded with the current time instead of its own.
const justNow = time.Second

// newRetry returns the backoff to use while the ledger is down.
func newRetry() backoff.Backoff {
	return backoff.Backoff{First: 50 * time.Millisecond, Most: 5 * time.Second, Rand: backoff.NoJitter}
}
