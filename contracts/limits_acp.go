package contracts

import "time"

// Limits for agents that speak the Agent Client Protocol.
const (
	LimitACPCalls     = 256     // open tool calls in a turn; later calls are not shown
	LimitACPContent   = 64      // content blocks of one tool call
	LimitACPRequests  = 64      // requests from one agent that are handled at the same time; further requests are refused
	LimitACPAnswer    = 4 << 20 // bytes of an answer; the rest is cut off
	LimitACPTerminals = 16      // commands that an agent has not released yet
	LimitACPOutput    = 1 << 20 // bytes of a command's output that are kept
	LimitACPPages     = 20      // pages of an agent's list of sessions
	LimitACPChoices   = 20      // values listed in an error about an unknown mode or model

	ACPTerminal = time.Hour // how long a command may run
)
