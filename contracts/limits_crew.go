package contracts

import "time"

// The limits of getting facts into the ledger.
const (
	LimitLookBack = 5_000 // newest records searched for activity that the last life left open

	RecordRetryMin = 100 * time.Millisecond // before a fact that the ledger did not take is offered again
	RecordRetryMax = 5 * time.Second
)
