package watch

import (
	"context"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// surveys asks the vendor's program about sessions whose status is in doubt, until ctx ends. If an
// answer was not useful, it waits longer before it asks again.
func (in *Intake) surveys(ctx context.Context) {
	for wait := contracts.SurveyInterval; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		doubts := in.Roster.Doubts(string(in.Source))
		if len(doubts) == 0 || in.survey(ctx, doubts) {
			wait = contracts.SurveyInterval
		} else {
			wait = min(2*wait, contracts.SurveyIntervalMost)
		}
	}
}

// survey queries the vendor's program once and records what it reports about the agents listed in
// doubts as evidence. It returns false if there was nothing to record. Reports about any other
// agent are ignored, because hooks and files are better sources for that agent.
func (in *Intake) survey(ctx context.Context, doubts []string) (useful bool) {
	asked := in.Now().UnixMilli()
	limited, cancel := context.WithTimeout(ctx, contracts.SurveyWait)
	defer cancel()
	reports, err := in.Survey(limited, in.Dir)
	if err != nil {
		in.Log.Debug("could not ask the agent program about its sessions", "error", err)
		return false
	}
	open := make(map[string]bool, len(doubts))
	for _, id := range doubts {
		open[id] = true
	}
	for _, r := range reports {
		id := in.Source.AgentID(r.Session, "")
		e, known := r.Evidence(asked)
		if !known || !open[id] {
			continue
		}
		delete(open, id) // one report per session
		in.Roster.Witness(ctx, id, e)
		useful = true
	}
	return useful
}
