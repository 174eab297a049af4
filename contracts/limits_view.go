package contracts

// The limits of what readers of the office are given.
const (
	LimitOrders     = 1024 // newest orders for agents that are kept for those who carry them out
	LimitRecent     = 8    // facts of activity in an explanation
	LimitRecentBack = 2000 // newest records of before a start that are searched for them, once
	LimitUsageShown = 30   // days of usage that are listed unless asked otherwise
)
