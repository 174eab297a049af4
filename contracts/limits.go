package contracts

import "time"

// Limits for the protocol, the office and the ledger; the limits_*.go files contain more.
const (
	ProtocolVersion = 1

	LimitID             = 128
	LimitFrame          = 1 << 20 // bytes in one inbound WebSocket message, after decompression
	LimitBody           = 8 << 20 // bytes in one inbound HTTP body
	LimitHeader         = 64 << 10
	LimitDepth          = 32
	LimitMembers        = 1024 // members in one JSON object
	LimitText           = 16 << 10
	LimitRequestText    = 2000
	LimitChatText       = 4000
	LimitChoice         = 280
	LimitNote           = 2000
	LimitInstructions   = 4000
	LimitTaskTitle      = 160
	LimitSplitTasks     = 16
	LimitAttachments    = 16
	LimitConstraints    = 32      // members in a request's constraints
	LimitRequestExtras  = 8 << 10 // bytes of a request's constraints and attachments as JSON
	LimitName           = 128     // maximum length of names, labels and other programs' ids
	LimitCombining      = 8       // combining marks in a row
	LimitCoordinate     = 100_000 // metres from the origin
	LimitVersions       = 16      // protocol versions that a client may offer
	LimitOptions        = 6
	LimitTurnArtifacts  = 8
	LimitTurnFollowUps  = 12
	LimitArtifactBytes  = 4 << 20
	LimitProjectTasks   = 64
	LimitOpenProjects   = 64
	LimitPreview        = 160
	LimitSnapshotText   = 280 // characters of a request or a description in a snapshot
	LimitUnreadChats    = 64  // unanswered messages from people
	LimitReactions      = 512 // steps that one input may trigger; more than this indicates a bug in the director
	LimitInbox          = 1024
	LimitAppendBatch    = 512
	LimitHUDInline      = 16 << 10
	LimitSendQueueBytes = 1 << 20
	LimitSendQueueMsgs  = 2000
	LimitSockets        = 10_240
	LimitReplayRecords  = 50_000
	LimitRingBytes      = 32 << 20
	LimitStreamText     = 64 << 10
	LimitPlayers        = 256
	LimitRefusalMemory  = 4096 // refused commands whose ids are remembered, so that the refusal can be repeated
	LimitEventsPage     = 1000
	LimitTailRecords    = 8192      // newest records that a ledger keeps in memory for followers
	LimitTailBytes      = 16 << 20  // total body bytes of the records that a ledger keeps in memory for followers
	LimitFollowBatch    = 1024      // records per batch for a follower
	LimitRetainBatch    = 512       // records removed in one transaction
	LimitRedactTexts    = 32        // strings from a redacted record that are searched for in other records
	LimitRedactSeqs     = 1000      // records that one request can redact; also limits each list of records that repeat the text
	LimitFreeBytes      = 256 << 20 // bytes that must be free for a ledger to grow; see also LimitFreePercent
	LimitFreePercent    = 2         // percentage of the volume that must be free, if that is less than LimitFreeBytes
	LimitTurns          = 16        // concurrent turns of the crew

	HelloTimeout      = 10 * time.Second
	HeartbeatInterval = 15 * time.Second
	HeartbeatTimeout  = 45 * time.Second
	FlushInterval     = 20 * time.Millisecond
	WriteTimeout      = 10 * time.Second
	WALCheckpointIdle = 2 * time.Second // idle time after which a ledger's write-ahead log is checkpointed

	ViolationsPerMinute = 20
	CommandsPerWindow   = 12
	CommandWindow       = 5 * time.Second
	RequestsPerMinute   = 6 // for submit_request and for chat, counted separately
	PlayerPosPerSecond  = 10
	ProgressInterval    = 500 * time.Millisecond // at most two task_progress events per second for each task

	TurnStall     = 5 * time.Minute // a turn is abandoned after this long without activity
	TurnGrace     = 10 * time.Second
	TurnRetryMin  = time.Second // first wait before failed work is retried; grows up to TurnRetryMax
	TurnRetryMax  = time.Minute
	RecordTimeout = 5 * time.Second  // how long a caller waits for a fact to be recorded
	OutputGrace   = 10 * time.Second // how long output is still read after a program exits or is interrupted

	SnapshotHzDefault = 2.0
	SnapshotHzMin     = 2.0
	SnapshotHzMax     = 5.0

	WalkSpeed     = 1.2 // m/s at pace 1
	ArrivalRadius = 0.15
)
