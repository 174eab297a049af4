package contracts

import "time"

// The limits of getting facts into the ledger, and of what a worker is told.
const (
	LimitConversations   = 512      // ids of the office's own conversations that are remembered
	LimitPromptContent   = 64 << 10 // bytes of one earlier artifact that a worker is shown
	LimitPromptMaterial  = 96 << 10 // bytes of all of them
	LimitPromptList      = 12       // lines of each list in a prompt
	LimitPromptChatReply = 3500     // characters that an agent is asked to keep to

	ToolStall = 12 * time.Minute // a turn without any sign of life while a tool of its program runs is given up

	RecordRetryMin = 100 * time.Millisecond // before a fact that the ledger did not take is offered again
	RecordRetryMax = 5 * time.Second
)
