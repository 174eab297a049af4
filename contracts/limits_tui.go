package contracts

import "time"

// Limits for terminal clients.
const (
	LimitServerMessage = 32 << 20 // bytes of one message from the server; a larger message closes the connection
	LimitReplayBurst   = 2000     // replayed messages that a client applies together
	LimitLookBackChat  = 20_000   // records searched for chat messages from before a client connected
	LimitLookBackFeed  = 1000     // records searched for events (except chat messages) from before a client connected
	LimitOpenCommands  = 64       // pending commands of a terminal
	LimitCommandTries  = 3        // attempts for a rate-limited command

	ClientConnect  = 5 * time.Second        // timeout for a client's TCP connection
	ClientRetry    = 200 * time.Millisecond // wait before the first retry while the office is down; doubles up to ClientRetryMax
	ClientRetryMax = 5 * time.Second

	LinkRetryFirst     = time.Second     // wait before the first reconnect; doubles up to LinkRetryMax
	LinkRetryMax       = 8 * time.Second // longest wait between reconnects
	LinkWakeTimeout    = 3 * time.Second // how long an answer may take after the machine wakes from sleep
	LinkSleepThreshold = 5 * time.Second // a longer clock jump means that the machine was asleep
)
