package contracts

import "time"

// Limits of outposts.
const (
	LimitOutpostName    = 48       // characters of an outpost's name
	LimitOutpostWatches = 32       // sources that an outpost watches
	LimitFacts          = 128      // facts in one request
	LimitFactsBytes     = 4 << 20  // bytes of the facts in one request
	LimitOutpostSpool   = 64 << 20 // bytes of facts that an outpost stores while it cannot reach the office
	LimitOutpostDeltas  = 256      // text deltas in one request, and waiting to be sent; newer ones are dropped

	OutpostHeartbeat = 5 * time.Second      // interval of an outpost's reports without facts
	OutpostSilence   = 3 * OutpostHeartbeat // an outpost that is silent for longer is shown as disconnected
	OutpostGone      = 2 * time.Minute      // the agents of an outpost that is silent for longer go offline
)
