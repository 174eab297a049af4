package hook

import "time"

// Limits and timeouts of hooks.
const (
	DefaultTimeout = 150 * time.Millisecond // timeout for an office that does not answer
	BreakerPause   = 10 * time.Second       // how long an office that did not answer is skipped
	Heartbeat      = 5 * time.Second        // heartbeat interval while the office is waiting for a person
	Silence        = 3 * Heartbeat          // after this long without a heartbeat, the terminal asks instead
	AnswerWait     = 10 * time.Minute       // how long the office waits for a person

	LimitBody       = 8 << 20           // bytes in one hook or in its answer
	limitHeaders    = 64                // header lines in a response
	limitResponse   = LimitBody + 1<<20 // bytes in a response, including heartbeats
	LimitSpoolFiles = 4096              // hooks on disk
	LimitSpoolBytes = 64 << 20
	LimitSpoolBad   = 64 // malformed hooks kept for inspection
)
