package status

import "github.com/bullpen-office/bullpen/contracts"

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
	At     int64  // Unix milliseconds
}
