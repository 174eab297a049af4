package contracts

// Limits of the read side.
const (
	LimitOrders     = 1024 // newest orders kept per source
	LimitRecent     = 8    // activity facts in an explanation
	LimitRecentBack = 2000 // records from before a start that are searched for them, once
	LimitUsageShown = 30   // days of usage listed by default
)
