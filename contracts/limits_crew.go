package contracts

import "time"

// Limits on workers' prompts and on recording their facts.
const (
	LimitConversations   = 512      // remembered ids of the office's own conversations
	LimitPromptContent   = 64 << 10 // bytes of one earlier artifact that are shown to a worker
	LimitPromptMaterial  = 96 << 10 // bytes of all earlier artifacts that are shown to a worker
	LimitPromptList      = 12       // lines of each list in a prompt
	LimitPromptChatReply = 3500     // characters; agents are asked to keep a chat reply within this length

	ToolStall = 12 * time.Minute // a turn is abandoned after this long without activity while a tool is running

	RecordRetryMin = 100 * time.Millisecond // first delay between attempts to record a fact
	RecordRetryMax = 5 * time.Second
)
