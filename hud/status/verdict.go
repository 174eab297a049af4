package status

import (
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// lateEventGrace is how long a turn's late events are ignored after the turn has ended.
const lateEventGrace = 2 * time.Second

// finding is a verdict that has not been put into words yet.
type finding struct {
	activity contracts.Activity
	by       mark   // the deciding evidence; not set if silence decided
	what     string // what the verdict is about, in words
	detail   string // details about the evidence, in addition to its source; may be empty
	line     string
	since    int64
	from     int64 // start of the call that the verdict is about; 0 means the same as since
	until    int64 // 0 means until there is new evidence
	silence  *silence
}

// silence is a verdict that is based on missing evidence.
type silence struct {
	begins int64         // when the silence became long enough to determine the verdict
	length time.Duration // how long the silence must last to determine the verdict
	alive  bool          // the agent's process was seen running
	turns  bool          // the agent works in turns, so a turn may have been interrupted
}

// Verdict returns the agent's current status and the time when it expires without new evidence; 0
// means that only new evidence changes it.
func (c *Case) Verdict(now int64) (s contracts.AgentStatus, until int64) {
	f := c.find(now)
	s = contracts.AgentStatus{
		Activity: f.activity, Line: f.line, Why: f.why(0), Authority: f.authority(), Since: f.since, Said: c.said.Said, Evidence: c.evidence(f),
	}
	return s, f.until
}

// Explain returns a sentence with the reason for the verdict and how long the verdict has applied.
func (c *Case) Explain(now int64) string { return c.find(now).why(now) }

// find returns the verdict. The order of the checks is the order of precedence: gone, waiting for a
// person, working, present, silent.
func (c *Case) find(now int64) finding {
	c.ClampTimes(now)
	if len(c.marks) == 0 {
		return finding{activity: contracts.ActivityIdle, what: "no activity yet", since: now}
	}
	v := c.view()
	if v.left.isSet() {
		return finding{activity: contracts.ActivityOffline, by: v.left, what: v.left.Says, since: v.left.at}
	}
	if f, ok := c.waiting(v, now); ok {
		return f
	}
	if f, ok := c.blocked(v, now); ok {
		return f
	}
	if f, ok := c.working(v, now); ok {
		return f
	}
	return c.idleOrOffline(v, now)
}

// view is the combined meaning of a case's marks.
type view struct {
	onlyRemembered bool  // the only evidence is the office's memory and a running process
	lastSeen       mark  // the newest mark that does not report the agent as gone
	left           mark  // the mark that reports the agent as gone; unset if later evidence shows that the agent is present
	ended          mark  // the most recent end of a turn
	gone           int64 // when the agent was last gone
	after          int64 // everything that started at or before this time is over
	begun          mark  // the newest valid start of a turn
	open           mark  // the newest sign that a turn is open
	moved          mark  // the newest progress
	busy           mark  // the newest report by the vendor's program that the agent is in a turn
}

// turns reports whether the open work is a turn. A script that reports its status has no turns.
func (v view) turns() bool { return v.begun.isSet() || v.open.Source != contracts.FromEvent }

// view combines the marks. While a live source reports, a transcript cannot open a turn, because it
// lags behind and would reopen a turn that is over. A transcript can still show progress and end a
// turn, because no hook reports the end of an interrupted turn.
func (c *Case) view() view {
	v := view{onlyRemembered: !c.hasFreshEvidence()}
	observed := func(m *mark) bool { return !m.leaves && (v.onlyRemembered || !m.remembered()) }
	v.lastSeen = c.newest(observed)
	v.left = c.departure()
	liveTurn := c.newest(func(m *mark) bool { return m.turn && m.live() })
	counts := func(m *mark) bool {
		return m.live() || !liveTurn.isSet() || m.at > liveTurn.at+contracts.SilenceTurn.Milliseconds()
	}
	v.ended = c.newest(func(m *mark) bool { return m.closes && observed(m) })
	if gone := c.newest(func(m *mark) bool { return m.leaves }); gone.isSet() {
		v.gone, v.after = gone.at, gone.at
	}
	if v.ended.isSet() {
		v.after = max(v.after, v.ended.at)
	}
	v.begun = c.newest(func(m *mark) bool { return m.Claim == TurnStarted && observed(m) && counts(m) && m.at > v.after })
	v.open = c.newest(func(m *mark) bool {
		late := m.Claim == Sign && m.at <= v.after+lateEventGrace.Milliseconds() && v.after > 0
		return m.opens && observed(m) && counts(m) && m.at > v.after && !late
	})
	v.moved = c.newest(func(m *mark) bool { return m.moves && observed(m) && m.at > v.after })
	v.busy = c.newest(func(m *mark) bool { return m.Claim == Busy && m.at > v.after })
	return v
}

// hasFreshEvidence reports whether there is evidence that outweighs remembered marks. A running
// process and the vendor program's reports about a turn are not enough.
func (c *Case) hasFreshEvidence() bool {
	return slices.ContainsFunc(c.marks, func(m mark) bool {
		return !m.remembered() && m.Claim != Alive && m.Claim != Busy && m.Claim != Blocked
	})
}

// departure returns the newest mark that reports the agent as gone, or an unset mark if there is
// later evidence that the agent is present. A process that takes a moment to exit is not such
// evidence.
func (c *Case) departure() mark {
	left := c.newest(func(m *mark) bool { return m.leaves })
	if !left.isSet() {
		return left
	}
	seen := c.newest(func(m *mark) bool { return m.revives && m.Claim != Alive && !m.remembered() })
	ended := c.newest(func(m *mark) bool { return m.Claim == Ended && m.at >= seen.at })
	if alive := c.newest(func(m *mark) bool { return m.Claim == Alive }); !ended.isSet() {
		seen = newer(seen, alive)
	}
	if seen.at > left.at {
		return mark{}
	}
	return left
}

// waiting returns the verdict while a question is open, or false if no question is open. An unnamed
// question that was asked before a restart counts only for contracts.SilenceTool.
func (c *Case) waiting(v view, now int64) (finding, bool) {
	open := c.questions(v)
	if len(open) == 0 {
		return finding{}, false
	}
	first := open[0]
	f := finding{activity: contracts.ActivityWaiting, by: first.start, what: first.start.label(), detail: first.start.Says, line: first.start.label(), since: first.first}
	if first.start.remembered() {
		f.until = first.start.at + contracts.SilenceTool.Milliseconds()
		return f, now < f.until
	}
	return f, true
}

// working returns the verdict while a turn is open. It returns false if no turn is open or if there
// was no recent progress. While a tool call is open, progress counts as recent for
// contracts.SilenceTool, because a build or a test may run for a long time without output.
func (c *Case) working(v view, now int64) (finding, bool) {
	if !v.open.isSet() {
		return finding{}, false
	}
	f := finding{activity: contracts.ActivityWorking, what: "in a turn", since: v.open.at}
	if !v.turns() {
		f.what = v.open.Says
	}
	if v.begun.isSet() {
		f.since = v.begun.at
	}
	f.by = c.authority(v)
	length := contracts.SilenceTurn
	tools := c.tools.running(max(v.after, v.begun.at-1))
	said := c.line.at > v.after && (c.line.Until == 0 || now < c.line.Until)
	if said {
		f.line = c.line.Line
	}
	if n := len(tools); n > 0 {
		length = contracts.SilenceTool
		last := tools[n-1]
		f.what, f.detail, f.from, f.since = last.start.label(), last.start.Says, last.first, min(f.since, last.first)
		if last.start.Line != "" {
			f.line = last.start.Line
		}
	} else if f.line != "" {
		f.what = f.line
	}
	f.until = v.moved.at + length.Milliseconds()
	v.extendIfBusy(&f, now)
	works := now < f.until
	if said && works && c.line.Until > 0 {
		f.until = min(f.until, c.line.Until)
	}
	return f, works
}

// authority returns the newest evidence from the highest-ranked source that reported recently in
// this turn.
func (c *Case) authority(v view) mark {
	var best mark
	for i := range c.marks {
		m := c.marks[i]
		if !m.moves || m.at <= v.after || m.at <= v.moved.at-contracts.SilenceTurn.Milliseconds() {
			continue
		}
		switch {
		case !best.isSet() || m.rank > best.rank:
			best = m
		case m.Source == best.Source:
			best = newer(best, m)
		}
	}
	return best
}

// idleOrOffline returns the verdict that applies if no other does: idle at first, then offline after
// a long silence.
func (c *Case) idleOrOffline(v view, now int64) finding {
	leaves := v.lastSeen.at + contracts.SilenceOffline.Milliseconds()
	alive := c.newest(func(m *mark) bool { return m.Claim == Alive })
	if now >= leaves {
		return finding{activity: contracts.ActivityOffline, since: leaves, silence: &silence{begins: leaves, length: contracts.SilenceOffline}}
	}
	f := finding{activity: contracts.ActivityIdle, until: leaves}
	if tried, ok := c.working(v, now); !ok && v.open.isSet() {
		f.since = tried.until
		f.silence = &silence{
			begins: tried.until, length: time.Duration(tried.until-v.moved.at) * time.Millisecond,
			alive: alive.at > tried.until-2*contracts.ProcessCheck.Milliseconds(), turns: v.turns(),
		}
		return f
	}
	there := c.newest(func(m *mark) bool { return m.Claim == Present && (v.onlyRemembered || !m.remembered()) })
	if f.by = newer(v.ended, there); !f.by.isSet() {
		f.by = v.lastSeen
	}
	f.what, f.since = f.by.Says, f.by.at
	return f
}
