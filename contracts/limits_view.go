package contracts

// Limits of the read side.
const (
	LimitOrders     = 1024 // newest orders kept per source
	LimitRecent     = 8    // activity facts in an explanation
	LimitRecentBack = 2000 // records before a start that are searched for recent activity, once
	LimitUsageShown = 30   // days of usage listed by default
)
