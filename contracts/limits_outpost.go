package contracts

import "time"

// Limits for outposts.
const (
	LimitOutpostName    = 48       // characters in an outpost's name
	LimitOutpostWatches = 32       // sources that an outpost watches
	LimitFacts          = 128      // facts in one request
	LimitFactsBytes     = 4 << 20  // bytes of the facts in one request
	LimitOutpostSpool   = 64 << 20 // bytes of facts that an outpost stores while it cannot reach the office
	LimitOutpostEntries = 1 << 16  // stored requests
	LimitOutpostReasons = 16       // different reasons that an outpost logs while it is disconnected from the office
	LimitOutpostDeltas  = 256      // text deltas in one request, and in the send queue; a full queue drops new deltas

	OutpostTimeout      = 10 * time.Second       // timeout for an outpost's requests that do not wait for a person
	OutpostAskWait      = 5 * time.Second        // how long to wait for the connection before a question is asked in the terminal
	OutpostRetryMin     = 250 * time.Millisecond // first wait before reconnecting; grows up to OutpostRetryMax
	OutpostRetryMax     = 5 * time.Second
	OutpostHeartbeat    = 5 * time.Second      // how often an outpost reports if it has no facts to send
	OutpostSilence      = 3 * OutpostHeartbeat // an outpost that is silent for longer is shown as disconnected
	OutpostOfflineAfter = 2 * time.Minute      // an outpost's agents go offline if it is silent for longer than this
)
