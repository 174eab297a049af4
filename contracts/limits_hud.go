package contracts

// The limits of activity: what a tool says and what is remembered of it.
const (
	LimitReceivedPreview = 120  // characters of a message in a received fact
	LimitMentionedPaths  = 32   // files named by one command
	LimitOpenSpans       = 256  // starts without an end that a feed remembers, per session
	LimitEndedSpans      = 1024 // ends that it remembers, per session, so that a second one is dropped
	LimitFeedSessions    = 1024 // sessions of which a feed remembers anything
)
