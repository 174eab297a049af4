package contracts

import "time"

// The limits of a terminal that looks at the office.
const (
	LimitServerMessage = 32 << 20 // bytes of one message of the server; a larger one ends the connection
	LimitReplayBurst   = 2000     // replayed messages that a client applies together
	LimitLookBackTalk  = 20_000   // records searched for the talk before a client was there
	LimitLookBackFeed  = 1000     // the same for everything else
	LimitOpenCommands  = 64       // commands of a terminal on their way
	LimitCommandTries  = 3        // sendings of a command that was too fast

	ClientConnect   = 5 * time.Second        // for a TCP connection of a client
	ClientRetry     = 200 * time.Millisecond // before a client asks an office again that is away; doubled up to ClientRetryMost
	ClientRetryMost = 5 * time.Second

	LinkRetryFirst = time.Second     // before the first attempt to come back; doubled up to LinkRetryMost
	LinkRetryMost  = 8 * time.Second // …
	LinkDoubt      = 3 * time.Second // how long an answer may take when the machine slept
	LinkNap        = 5 * time.Second // a clock that jumps this far means that it did
)
