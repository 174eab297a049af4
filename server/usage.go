package server

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/world"
)

// Usage is the answer of /v1/usage. Days are in UTC, oldest first; tasks are those
// of the live work.
type Usage struct {
	Day      string       `json:"day"`
	Lifetime UsageTotal   `json:"lifetime"`
	Today    UsageTotal   `json:"today"`
	Days     []DayUsage   `json:"days,omitzero"`
	Agents   []AgentUsage `json:"agents,omitzero"`
	Tasks    []TaskUsage  `json:"tasks,omitzero"`
}

// UsageTotal is a sum of reports. CostUSD is what was priced; null when nothing
// was, because unknown is not zero. While Unpriced is not zero the true cost is
// higher. While Estimated is not zero the numbers are partly guessed by length.
type UsageTotal struct {
	TokensIn   int64    `json:"tokens_in"`
	TokensOut  int64    `json:"tokens_out"`
	CacheRead  int64    `json:"cache_read"`
	CacheWrite int64    `json:"cache_write"`
	CostUSD    *float64 `json:"cost_usd"`
	Priced     int64    `json:"priced"`
	Unpriced   int64    `json:"unpriced"`
	Estimated  int64    `json:"estimated"`
	Listed     int64    `json:"listed"` // reports whose price is a list price
}

// DayUsage is what was used on a day.
type DayUsage struct {
	Day string `json:"day"`
	UsageTotal
}

// AgentUsage is what one agent has ever used, also when it has left.
type AgentUsage struct {
	AgentID string `json:"agent_id"`
	Name    string `json:"name,omitzero"`
	UsageTotal
}

// TaskUsage is what one task has used.
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

// usageDaysShown is how many days are listed unless asked otherwise.
const usageDaysShown = 30

// The parts of an answer that ?by= chooses from.
var usageParts = []string{"day", "agent", "task"}

// serveUsage answers GET /v1/usage?days=&by=. Without by all parts are there.
func (s *Server) serveUsage(w http.ResponseWriter, r *http.Request) {
	days, parts, refusal := usageQuery(r)
	if refusal != nil {
		gate.Answer(w, http.StatusBadRequest, refusal)
		return
	}
	var out Usage
	now := s.office.Clock().MS()
	s.view.Look(func(w *world.World) {
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
	gate.Answer(w, http.StatusOK, out)
}

func usageQuery(r *http.Request) (days int, parts []string, refusal *contracts.Refusal) {
	query := r.URL.Query()
	days = usageDaysShown
	if text := query.Get("days"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > contracts.LimitUsageDays {
			return 0, nil, contracts.RefuseField("days", "days must be a whole number, 1 to %d", contracts.LimitUsageDays)
		}
		days = n
	}
	if query.Get("by") == "" {
		return days, usageParts, nil
	}
	for part := range strings.SplitSeq(query.Get("by"), ",") {
		if !slices.Contains(usageParts, part) {
			return 0, nil, contracts.RefuseField("by", "by must be some of %s, separated by commas", strings.Join(usageParts, ", "))
		}
		parts = append(parts, part)
	}
	return days, parts, nil
}

func usageDays(w *world.World, most int) []DayUsage {
	list := []DayUsage{}
	all := w.UsageDays()
	for _, d := range all[max(0, len(all)-most):] {
		list = append(list, DayUsage{d.Day, usageTotal(d.UsageTotal)})
	}
	return list
}

// usageAgents begins with the one heard of last.
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
