package watch

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// shard handles tasks one after another; only the shard's goroutine accesses agents.
type shard struct {
	watcher *Watcher
	tasks   chan *task
	agents  map[string]*tracked
}

// task is one observation of a session: a hook, transcript rows, or a state file.
type task struct {
	session string
	agent   string // the sub-agent's id

	hook          guest.Hook
	head          guest.HookHead // the result of hook.Head
	ask           bool           // the hook is waiting for a person
	wait          time.Duration  // how long the hook waits for a person
	authenticated bool           // the hook came with a credential that is bound to the session's agent or sub-agent
	at            int64
	body          []byte // body of a hook that arrived in a request
	size          int64  // bytes of the hook, which count towards the backlog

	rows      []guest.Row
	history   bool // part of the first read of a file; only the newest facts of that read are reported
	rewound   bool // the first part of a file's first read
	caughtUp  bool // the last part of a file's first read
	slot      bool // the task holds a token in Watcher.reading
	live      guest.Live
	endReason string       // why the session ended, if its process continues with another session
	meta      *description // set for a sub-agent

	questions      []contracts.AskSeen // questions that the hook asks a person, if any
	decisions      []string            // ids of the decisions created for the questions; valid after done
	answeredByRule bool                // a rule of the office's policy has answered; valid after done
	refused        error               // why the task was not recorded
	p              *tracked            // the agent that the task is about
	settled        atomic.Bool         // set by finish or abandon, whichever is called first
	done           chan struct{}       // closed once everything is recorded; nil if no request is waiting

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

// run handles tasks until ctx is done. Tasks that are queued together are recorded together.
func (s *shard) run(ctx context.Context) {
	tick := time.NewTicker(tickInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.tick(ctx)
		case first := <-s.tasks:
			s.handle(ctx, s.drain(first))
		}
	}
}

func (s *shard) drain(first *task) []*task {
	list := []*task{first}
	for len(list) < shardBatch {
		select {
		case t := <-s.tasks:
			list = append(list, t)
		default:
			return list
		}
	}
	return list
}

// handle translates tasks, records the results and finishes the tasks.
func (s *shard) handle(ctx context.Context, tasks []*task) {
	for len(tasks) > 0 {
		var b results
		n := 0
		for n < len(tasks) {
			s.translate(&b, tasks[n])
			if n++; tasks[n-1].ask { // a later task may end the question, so the question must be asked first
				break
			}
		}
		s.deliver(ctx, &b)
		for _, t := range tasks[:n] {
			s.watcher.release(t)
			if t.refused == nil && t.p != nil && t.p.joined.AgentID == "" {
				t.refused = t.p.refusal
			}
			t.unrecorded = ctx.Err() != nil
			awaited := t.finish()
			if s.watcher.spool != nil {
				s.watcher.spool.release(t)
			}
			if !awaited {
				s.watcher.stopAsking(ctx, t, answeredElsewhere, true)
			}
		}
		tasks = tasks[n:]
	}
}

// release frees the task's share of the backlog and its token in Watcher.reading.
func (w *Watcher) release(t *task) {
	w.backlog.Add(-t.size)
	if t.slot {
		<-w.reading
	}
}

// translate adds the result of a task to the results.
func (s *shard) translate(b *results, t *task) {
	a := s.agentOf(t)
	if a == nil {
		return
	}
	now := s.watcher.Now().UnixMilli()
	t.p, a.lastTask = a, now
	if t.authenticated || len(t.rows) > 0 || t.live != nil || t.meta != nil { // a file or a credential proves that the agent exists
		a.prove()
	}
	s.noteWorkdir(a, t)
	a.found = a.found || t.hook != nil || t.live != nil
	first := len(b.items)
	switch {
	case t.hook != nil:
		s.translateHook(b, a, t)
	case t.live != nil:
		updates := a.session.Live(t.live)
		a.pid, a.pidStart = t.live.Head().PID, t.live.Head().Started
		b.add(a, updates)
		b.process(a)
	case t.endReason != "":
		b.add(a, a.session.GiveUp(now, t.endReason))
		b.leave(a, t.endReason)
	case t.meta != nil:
		b.add(a, guest.Updates{Changed: a.session.NameSubagent(t.meta.kind, t.meta.text)})
	default:
		s.translateRows(b, a, t)
	}
	for i := range b.items[first:] {
		b.items[first+i].hook = t.hook != nil
	}
}

func (s *shard) translateHook(b *results, a *tracked, t *task) {
	updates := a.session.Hook(t.hook, t.at)
	if t.head.PID > 0 && a.pid != t.head.PID {
		a.pid, a.pidStart, a.refused = t.head.PID, t.head.PIDStart, 0
		b.process(a)
	}
	b.add(a, updates)
	if t.ask {
		b.markPermission(t)
		t.questions = a.session.Asks(t.hook, t.at+t.wait.Milliseconds())
		b.addQuestions(a, t)
	}
	s.withdrawObsolete(b, a, t, updates)
	if updates.Ended != "" && a.parent == "" {
		s.endSubagents(b, s.watcher.Source.SessionName(t.session, ""), t.at, updates.Ended)
	}
	if updates.Switched {
		b.leave(a, "continued with another conversation")
	}
}

// endSubagents ends the sub-agents of a session that has ended.
func (s *shard) endSubagents(b *results, session string, at int64, ended string) {
	for _, a := range s.agents {
		if a.parent == session {
			b.add(a, a.session.Close(at, ended))
		}
	}
}

// withdrawObsolete withdraws questions that are obsolete because their call has ended or the agent
// has continued without an answer.
func (s *shard) withdrawObsolete(b *results, a *tracked, t *task, updates guest.Updates) {
	for _, call := range updates.EndedCalls {
		b.withdraw(s.watcher.asks.of(a.id, call)...)
	}
	if updates.Ended != "" || t.head.Continued {
		b.withdraw(s.watcher.asks.of(a.id, "")...)
	}
}

func (s *shard) translateRows(b *results, a *tracked, t *task) {
	if t.rewound {
		a.session.Rewind()
		a.history = guest.Updates{}
	}
	now := s.watcher.Now().UnixMilli()
	var updates guest.Updates
	for _, r := range t.rows {
		r.Clamp(now) // a time in the future counts as now (A2)
		step := a.session.Row(r)
		for i := range step.Facts {
			if at := step.Facts[i].HUD.At; at > 0 && at < s.watcher.started {
				step.Facts[i].HUD.Replay = true
			}
		}
		updates.Add(step)
	}
	if t.history {
		a.history.Add(updates)
		a.trimHistory()
		if !t.caughtUp {
			return
		}
		updates, a.history = a.history, guest.Updates{}
		updates.Add(a.session.RereadDone())
	}
	a.found = a.found || len(t.rows) > 0 && t.rows[len(t.rows)-1].Head().At >= s.watcher.started
	b.add(a, updates)
	s.withdrawObsolete(b, a, t, updates)
}

// tick ends overdue turns and calls of busy agents, and forgets agents that have been silent for
// a long time.
func (s *shard) tick(ctx context.Context) {
	now := s.watcher.Now().UnixMilli()
	var b results
	for key, a := range s.agents {
		switch {
		case a.session.Busy():
			updates := a.session.Settle(now)
			updates.Add(s.endAbandoned(a, now))
			b.add(a, updates)
			s.withdrawObsolete(&b, a, &task{}, updates)
		case now-a.lastTask > forgetAfter.Milliseconds():
			delete(s.agents, key)
		}
	}
	s.deliver(ctx, &b)
}

// forgetAfter is how long an agent with no open turn or call is kept in memory. The ledger still
// has the agent's facts and ignores repeated facts, because they have the same ids.
const forgetAfter = 2 * contracts.OfflineGuestStay

// endAbandoned ends the turns and calls of a process that is gone. If no process is known, it ends
// those of an agent that has been silent for a very long time. While the process is alive, calls
// stay open.
func (s *shard) endAbandoned(a *tracked, now int64) guest.Updates {
	if parent := s.agents[a.parent]; parent != nil { // sub-agents run in their session's process
		a.pid, a.pidStart = parent.pid, parent.pidStart
	}
	if a.session.Closing() { // the session has ended, and Settle ends its open turns and calls soon
		return guest.Updates{}
	}
	if a.pid > 0 && now-a.checked >= contracts.ProcessCheck.Milliseconds() {
		a.checked = now
		if !s.watcher.Alive(a.pid, a.pidStart) {
			a.pid = 0
			return a.session.GiveUp(now, "the process is gone")
		}
	}
	if a.pid == 0 && now-a.lastTask >= contracts.SilenceTool.Milliseconds() {
		return a.session.GiveUp(now, hud.NoEnd)
	}
	return guest.Updates{}
}
