package status

import (
	"cmp"

	"github.com/bullpen-office/bullpen/contracts"
)

// Claim is the statement that a piece of evidence makes.
type Claim string

// Claims, from the strongest sign of work to the strongest sign of absence.
const (
	TurnStarted Claim = "turn_started"
	ToolStarted Claim = "tool_started" // a tool call was started; Call is its id
	ToolEnded   Claim = "tool_ended"   // a tool call ended; Call is its id
	Sign        Claim = "sign"         // progress inside a turn
	Asked       Claim = "asked"        // a person is needed; Call is the question's name
	Answered    Claim = "answered"     // a question is closed; Call is its name
	TurnEnded   Claim = "turn_ended"
	Interrupted Claim = "interrupted" // a person stopped the turn
	Present     Claim = "present"     // the agent is present, whether it is working or not
	Alive       Claim = "alive"       // the agent's process or connection is up
	Busy        Claim = "busy"        // the vendor's program reports that the agent is in a turn
	Blocked     Claim = "blocked"     // the vendor's program reports that the agent needs a person
	Gone        Claim = "gone"        // the agent's process or connection is gone
	Ended       Claim = "ended"       // the agent ended its session
)

// Evidence is one observation of an agent.
type Evidence struct {
	Source contracts.EvidenceSource
	Claim  Claim
	Call   string
	Says   string // for display: "PreToolUse Bash", "pid 4711 is gone"
	Line   string // what the agent is doing, shown above its head; if empty, the previous text is kept
	Said   string // the agent's answer at the end of a turn; if empty, the previous answer is kept
	At     int64  // Unix milliseconds
	Until  int64  // when Line expires; 0 means that Line stays until another line replaces it
}

// effect is what a claim changes in a verdict.
type effect struct {
	turn    bool // concerns a turn, not only the agent's presence
	moves   bool // shows progress, so an open turn stays open
	opens   bool // opens a turn, even if its start was not seen
	closes  bool // ends the turn, its tools and its questions
	revives bool // brings back an agent that was gone
	leaves  bool // the agent is gone
}

// effects maps claims to their effects; other claims are ignored. The end of a tool call, a question
// or a turn never brings an agent back, because such an end may arrive late, during cleanup.
var effects = map[Claim]effect{
	TurnStarted: {turn: true, moves: true, opens: true, revives: true},
	ToolStarted: {turn: true, moves: true, opens: true, revives: true},
	ToolEnded:   {turn: true, moves: true},
	Sign:        {turn: true, moves: true, opens: true, revives: true},
	Asked:       {turn: true, moves: true, revives: true},
	Answered:    {turn: true, moves: true},
	TurnEnded:   {turn: true, closes: true},
	Interrupted: {turn: true, closes: true},
	Present:     {revives: true},
	Alive:       {revives: true},
	Busy:        {turn: true},
	Blocked:     {turn: true},
	Gone:        {leaves: true},
	Ended:       {leaves: true},
}

// ranks decides which source counts if several sources report on the same turn: the source with the
// highest rank. Sources that report live rank above sources that are read afterwards.
var ranks = map[contracts.EvidenceSource]int{
	contracts.FromHook:       8,
	contracts.FromGateway:    7,
	contracts.FromStream:     6,
	contracts.FromEvent:      5,
	contracts.FromTranscript: rankTranscript,
	contracts.FromProgram:    3,
	contracts.FromProcess:    2,
	contracts.FromOffice:     1,
}

const rankTranscript = 4

// mark is a piece of evidence with its effective time: the time when it was observed, but not later
// than the first verdict after it arrived.
type mark struct {
	Evidence
	effect
	rank int // rank of the source
	at   int64
}

func markOf(e Evidence) mark {
	return mark{Evidence: e, effect: effects[e.Claim], rank: ranks[e.Source], at: e.At}
}

// live reports whether the mark's source sends reports in real time.
func (m *mark) live() bool { return m.rank > rankTranscript }

// isSet reports whether the mark holds a piece of evidence; the zero mark does not.
func (m *mark) isSet() bool { return m.Claim != "" }

// remembered reports whether the mark was restored after a restart rather than observed since then.
// Answers and named questions do not count, because the office recorded them itself.
func (m *mark) remembered() bool {
	return m.Source == contracts.FromOffice && m.Claim != Answered && (m.Claim != Asked || m.Call == "")
}

// compare orders marks by time; other fields break ties, so that the order of arrival never
// matters.
func (m *mark) compare(o *mark) int {
	if m.at != o.at { // true for almost all pairs
		return cmp.Compare(m.at, o.at)
	}
	return cmp.Or(
		cmp.Compare(m.At, o.At), cmp.Compare(m.rank, o.rank),
		cmp.Compare(m.Claim, o.Claim), cmp.Compare(m.Call, o.Call), cmp.Compare(m.Says, o.Says), cmp.Compare(m.Line, o.Line), cmp.Compare(m.Said, o.Said), cmp.Compare(m.Until, o.Until),
	)
}

// newer returns the later of two marks.
func newer(a, b mark) mark {
	switch {
	case !a.isSet():
		return b
	case b.isSet() && b.compare(&a) > 0:
		return b
	}
	return a
}
