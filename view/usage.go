package view

import (
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// Usage is the response to GET /v1/usage. Days lists UTC days, oldest first. Tasks lists only
// the tasks of live projects.
type Usage struct {
	Day      string       `json:"day"`
	Lifetime UsageTotal   `json:"lifetime"`
	Today    UsageTotal   `json:"today"`
	Days     []DayUsage   `json:"days,omitzero"`
	Agents   []AgentUsage `json:"agents,omitzero"`
	Tasks    []TaskUsage  `json:"tasks,omitzero"`
}

// UsageTotal is a sum of reports. CostUSD is the sum of the reports with a price, or null if no
// report has a price, because an unknown cost is not zero. If Unpriced is not zero, the true cost
// is higher. If Estimated is not zero, some numbers were estimated from the length of text.
type UsageTotal struct {
	TokensIn   int64    `json:"tokens_in"`
	TokensOut  int64    `json:"tokens_out"`
	CacheRead  int64    `json:"cache_read"`
	CacheWrite int64    `json:"cache_write"`
	CostUSD    *float64 `json:"cost_usd"`
	Priced     int64    `json:"priced"`
	Unpriced   int64    `json:"unpriced"`
	Estimated  int64    `json:"estimated"`
	Listed     int64    `json:"listed"` // reports whose cost was computed from list prices
}

// DayUsage is the usage of one day.
type DayUsage struct {
	Day string `json:"day"`
	UsageTotal
}

// AgentUsage is the total usage of one agent, which may have left.
type AgentUsage struct {
	AgentID string `json:"agent_id"`
	Name    string `json:"name,omitzero"`
	UsageTotal
}

// TaskUsage is the usage of one task.
type TaskUsage struct {
	TaskID    string `json:"task_id"`
	ProjectID string `json:"project_id,omitzero"`
	Title     string `json:"title,omitzero"`
	UsageTotal
}

func usageTotal(t contracts.UsageTotal) UsageTotal {
	out := UsageTotal{TokensIn: t.TokensIn, TokensOut: t.TokensOut, CacheRead: t.CacheRead, CacheWrite: t.CacheWrite, Priced: t.Priced, Unpriced: t.Unpriced, Estimated: t.Estimated, Listed: t.Listed}
	if t.Priced > 0 {
		out.CostUSD = &t.CostUSD
	}
	return out
}

// UsageParts are the names of the optional parts of Usage.
var UsageParts = []string{"day", "agent", "task"}

// Usage returns the totals and the named parts; the part "day" is limited to the given number of
// days.
func (v *View) Usage(days int, parts []string) (out Usage) {
	now := v.ms()
	v.Look(func(w *world.World) {
		total := w.Usage(now)
		out = Usage{Day: total.Day, Today: usageTotal(total.Today), Lifetime: usageTotal(total.Lifetime)}
		if slices.Contains(parts, "day") {
			out.Days = usageDays(w, days)
		}
		if slices.Contains(parts, "agent") {
			out.Agents = usageAgents(w)
		}
		if slices.Contains(parts, "task") {
			out.Tasks = usageTasks(w)
		}
	})
	return out
}

// Spent returns the usage of a task, today's usage of an agent, and today's usage that counts
// against the crew's daily budget. The usage of crew members counts, as does that of programs that
// the office starts for bridge callers. Other guests do not count, because the office cannot stop
// them.
func (v *View) Spent(agentID, taskID string) (task, agentDay, day contracts.UsageTotal) {
	now := v.ms()
	v.Look(func(w *world.World) {
		if t := w.Task(taskID); t != nil && t.Usage != nil {
			task = *t.Usage
		}
		today := w.Usage(now).Day
		for _, u := range w.UsageAgents() {
			if a := w.Agent(u.AgentID); u.Last.Day != today || a == nil || a.Guest() && a.Source != contracts.SourceBridge {
				continue
			}
			if u.AgentID == agentID {
				agentDay = u.Last.UsageTotal
			}
			add(&day, u.Last.UsageTotal)
		}
	})
	return task, agentDay, day
}

func add(sum *contracts.UsageTotal, t contracts.UsageTotal) {
	sum.TokensIn += t.TokensIn
	sum.TokensOut += t.TokensOut
	sum.CostUSD += t.CostUSD
	sum.Priced += t.Priced
	sum.Unpriced += t.Unpriced
	sum.Estimated += t.Estimated
	sum.Listed += t.Listed
}

func usageDays(w *world.World, most int) []DayUsage {
	list := []DayUsage{}
	all := w.UsageDays()
	for _, d := range all[max(0, len(all)-most):] {
		list = append(list, DayUsage{d.Day, usageTotal(d.UsageTotal)})
	}
	return list
}

// usageAgents returns the usage of the agents in w.UsageAgents, most recently reported first.
func usageAgents(w *world.World) []AgentUsage {
	list := []AgentUsage{}
	for _, a := range slices.Backward(w.UsageAgents()) {
		list = append(list, AgentUsage{a.AgentID, a.Name, usageTotal(a.UsageTotal)})
	}
	return list
}

func usageTasks(w *world.World) []TaskUsage {
	list := []TaskUsage{}
	for _, t := range w.Tasks() {
		if t.Usage != nil {
			list = append(list, TaskUsage{t.TaskID, t.ProjectID, t.Title, usageTotal(*t.Usage)})
		}
	}
	return list
}
