package contracts

// The limits of what agents have open. The director ends what is beyond them.
const (
	LimitOpenTurns  = 2_048   // turns, of all agents together
	LimitTurnCalls  = 256     // calls in one turn
	LimitLooseCalls = 2_048   // calls outside any turn, of all agents together
	LimitCallArgs   = 1 << 10 // bytes of a call's arguments that the world keeps until the call ends

	LimitShownTurns = 8 // newest open turns in the row of an agent
	LimitShownCalls = 8 // newest open calls in each of them

	WatchGrace = SilenceTool // how long turns stay open after the last watcher of their source is gone
)
