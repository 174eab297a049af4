package status

import "github.com/bullpen-office/bullpen/contracts"

// A vendor's program that lists its sessions is an independent but weak source: it may only repeat
// what a session wrote before the session hung. Its reports therefore never start a turn, and keep
// a turn open for at most contracts.SilenceTool after the last progress.

// extendIfBusy extends an expired verdict about an open turn if the vendor's program reports that
// the agent is busy.
func (v view) extendIfBusy(f *finding, now int64) {
	until := min(v.busy.at+contracts.SilenceTurn.Milliseconds(), v.moved.at+contracts.SilenceTool.Milliseconds())
	if v.busy.isSet() && now >= f.until && until > f.until {
		f.until, f.by, f.detail = until, v.busy, v.busy.Says
	}
}

// blocked returns the verdict for an agent that, according to the vendor's program, needs a person.
// It returns false if there is no recent report, or if the agent has made progress since the
// report.
func (c *Case) blocked(v view, now int64) (finding, bool) {
	b := c.newest(func(m *mark) bool { return m.Claim == Blocked && m.at > max(v.after, v.moved.at, v.busy.at) })
	f := finding{activity: contracts.ActivityWaiting, by: b, what: b.label(), detail: b.Says, line: b.label(), since: b.at, until: b.at + contracts.SilenceTurn.Milliseconds()}
	return f, b.isSet() && now < f.until
}

// IsUncertain reports whether the verdict at time now should be confirmed by the vendor's program. It
// returns false if the program has reported recently. Otherwise it returns true if the verdict
// expires within contracts.SurveyLead, or if it expired less than contracts.SilenceTool ago because
// of silence.
func (c *Case) IsUncertain(now int64) bool {
	f := c.find(now)
	report := c.newest(func(m *mark) bool { return m.Source == contracts.FromProgram })
	if report.isSet() && now < report.at+(contracts.SilenceTurn-contracts.SurveyLead).Milliseconds() {
		return false
	}
	switch f.activity {
	case contracts.ActivityIdle:
		return f.silence != nil && f.silence.turns && now < f.silence.begins+contracts.SilenceTool.Milliseconds()
	case contracts.ActivityWorking, contracts.ActivityWaiting:
		return f.until > 0 && now >= f.until-contracts.SurveyLead.Milliseconds()
	}
	return false
}
