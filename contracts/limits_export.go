package contracts

import "time"

// The limits of what goes out to other systems.
const (
	LimitAGUIStreams  = 256     // AG-UI streams at the same time
	LimitExportOpen   = 1024    // turns and calls that an export keeps waiting for their end
	LimitLookAhead    = 1_000   // records of activity after a cursor that are searched for what ends there
	LimitExportDone   = 4096    // ended calls remembered, so that a second end is not a second call
	LimitExportArgs   = 4 << 10 // bytes of arguments that an AG-UI stream keeps of a call that runs
	LimitOTLPSpans    = 512     // spans in one request
	LimitOTLPBytes    = 2 << 20 // bytes of one request before compression
	LimitOTLPEvents   = 128     // events of one span
	LimitOTLPWaiting  = 16      // things received that wait for the turn they belong to
	LimitOTLPUnsaved  = 1000    // records read without a span before the position is saved
	LimitOTLPValue    = 8 << 10 // bytes of one attribute
	LimitOTLPResponse = 64 << 10

	OTLPInterval = 2 * time.Second  // how long a finished span waits for others
	OTLPTimeout  = 10 * time.Second // of one request
	OTLPRetryMin = time.Second
	OTLPRetryMax = time.Minute
	OTLPObey     = 10 * time.Minute // the longest Retry-After that is honoured
	OTLPSettle   = 5 * time.Second  // a turn that ended waits as long for the report of its tokens
	OTLPPatience = time.Hour        // a turn that nobody hears of as long is exported without an end
	OTLPGoodbye  = 2 * time.Second  // the last request when the office closes
)
