package watch

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// lane handles tasks one after another; only the lane's goroutine accesses people.
type lane struct {
	in     *Intake
	tasks  chan *task
	people map[string]*person
}

// task is one observation of a session: a hook, transcript rows, or a state file.
type task struct {
	session string
	agent   string // the sub-agent's id

	hook guest.Hook
	head guest.HookHead // the result of hook.Head
	ask  bool           // the hook is waiting for a person
	wait time.Duration  // how long the hook waits for a person
	own  bool           // the hook came with a credential that is bound to the session's agent or sub-agent
	at   int64
	body []byte // body of a hook that arrived in a request
	size int64  // bytes of the hook, which count towards the backlog

	rows    []guest.Row
	history bool // part of the first read of a file; only the newest facts of that read are reported
	rewound bool // the first part of a file's first read
	caught  bool // the last part of a file's first read
	slot    bool // the task holds a token in Intake.reading
	live    guest.Live
	gone    string       // why the session ended, if its process continues with another session
	meta    *description // set for a sub-agent

	questions []contracts.AskSeen // questions that the hook asks a person, if any
	decisions []string            // ids of the decisions created for the questions; valid after done
	ruled     bool                // a rule of the office's policy has answered, so no one is asked; valid after done
	refused   error               // why the task was not recorded
	p         *person             // the agent that the task is about
	settled   atomic.Bool         // set by finish or abandon, whichever is called first
	done      chan struct{}       // closed when everything is recorded; nil if no request is waiting

	unrecorded bool // the process was ending, so the task might not be recorded; valid after done
}

// description is a sub-agent's kind and task.
type description struct{ kind, text string }

// finish marks the task as recorded. It returns false if the waiting request has been abandoned.
func (t *task) finish() (awaited bool) {
	awaited = t.settled.CompareAndSwap(false, true)
	if t.done != nil {
		close(t.done)
	}
	return awaited
}

// abandon marks the request as no longer waiting. It returns false if the task has already
// finished.
func (t *task) abandon() bool { return t.settled.CompareAndSwap(false, true) }

// run handles tasks until ctx ends. Tasks that are queued together are recorded together.
func (l *lane) run(ctx context.Context) {
	tick := time.NewTicker(tickInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			l.tick(ctx)
		case first := <-l.tasks:
			l.take(ctx, l.batch(first))
		}
	}
}

func (l *lane) batch(first *task) []*task {
	list := []*task{first}
	for len(list) < laneBatch {
		select {
		case t := <-l.tasks:
			list = append(list, t)
		default:
			return list
		}
	}
	return list
}

// take translates tasks, records the results and finishes the tasks.
func (l *lane) take(ctx context.Context, tasks []*task) {
	for len(tasks) > 0 {
		var b bundle
		n := 0
		for n < len(tasks) {
			l.translate(&b, tasks[n])
			if n++; tasks[n-1].ask { // a later task may end the question, so the question must be asked first
				break
			}
		}
		l.deliver(ctx, &b)
		for _, t := range tasks[:n] {
			l.in.release(t)
			if t.refused == nil && t.p != nil && t.p.joined.AgentID == "" {
				t.refused = t.p.refusal
			}
			t.unrecorded = ctx.Err() != nil
			awaited := t.finish()
			if l.in.spool != nil {
				l.in.spool.release(t)
			}
			if !awaited {
				l.in.stopAsking(ctx, t, answeredElsewhere, true)
			}
		}
		tasks = tasks[n:]
	}
}

// release frees the task's share of the backlog and its token in Intake.reading.
func (in *Intake) release(t *task) {
	in.backlog.Add(-t.size)
	if t.slot {
		<-in.reading
	}
}

// translate adds the result of a task to the bundle.
func (l *lane) translate(b *bundle, t *task) {
	p := l.person(t)
	if p == nil {
		return
	}
	now := l.in.Now().UnixMilli()
	t.p, p.heard = p, now
	if t.own || len(t.rows) > 0 || t.live != nil || t.meta != nil { // a file or a credential proves that the agent exists
		p.prove()
	}
	l.noteWorkdir(p, t)
	p.found = p.found || t.hook != nil || t.live != nil
	first := len(b.items)
	switch {
	case t.hook != nil:
		l.translateHook(b, p, t)
	case t.live != nil:
		told := p.session.Live(t.live)
		p.pid, p.pidStart = t.live.Head().PID, t.live.Head().Started
		b.add(p, told)
		b.process(p)
	case t.gone != "":
		b.add(p, p.session.GiveUp(now, t.gone))
		b.leave(p, t.gone)
	case t.meta != nil:
		b.add(p, guest.Told{Changed: p.session.Describe(t.meta.kind, t.meta.text)})
	default:
		l.translateRows(b, p, t)
	}
	for i := range b.items[first:] {
		b.items[first+i].hook = t.hook != nil
	}
}

func (l *lane) translateHook(b *bundle, p *person, t *task) {
	told := p.session.Hook(t.hook, t.at)
	if t.head.PID > 0 && p.pid != t.head.PID {
		p.pid, p.pidStart, p.refused = t.head.PID, t.head.PIDStart, 0
		b.process(p)
	}
	b.add(p, told)
	if t.ask {
		b.asks(t)
		t.questions = p.session.Asks(t.hook, t.at+t.wait.Milliseconds())
		b.ask(p, t)
	}
	l.over(b, p, t, told)
	if told.Ended != "" && p.parent == "" {
		l.endSubagents(b, l.in.Source.SessionName(t.session, ""), t.at, told.Ended)
	}
	if told.Left {
		b.leave(p, "continued with another conversation")
	}
}

// endSubagents ends the sub-agents of a session that has ended.
func (l *lane) endSubagents(b *bundle, session string, at int64, ended string) {
	for _, p := range l.people {
		if p.parent == session {
			b.add(p, p.session.Close(at, ended))
		}
	}
}

// over withdraws questions that are obsolete because their call has ended or the agent continued
// without an answer.
func (l *lane) over(b *bundle, p *person, t *task, told guest.Told) {
	for _, call := range told.Over {
		b.withdraw(l.in.asks.of(p.id, call)...)
	}
	if told.Ended != "" || t.head.Continued {
		b.withdraw(l.in.asks.of(p.id, "")...)
	}
}

func (l *lane) translateRows(b *bundle, p *person, t *task) {
	if t.rewound {
		p.session.Rewind()
		p.history = guest.Told{}
	}
	now := l.in.Now().UnixMilli()
	var told guest.Told
	for _, r := range t.rows {
		r.Clamp(now) // a time in the future counts as now (A2)
		step := p.session.Row(r)
		for i := range step.Facts {
			if at := step.Facts[i].HUD.At; at > 0 && at < l.in.started {
				step.Facts[i].HUD.Replay = true
			}
		}
		told.Add(step)
	}
	if t.history {
		p.history.Add(told)
		p.trimHistory()
		if !t.caught {
			return
		}
		told, p.history = p.history, guest.Told{}
		told.Add(p.session.Reread())
	}
	p.found = p.found || len(t.rows) > 0 && t.rows[len(t.rows)-1].Head().At >= l.in.started
	b.add(p, told)
	l.over(b, p, t, told)
}

// tick ends overdue turns and calls of busy agents, and forgets agents that have been silent for
// a long time.
func (l *lane) tick(ctx context.Context) {
	now := l.in.Now().UnixMilli()
	var b bundle
	for key, p := range l.people {
		switch {
		case p.session.Busy():
			told := p.session.Settle(now)
			told.Add(l.decay(p, now))
			b.add(p, told)
			l.over(&b, p, &task{}, told)
		case now-p.heard > forgetAfter.Milliseconds():
			delete(l.people, key)
		}
	}
	l.deliver(ctx, &b)
}

// forgetAfter is how long an agent with no open turn or call is kept in memory. The ledger still
// has the agent's facts and ignores repeated facts, because they have the same ids.
const forgetAfter = 2 * contracts.GuestLeaves

// decay ends the turns and calls of a process that is gone. If no process is known, it ends those of
// an agent that has been silent for a very long time. While the process is alive, calls stay open.
func (l *lane) decay(p *person, now int64) guest.Told {
	if parent := l.people[p.parent]; parent != nil { // sub-agents run in their session's process
		p.pid, p.pidStart = parent.pid, parent.pidStart
	}
	if p.session.Closing() { // the session has ended, and Settle ends its open turns and calls soon
		return guest.Told{}
	}
	if p.pid > 0 && now-p.checked >= contracts.ProcessCheck.Milliseconds() {
		p.checked = now
		if !l.in.Alive(p.pid, p.pidStart) {
			p.pid = 0
			return p.session.GiveUp(now, "the process is gone")
		}
	}
	if p.pid == 0 && now-p.heard >= contracts.SilenceTool.Milliseconds() {
		return p.session.GiveUp(now, hud.NoEnd)
	}
	return guest.Told{}
}
