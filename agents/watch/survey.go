package watch

import (
	"context"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// runSurveys asks the vendor's program about sessions whose status is in doubt, until ctx ends. If
// an answer was not useful, it waits longer before it asks again.
func (in *Watcher) runSurveys(ctx context.Context) {
	for wait := contracts.SurveyInterval; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		uncertain := in.Roster.UncertainGuests(string(in.Source))
		if len(uncertain) == 0 || in.survey(ctx, uncertain) {
			wait = contracts.SurveyInterval
		} else {
			wait = min(2*wait, contracts.SurveyIntervalMax)
		}
	}
}

// survey queries the vendor's program once and records, as evidence, what it reports about the
// agents in uncertain. It returns false if there was nothing to record. Reports about any other
// agent are ignored, because hooks and files are better sources for that agent.
func (in *Watcher) survey(ctx context.Context, uncertain []string) (useful bool) {
	asked := in.Now().UnixMilli()
	limited, cancel := context.WithTimeout(ctx, contracts.SurveyWait)
	defer cancel()
	reports, err := in.Survey(limited, in.Dir)
	if err != nil {
		in.Log.Debug("could not ask the agent program about its sessions", "error", err)
		return false
	}
	open := make(map[string]bool, len(uncertain))
	for _, id := range uncertain {
		open[id] = true
	}
	for _, r := range reports {
		id := in.Source.AgentID(r.Session, "")
		e, known := r.Evidence(asked)
		if !known || !open[id] {
			continue
		}
		delete(open, id) // one report per session
		in.Roster.AddEvidence(ctx, id, e)
		useful = true
	}
	return useful
}
