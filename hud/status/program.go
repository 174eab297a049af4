package status

import "github.com/bullpen-office/bullpen/contracts"

// A vendor's program that lists its sessions is an independent witness, but a weak one: it may only
// repeat what a session wrote before it hung. What it says therefore never starts a turn, and keeps
// a turn open for at most contracts.SilenceTool after the last progress.

// vouch extends an expired verdict about an open turn if the vendor's program says that the agent is
// busy.
func (v view) vouch(f *finding, now int64) {
	until := min(v.busy.at+contracts.SilenceTurn.Milliseconds(), v.moved.at+contracts.SilenceTool.Milliseconds())
	if v.busy.known() && now >= f.until && until > f.until {
		f.until, f.by, f.detail = until, v.busy, v.busy.Says
	}
}

// blocked returns the verdict while the vendor's program says that the agent needs a person; false
// if it does not say so, if it has not said so for a while, or if there has been progress since.
func (c *Case) blocked(v view, now int64) (finding, bool) {
	b := c.newest(func(m *mark) bool { return m.Claim == Blocked && m.at > max(v.after, v.moved.at, v.busy.at) })
	f := finding{activity: contracts.ActivityWaiting, by: b, what: b.label(), detail: b.Says, line: b.label(), since: b.at, until: b.at + contracts.SilenceTurn.Milliseconds()}
	return f, b.known() && now < f.until
}

// Doubt reports whether to ask the vendor's program about the verdict at the time now: the program
// has not said anything recently, and the verdict either expires within contracts.SurveyLead or
// expired because of silence within the last contracts.SilenceTool.
func (c *Case) Doubt(now int64) bool {
	f := c.find(now)
	said := c.newest(func(m *mark) bool { return m.Source == contracts.FromProgram })
	if said.known() && now < said.at+(contracts.SilenceTurn-contracts.SurveyLead).Milliseconds() {
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
