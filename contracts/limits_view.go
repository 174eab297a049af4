package contracts

// The limits of what readers of the office are given.
const (
	LimitOrders = 1024 // newest orders for agents that are kept for those who carry them out
)
