package contracts

import "time"

// Limits for the MCP tools.
const (
	LimitToolArtifact = 1 << 20 // bytes of one artifact that an agent delivers through a tool
	LimitBoardTasks   = 200     // maximum number of tasks on the board that an agent reads; finished tasks are left out first
	LimitToolAttempts = 3       // how many times a tool call is sent to an office that is not answering, including the first attempt

	ToolWait        = time.Hour        // the longest time that a tool call waits for a person
	ToolWaitDefault = 50 * time.Second // default wait for a tool call; many MCP clients end a call after a minute
	ToolProgress    = 10 * time.Second // interval between progress notifications while a tool call is waiting
	ToolWalk        = 30 * time.Second // how long take_task waits for the agent to reach a desk
	ToolCallTimeout = 20 * time.Second // timeout of a tool call that does not wait for a person
	ToolGrace       = 5 * time.Second  // how long a tool call may overrun its wait if the office does not answer
	ToolDrain       = 30 * time.Second // how long the end of standard input is delayed while calls are pending
)
