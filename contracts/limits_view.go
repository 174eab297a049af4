package contracts

// Limits for the views that clients read.
const (
	LimitOrders     = 1024 // newest orders kept per source
	LimitRecent     = 8    // activity facts in the explanation of a status
	LimitRecentBack = 2000 // older records that a new view searches once for recent activity
	LimitUsageShown = 30   // days of usage listed by default
)
