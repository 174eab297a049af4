package contracts

import "time"

// The limits of the HTTP doors.
const (
	WipeTimeout    = 5 * time.Minute // for the files of a ledger after a redaction; what is left is wiped at the next start
	LimitPath      = 1024
	LimitAddresses = 4096    // peers that the limiters remember
	LimitTokens    = 1024    // stored credentials, browser sessions among them
	LimitSessions  = 32      // browser sessions that one token made; the oldest ends for a new one
	LimitLinks     = 16      // one-time links that wait to be opened
	LimitSignIn    = 4096    // bytes of a posted sign-in form
	LimitCompress  = 1 << 10 // bytes of a JSON answer from which it is compressed
	LimitReadyLag  = 1000    // records that viewers may be behind while the server calls itself ready

	LimitActivityRecords = 1_000_000 // of each kind of activity; the oldest go first

	HTTPRequestsPerSecond = 2000 // per address: a whole team behind one proxy fits
	HTTPRequestBurst      = 20_480
	FailedLoginsPerMinute = 10 // per address

	HeaderTimeout  = 10 * time.Second
	BodyTimeout    = 30 * time.Second
	DrainTimeout   = 2 * time.Second // to read a body that is too large, so that its sender hears why
	LimitDrain     = 4 * LimitBody   // of such a body
	IdleTimeout    = 2 * time.Minute
	LinkLifetime   = 10 * time.Minute
	SessionLife    = 30 * 24 * time.Hour // of a browser's operator cookie
	UpkeepInterval = 10 * time.Minute
	ClockJump      = 24 * time.Hour // retention pauses when the clock jumps ahead by more
	ClockDoubt     = 24 * time.Hour // how long retention then pauses
	RevokeCheck    = time.Second    // how long an open socket may outlive its credential
)
