package contracts

// Limits for open turns and calls. The director ends turns and calls that exceed a limit.
const (
	LimitOpenTurns  = 2_048   // open turns, across all agents
	LimitTurnCalls  = 256     // open calls in one turn
	LimitLooseCalls = 2_048   // open calls outside any turn, across all agents
	LimitCallArgs   = 1 << 10 // bytes of an open call's arguments that the world keeps

	LimitShownTurns = 8 // newest open turns in an agent's row
	LimitShownCalls = 8 // newest open calls in each turn of an agent's row

	WatchGrace = SilenceTool // how long turns stay open while their source has no watcher
)
