package status

import (
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

// Case holds the relevant evidence about one agent. Its zero value is ready to use. It keeps only
// the newest evidence for each claim and source, so its size is bounded. A Case is not safe for
// concurrent use.
type Case struct {
	marks []mark // the newest evidence for each claim and source
	tools calls
	asks  calls
	line  mark // the newest evidence with a line
	said  mark // the newest evidence with the agent's answer

	latest int64 // time of the newest evidence
}

// Add adds a piece of evidence. It ignores evidence without a known claim or source.
func (c *Case) Add(e Evidence) {
	m := markOf(e)
	if m.effect == (effect{}) || m.rank == 0 {
		return
	}
	e.At = max(e.At, 0)
	e.Call = contracts.Clip(contracts.CleanLine(e.Call), contracts.LimitID)
	e.Says = contracts.Clip(contracts.CleanLine(e.Says), contracts.LimitPreview)
	e.Line = contracts.Clip(contracts.CleanLine(e.Line), contracts.LimitPreview)
	e.Said = contracts.Clip(contracts.CleanLine(e.Said), contracts.LimitSnapshotText)
	if contracts.Blank(e.Says) {
		e.Says = string(e.Claim)
	}
	m.Evidence, m.at = e, e.At
	c.latest = max(c.latest, m.at)
	c.keep(m)
	if !contracts.Blank(e.Line) {
		c.line = newer(c.line, m)
	}
	if !contracts.Blank(e.Said) {
		c.said = newer(c.said, m)
	}
	switch e.Claim {
	case ToolStarted:
		// A transcript is read later and reports starts of calls that are already over, so only a
		// live source reopens a named call that has ended.
		c.tools.start(m, m.live() || m.Call == "")
	case ToolEnded:
		c.tools.end(m)
		c.asks.end(m) // a tool that ran no longer needs permission
	case Asked:
		c.asks.start(m, true)
	case Answered:
		c.asks.end(m)
	}
}

// keep stores a mark, replacing an older mark with the same claim and source.
func (c *Case) keep(m mark) {
	for i := range c.marks {
		if was := &c.marks[i]; was.Claim == m.Claim && was.Source == m.Source {
			*was = newer(*was, m)
			return
		}
	}
	c.marks = append(c.marks, m)
}

// Question is one of an agent's open questions.
type Question struct {
	Name string
	At   int64 // when the question was last asked
}

// Questions returns the open questions, oldest first.
func (c *Case) Questions() []Question {
	var open []Question
	for _, q := range c.questions(c.view()) {
		open = append(open, Question{q.start.Call, q.start.at})
	}
	return open
}

// questions returns the open questions, oldest first. The end of a turn closes that turn's
// questions. The office's decisions stay open until they are answered or the agent is gone. A
// question without a call id closes as soon as the agent makes progress. A question remembered
// from before a restart closes when there is new evidence.
func (c *Case) questions(v view) []*call {
	return slices.DeleteFunc(c.asks.running(v.gone), func(q *call) bool {
		over := q.start.at <= v.after && !contracts.HasPrefix(q.start.Call, contracts.PrefixDecision)
		return over || q.start.Call == "" && v.moved.at > q.start.at || q.start.remembered() && !v.onlyRemembered
	})
}

// ClampTimes permanently changes times in the future to now, so that a wrong clock cannot freeze a
// status.
func (c *Case) ClampTimes(now int64) {
	if c.latest <= now {
		return
	}
	c.latest = now
	for i := range c.marks {
		c.marks[i].at = min(c.marks[i].at, now)
	}
	c.line.at, c.said.at = min(c.line.at, now), min(c.said.at, now)
	c.tools.clampTimes(now)
	c.asks.clampTimes(now)
}

// newest returns the newest mark for which want returns true, or an unset mark.
func (c *Case) newest(want func(*mark) bool) mark {
	var found *mark
	for i := range c.marks {
		if m := &c.marks[i]; want(m) && (found == nil || m.compare(found) > 0) {
			found = m
		}
	}
	if found == nil {
		return mark{}
	}
	return *found
}
