package hook

import "time"

// The limits of a hook.
const (
	Patience     = 150 * time.Millisecond // timeout for an office that does not answer
	BreakerPause = 10 * time.Second       // how long such an office is skipped
	Heartbeat    = 5 * time.Second        // interval of heartbeats while the office waits for a person
	Silence      = 3 * Heartbeat          // the terminal asks instead after this long without a heartbeat
	AnswerWait   = 10 * time.Minute       // the office's timeout for a person

	LimitBody       = 8 << 20           // bytes of one hook, and of its answer
	limitHeaders    = 64                // header lines of a response
	limitResponse   = LimitBody + 1<<20 // bytes of a response, heartbeats included
	LimitSpoolFiles = 4096              // hooks on disk
	LimitSpoolBytes = 64 << 20
	LimitSpoolBad   = 64 // malformed hooks that are kept for inspection
)
