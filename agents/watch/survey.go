package watch

import (
	"context"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// runSurveys asks the vendor's program about sessions whose status is in doubt, until ctx is done.
// If an answer was not useful, it waits longer before it asks again.
func (w *Watcher) runSurveys(ctx context.Context) {
	for wait := contracts.SurveyInterval; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		uncertain := w.Roster.UncertainGuests(string(w.Source))
		if len(uncertain) == 0 || w.survey(ctx, uncertain) {
			wait = contracts.SurveyInterval
		} else {
			wait = min(2*wait, contracts.SurveyIntervalMax)
		}
	}
}

// survey queries the vendor's program once and records, as evidence, what it reports about the
// agents in uncertain. It returns false if there was nothing to record. Reports about any other
// agent are ignored, because hooks and files are better sources for that agent.
func (w *Watcher) survey(ctx context.Context, uncertain []string) (useful bool) {
	asked := w.Now().UnixMilli()
	limited, cancel := context.WithTimeout(ctx, contracts.SurveyWait)
	defer cancel()
	reports, err := w.Survey(limited, w.Dir)
	if err != nil {
		w.Log.Debug("could not ask the agent program about its sessions", "error", err)
		return false
	}
	open := make(map[string]bool, len(uncertain))
	for _, id := range uncertain {
		open[id] = true
	}
	for _, r := range reports {
		id := w.Source.AgentID(r.Session, "")
		e, known := r.Evidence(asked)
		if !known || !open[id] {
			continue
		}
		delete(open, id) // one report per session
		w.Roster.AddEvidence(ctx, id, e)
		useful = true
	}
	return useful
}
