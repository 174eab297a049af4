package contracts

import "time"

// Limits of clients in a terminal.
const (
	LimitServerMessage = 32 << 20 // bytes of one message of the server; a larger one ends the connection
	LimitReplayBurst   = 2000     // replayed messages that a client applies together
	LimitLookBackTalk  = 20_000   // records searched for chat from before a client connected
	LimitLookBackFeed  = 1000     // records searched for everything else
	LimitOpenCommands  = 64       // pending commands of a terminal
	LimitCommandTries  = 3        // attempts for a rate-limited command

	ClientConnect   = 5 * time.Second        // for a TCP connection of a client
	ClientRetry     = 200 * time.Millisecond // first retry while the office is down; doubles up to ClientRetryMost
	ClientRetryMost = 5 * time.Second

	LinkRetryFirst = time.Second     // before the first reconnect; doubles up to LinkRetryMost
	LinkRetryMost  = 8 * time.Second // maximum interval
	LinkDoubt      = 3 * time.Second // how long an answer may take after the machine slept
	LinkNap        = 5 * time.Second // a clock jump of this size means that the machine slept
)
