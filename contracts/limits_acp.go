package contracts

import "time"

// Limits for agents that use the Agent Client Protocol.
const (
	LimitACPCalls     = 256     // open tool calls in a turn; later calls are not shown
	LimitACPContent   = 64      // content blocks of one tool call
	LimitACPRequests  = 64      // concurrent requests from one agent; further requests are rejected
	LimitACPAnswer    = 4 << 20 // bytes of an answer; longer answers are truncated
	LimitACPTerminals = 16      // one agent's terminals that have not been released yet; each runs one command
	LimitACPOutput    = 1 << 20 // bytes of a command's output that are kept
	LimitACPPages     = 20      // pages in an agent's list of sessions
	LimitACPChoices   = 20      // values listed in an error about an unknown mode or model

	ACPTerminalTimeout = time.Hour // how long a command may run
)
