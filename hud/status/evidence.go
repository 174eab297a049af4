package status

import (
	"cmp"

	"github.com/bullpen-office/bullpen/contracts"
)

// Claim is what a piece of evidence says.
type Claim string

// The claims, from the strongest sign of work to the strongest sign of absence.
const (
	TurnStarted Claim = "turn_started"
	ToolStarted Claim = "tool_started" // Call names it
	ToolEnded   Claim = "tool_ended"   // likewise
	Sign        Claim = "sign"         // something moved inside a turn
	Asked       Claim = "asked"        // a person is needed; Call names the question
	Answered    Claim = "answered"     // the question Call needs nobody any more
	TurnEnded   Claim = "turn_ended"
	Interrupted Claim = "interrupted" // a person stopped the turn
	Present     Claim = "present"     // it is there; nothing is said about work
	Alive       Claim = "alive"       // its process or its connection lives
	Gone        Claim = "gone"        // its process or its connection is gone
	Ended       Claim = "ended"       // it said goodbye
)

// Evidence is one thing that was seen of an agent.
type Evidence struct {
	Source contracts.EvidenceSource
	Claim  Claim
	Call   string
	Says   string // for people: "PreToolUse Bash", "pid 4711 is gone"
	Line   string // what it is doing, to show above its head; empty keeps the last
	Said   string // of the end of a turn: the agent's answer; empty keeps the last
	At     int64  // Unix milliseconds
	Until  int64  // when Line is not to be shown any more; 0 means that another replaces it
}

// part is what a claim means for a verdict.
type part struct {
	turn   bool // it is about a turn, not only about presence
	moves  bool // something went on: a turn that is open stays open
	opens  bool // a turn is open, even if nobody saw it start
	closes bool // the turn is over, with its tools and its questions
	lives  bool // brings back who was gone
	leaves bool // it is gone
}

// parts is the table of claims; what is not in it is no evidence. What ends
// something brings nobody back: ends come late, when the dead are tidied up.
var parts = map[Claim]part{
	TurnStarted: {turn: true, moves: true, opens: true, lives: true},
	ToolStarted: {turn: true, moves: true, opens: true, lives: true},
	ToolEnded:   {turn: true, moves: true},
	Sign:        {turn: true, moves: true, opens: true, lives: true},
	Asked:       {turn: true, moves: true, lives: true},
	Answered:    {turn: true, moves: true},
	TurnEnded:   {turn: true, closes: true},
	Interrupted: {turn: true, closes: true},
	Present:     {lives: true},
	Alive:       {lives: true},
	Gone:        {leaves: true},
	Ended:       {leaves: true},
}

// ranks says whose word decides when several speak about the same turn. Sources
// that are told at once stand above those that are read afterwards.
var ranks = map[contracts.EvidenceSource]int{
	contracts.FromHook:       7,
	contracts.FromGateway:    6,
	contracts.FromStream:     5,
	contracts.FromEvent:      4,
	contracts.FromTranscript: rankTranscript,
	contracts.FromProcess:    2,
	contracts.FromOffice:     1,
}

const rankTranscript = 3

// mark is a piece of evidence with the time that counts: when it was seen, but
// never later than the first verdict after it.
type mark struct {
	Evidence
	part
	rank int // of its source
	at   int64
}

func markOf(e Evidence) mark {
	return mark{Evidence: e, part: parts[e.Claim], rank: ranks[e.Source], at: e.At}
}

// live reports a mark of a source that is told things as they happen.
func (m *mark) live() bool { return m.rank > rankTranscript }

// known reports whether there is a mark at all.
func (m *mark) known() bool { return m.Claim != "" }

// remembered reports what the office only remembers from before a restart; what it
// knows first-hand is which questions, by their names, are open and answered.
func (m *mark) remembered() bool {
	return m.Source == contracts.FromOffice && m.Claim != Answered && (m.Claim != Asked || m.Call == "")
}

// compare orders marks by time; the rest of the evidence decides between equals,
// so that the order of arrival never does.
func (m *mark) compare(o *mark) int {
	if m.at != o.at { // nearly always
		return cmp.Compare(m.at, o.at)
	}
	return cmp.Or(
		cmp.Compare(m.At, o.At), cmp.Compare(m.rank, o.rank),
		cmp.Compare(m.Claim, o.Claim), cmp.Compare(m.Call, o.Call), cmp.Compare(m.Says, o.Says), cmp.Compare(m.Line, o.Line), cmp.Compare(m.Said, o.Said), cmp.Compare(m.Until, o.Until),
	)
}

// newer is the later of two marks.
func newer(a, b mark) mark {
	switch {
	case !a.known():
		return b
	case b.known() && b.compare(&a) > 0:
		return b
	}
	return a
}
