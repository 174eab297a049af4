package world

import (
	"slices"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// usage holds the totals of all reports. It is part of the fold, so that the totals outlive the
// agents and the activity behind them.
type usage struct {
	Lifetime contracts.UsageTotal `json:"lifetime"`
	Days     []DayUsage           `json:"days"`   // oldest first
	Agents   []*AgentUsage        `json:"agents"` // in the order of their last reports, oldest first
}

// DayUsage is the usage on one UTC day.
type DayUsage struct {
	Day string `json:"day"`
	contracts.UsageTotal
}

// AgentUsage is an agent's total usage, and its usage on its last active day. It is kept after the
// agent has left.
type AgentUsage struct {
	AgentID string `json:"agent_id"`
	Name    string `json:"name,omitzero"`
	contracts.UsageTotal
	Last DayUsage `json:"last"`
}

// dayOf returns the UTC day of a time in Unix milliseconds.
func dayOf(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.DateOnly) }

func (w *World) foldUsage(e *contracts.Event, ts int64) {
	if e.Usage == nil {
		return
	}
	if e.Usage.At > 0 { // a transcript may be read a day late
		ts = e.Usage.At
	}
	if tokens, ok := e.Usage.Context(); ok && w.agents[e.AgentID] != nil {
		w.agents[e.AgentID].Context = tokens
	}
	w.addUsage(e.AgentID, e.TaskID, *e.Usage, ts)
}

// foldRun counts a run's usage once, when the run ends.
func (w *World) foldRun(t *Task, r *contracts.Run) {
	ended := r.Status != contracts.RunStarted && r.Status != contracts.RunRunning
	counted := t.Run.RunID == r.RunID && t.Run.EndedAt != 0
	if t.Run = *r; !ended || counted || (r.TokensIn == 0 && r.TokensOut == 0 && r.CostUSD == nil) {
		return
	}
	w.addUsage(r.AgentID, r.TaskID, contracts.Usage{TokensIn: int64(r.TokensIn), TokensOut: int64(r.TokensOut), CostUSD: r.CostUSD}, r.EndedAt)
}

func (w *World) addUsage(agentID, taskID string, u contracts.Usage, ts int64) {
	w.s.Usage.Lifetime.Add(u)
	w.day(dayOf(ts)).Add(u)
	if agentID != "" {
		row := w.agentUsage(agentID)
		row.Add(u)
		day := dayOf(ts)
		if day > row.Last.Day { // if the clock was set back, no new day starts
			row.Last = DayUsage{Day: day}
		}
		if day == row.Last.Day || u.At == 0 {
			row.Last.Add(u)
		}
	}
	if t := w.tasks[taskID]; t != nil {
		var total contracts.UsageTotal // a copy, because snapshots share the old value
		if t.Usage != nil {
			total = *t.Usage
		}
		total.Add(u)
		t.Usage = &total
	}
}

// day returns a day's total, and creates it if necessary. Once there are LimitUsageDays days, usage
// from before the oldest day is added to the oldest day.
func (w *World) day(day string) *contracts.UsageTotal {
	i, found := w.findDay(day)
	days := w.s.Usage.Days
	full := len(days) >= contracts.LimitUsageDays
	if !found && !(full && i == 0) {
		days = slices.Insert(days, i, DayUsage{Day: day})
		if full {
			days, i = days[1:], i-1
		}
		w.s.Usage.Days = days
	}
	return &days[i].UsageTotal
}

func (w *World) findDay(day string) (int, bool) {
	return slices.BinarySearchFunc(w.s.Usage.Days, day, func(d DayUsage, day string) int { return strings.Compare(d.Day, day) })
}

// agentUsage returns an agent's total, creating it if necessary, and marks it as the most recently
// reported.
func (w *World) agentUsage(id string) *AgentUsage {
	row := w.used[id]
	if row == nil {
		row = &AgentUsage{AgentID: id}
		w.used[id] = row
	}
	if a := w.agents[id]; a != nil {
		row.Name = a.Name
	}
	rows := slices.DeleteFunc(w.s.Usage.Agents, func(r *AgentUsage) bool { return r == row })
	if len(rows) >= contracts.LimitUsageAgents {
		delete(w.used, rows[0].AgentID)
		rows = rows[1:]
	}
	w.s.Usage.Agents = append(rows, row)
	return row
}

// Usage returns the office's usage today and in total.
func (w *World) Usage(now int64) contracts.OfficeUsage {
	u := contracts.OfficeUsage{Day: dayOf(now), Lifetime: w.s.Usage.Lifetime}
	if i, found := w.findDay(u.Day); found {
		u.Today = w.s.Usage.Days[i].UsageTotal
	}
	return u
}

// UsageDays returns the totals of the newest days, at most LimitUsageDays, oldest day first.
func (w *World) UsageDays() []DayUsage { return slices.Clone(w.s.Usage.Days) }

// UsageAgents returns the totals of at most LimitUsageAgents agents, least recently reported first.
func (w *World) UsageAgents() []AgentUsage {
	out := make([]AgentUsage, len(w.s.Usage.Agents))
	for i, row := range w.s.Usage.Agents {
		out[i] = *row
	}
	return out
}

// usageOf returns a copy of an agent's total, or nil if no usage was reported.
func (w *World) usageOf(id string) *contracts.UsageTotal {
	row := w.used[id]
	if row == nil {
		return nil
	}
	return new(row.UsageTotal)
}
