package contracts

import "time"

// Limits for the files and commands of a workspace that agents use through the office.
const (
	LimitWorkspaceFile    = 8 << 20   // bytes of a file that is read or written
	LimitWorkspaceEntries = 500       // entries in one listing
	LimitWorkspaceDepth   = 32        // directory levels that a listing or a search descends
	LimitWorkspaceFolder  = 10_000    // entries of one directory that are examined
	LimitWorkspaceMatches = 200       // matches of one search
	LimitWorkspaceLine    = 400       // bytes of a matching line that are shown
	LimitSearchFiles      = 50_000    // files that one search reads
	LimitSearchFile       = 1 << 20   // bytes of a file that a search reads; larger files are skipped
	LimitSearchBytes      = 512 << 20 // bytes that one search reads
	LimitCommandOutput    = 256 << 10 // bytes kept from the end of a command's output

	RunTimeout    = 2 * time.Minute  // how long a command may run unless the agent requests more time
	RunMaxTimeout = 10 * time.Minute // the longest time that an agent can request for a command; less than ToolStall
)

// Limits for models that use tools.
const (
	LimitToolText     = 32 << 10  // bytes of a tool's result that are sent to a model
	LimitToolRounds   = 100       // answers with tool calls in one turn; then the model must answer without tools
	LimitToolCalls    = 32        // tool calls in one answer
	LimitToolMessages = 768 << 10 // bytes of a conversation (about 200,000 tokens) after which no more tools are offered
)
