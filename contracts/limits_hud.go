package contracts

// The limits of activity: what a tool says and what is remembered of it.
const (
	LimitReceivedPreview = 120 // characters of a message in a received fact
	LimitMentionedPaths  = 32  // files named by one command
)
