package contracts

import "time"

// Limits for exports to other systems.
const (
	LimitAGUIStreams  = 256     // concurrent AG-UI streams
	LimitExportOpen   = 1024    // open turns and calls that an export tracks
	LimitLookAhead    = 1_000   // activity records after a cursor that are searched for the ends of turns and calls
	LimitExportDone   = 4096    // ended calls that are remembered, so that a repeated end is ignored
	LimitExportArgs   = 4 << 10 // bytes of a running call's arguments that an AG-UI stream keeps
	LimitOTLPSpans    = 512     // spans in one request
	LimitOTLPBytes    = 2 << 20 // bytes of one request before compression
	LimitOTLPEvents   = 128     // events in one span
	LimitOTLPWaiting  = 16      // received messages that are waiting to be processed
	LimitOTLPUnsaved  = 1000    // the position is saved after this many records even if they produce no span
	LimitOTLPValue    = 8 << 10 // bytes of one attribute value
	LimitOTLPResponse = 64 << 10

	OTLPInterval      = 2 * time.Second  // how long a finished span waits to be batched
	OTLPTimeout       = 10 * time.Second // timeout of one request
	OTLPRetryMin      = time.Second
	OTLPRetryMax      = time.Minute
	OTLPRetryAfterMax = 10 * time.Minute // the longest Retry-After that is honoured
	OTLPSettle        = 5 * time.Second  // how long an ended turn waits for its usage report
	OTLPTurnIdle      = time.Hour        // a turn without activity for this long is exported without an end
	OTLPShutdown      = 2 * time.Second  // timeout for the last request at shutdown
)
