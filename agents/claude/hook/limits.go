package hook

import "time"

// The limits of a hook.
const (
	Patience     = 150 * time.Millisecond // the longest wait for an office that says nothing
	BreakerPause = 10 * time.Second       // how long such an office is not asked again
	Heartbeat    = 5 * time.Second        // between two signs of an office that waits for a person
	Silence      = 3 * Heartbeat          // without such a sign the terminal asks instead
	AnswerWait   = 10 * time.Minute       // the longest wait of the office for a person

	LimitBody       = 8 << 20           // bytes of one hook, and of its answer
	limitHeaders    = 64                // of a response
	limitResponse   = LimitBody + 1<<20 // bytes of a response, heartbeats included
	LimitSpoolFiles = 4096              // hooks on disk
	LimitSpoolBytes = 64 << 20
	LimitSpoolBad   = 64 // malformed hooks that are kept for people to look at
)
