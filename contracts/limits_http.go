package contracts

import "time"

// Limits for the HTTP endpoints.
const (
	WipeTimeout    = 5 * time.Minute // maximum time to wipe a ledger's files after a redaction; the next start finishes the rest
	LimitPath      = 1024
	LimitAddresses = 4096    // addresses that the rate limiters track
	LimitTokens    = 1024    // stored credentials, including browser sessions
	LimitSessions  = 32      // browser sessions per token; a new session ends the oldest
	LimitLinks     = 16      // unused one-time links
	LimitSignIn    = 4096    // bytes of a posted sign-in form
	LimitCompress  = 1 << 10 // bytes; smaller JSON responses are not compressed
	LimitReadyLag  = 1000    // how many records viewers may lag behind before the server stops reporting ready

	LimitActivityRecords = 1_000_000 // records kept for each kind of activity; the oldest are removed first

	HTTPRequestsPerSecond = 2000 // per address: enough for a team behind one proxy
	HTTPRequestBurst      = 20_480
	FailedLoginsPerMinute = 10 // per address

	HeaderTimeout  = 10 * time.Second
	BodyTimeout    = 30 * time.Second
	DrainTimeout   = 2 * time.Second // how long the rest of an oversized body is read, so that the sender receives the error
	LimitDrain     = 4 * LimitBody   // bytes read from the rest of an oversized body
	IdleTimeout    = 2 * time.Minute
	LinkLifetime   = 10 * time.Minute
	SessionLife    = 30 * 24 * time.Hour // lifetime of a browser's operator cookie
	UpkeepInterval = 10 * time.Minute

	ShutdownUnrecorded = time.Second // how long a shutdown waits for requests in progress while nothing can be recorded

	ClockJump   = 24 * time.Hour // retention pauses if the clock jumps ahead by more than this
	ClockPause  = 24 * time.Hour // how long retention pauses after a clock jump
	RevokeCheck = time.Second    // how long an open socket may outlive its credential
)
