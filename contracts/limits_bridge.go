package contracts

import "time"

// Limits for the bridge.
const (
	LimitSessionKey      = 256      // bytes of agentId::chatId
	LimitPrompt          = 4 << 20  // bytes of one turn's prompt
	LimitReply           = 8 << 20  // bytes of one turn's answer
	LimitBridgeSessions  = 1024     // concurrent conversations
	LimitBridgeUnnamed   = 16       // unnamed conversations that can be continued; the oldest is dropped first
	LimitBridgeEnds      = 4096     // ended unnamed conversations that are remembered
	LimitBridgeDelivered = 1024     // messages of a session that are remembered as received by its agent
	LimitBridgeHistory   = 1 << 20  // bytes of a named conversation kept for an agent without memory
	LimitBridgeResponses = 256      // newest responses that a later request may continue
	LimitBridgeStore     = 32 << 20 // total bytes of the conversations kept so that responses can be continued
	LimitPromptImages    = 32       // images in one request
	LimitBridgeQueue     = 8        // turns waiting for a session
	LimitBridgeCallers   = 16       // callers that follow one turn
	LimitBridgeRecent    = 32       // turns of a session remembered for retries
	LimitPeers           = 1024     // inbound connections from agents
	LimitPeersUnproven   = 32       // connections, out of LimitPeers, that have not authenticated yet
	LimitPeerFrames      = 1000     // frames per second from one peer: enough for a fast model that sends one token per frame
	LimitPeerAsks        = 16       // open permission requests in one turn
	LimitPeerBacklog     = 64       // frames queued for a peer
	LimitProcessTail     = 4 << 10  // bytes of a program's error output that are kept
	LimitProcessLine     = 16 << 20 // bytes in one line of a program's output
	LimitSpawned         = 32       // programs started for guests of the bridge
	LimitCrashes         = 5        // a program that exits this many times within CrashWindow without an answer is not restarted

	BridgeHeartbeat    = 15 * time.Second // heartbeat interval for a waiting caller
	BridgeHeartbeatMax = 30 * time.Second
	BridgePing         = 30 * time.Second
	BridgeMisses       = 2                // unanswered pings before the connection is closed
	BridgeGrace        = 10 * time.Second // how long a peer may take to reconnect during a turn
	BridgeOrphan       = 5 * time.Second  // how long a caller may take to rejoin before its turn is stopped
	BridgeLateWait     = time.Minute      // after this much silence, an answer that may be late is attributed to the current turn
	BridgeRetryWindow  = 2 * time.Minute  // how long after the end of a turn a retry still receives the turn's answer
	BridgeTurnTimeout  = 30 * time.Minute // maximum duration of a turn
	CrashWindow        = time.Minute
	ProcessStart       = 30 * time.Second // how long a program may take to produce its first output
	ProcessGrace       = 5 * time.Second  // how long a program may take to exit cleanly
	SessionIdle        = 15 * time.Minute // idle time after which an agent's process is stopped
)
