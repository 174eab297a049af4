package status

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// label returns the evidence's line, or its description if there is no line.
func (m *mark) label() string {
	if m.Line != "" {
		return m.Line
	}
	return m.Says
}

func (f finding) authority() contracts.EvidenceSource {
	switch {
	case f.silence != nil:
		return contracts.FromSilence
	case f.by.isSet():
		return f.by.Source
	}
	return contracts.FromOffice
}

// why returns the reason for the verdict as a sentence. If now is set, the sentence includes how
// long the verdict has applied. Recorded sentences omit the duration, because a record has its own
// time.
func (f finding) why(now int64) string {
	if f.silence != nil {
		return f.silence.why(f.activity)
	}
	source := string(f.authority())
	if f.detail != "" && f.detail != f.what {
		source += ": " + f.detail
	}
	if d := now - cmp.Or(f.from, f.since); now > 0 && d >= time.Second.Milliseconds() {
		source += ", for " + FormatDuration(time.Duration(d)*time.Millisecond)
	}
	return contracts.ActivityWords[f.activity] + ": " + f.what + " (" + source + ")"
}

func (s *silence) why(a contracts.Activity) string {
	switch {
	case a == contracts.ActivityOffline, !s.turns:
		return contracts.ActivityWords[a] + ": no activity for " + FormatDuration(s.length)
	case s.alive:
		return fmt.Sprintf("Not working: no activity for %s in the middle of a turn; the agent's process is running, so the turn was probably interrupted or is hanging", FormatDuration(s.length))
	}
	return fmt.Sprintf("Not working: no activity for %s in the middle of a turn, which was probably interrupted", FormatDuration(s.length))
}

// FormatDuration formats a duration for people: 12 s, 90 s, 10 min, 3 h.
func FormatDuration(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d days", d/(24*time.Hour))
}

// evidence returns the evidence for a verdict, newest first.
func (c *Case) evidence(f finding) []contracts.Evidence {
	marks := make([]*mark, len(c.marks))
	for i := range c.marks {
		marks[i] = &c.marks[i]
	}
	slices.SortFunc(marks, func(a, b *mark) int { return b.compare(a) })
	out := make([]contracts.Evidence, 0, len(marks)+1)
	if s := f.silence; s != nil {
		out = append(out, contracts.Evidence{Source: contracts.FromSilence, Says: "no activity for " + FormatDuration(s.length), At: s.begins})
	}
	for _, m := range marks {
		out = append(out, contracts.Evidence{Source: m.Source, Says: m.Says, At: m.at, Until: m.until()})
	}
	slices.SortStableFunc(out, func(a, b contracts.Evidence) int { return int(min(max(b.At-a.At, -1), 1)) })
	return out[:min(len(out), contracts.LimitEvidence)]
}

// until returns when a piece of evidence expires if no other evidence follows; 0 means never.
func (m *mark) until() int64 {
	switch {
	case m.leaves, m.Claim == Asked:
		return 0
	case m.Claim == ToolStarted:
		return m.at + contracts.SilenceTool.Milliseconds()
	case m.moves, m.Claim == Busy, m.Claim == Blocked:
		return m.at + contracts.SilenceTurn.Milliseconds()
	}
	return m.at + contracts.SilenceOffline.Milliseconds()
}
