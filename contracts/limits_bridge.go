package contracts

import "time"

// Limits of the bridge.
const (
	LimitSessionKey     = 256      // bytes of agentId::chatId
	LimitPrompt         = 4 << 20  // bytes of the prompt of one turn
	LimitReply          = 8 << 20  // bytes of one turn's answer
	LimitBridgeSessions = 1024     // concurrent conversations
	LimitBridgeUnnamed  = 16       // unnamed conversations that can be continued; the oldest is dropped first
	LimitBridgeEnds     = 4096     // ends of such conversations that are remembered
	LimitBridgeHeard    = 1024     // messages of a session that its agent is known to have received
	LimitBridgeHistory  = 1 << 20  // bytes of a named conversation kept for an agent without memory
	LimitPromptImages   = 32       // images of one request
	LimitBridgeQueue    = 8        // turns waiting for a session
	LimitBridgeCallers  = 16       // callers that follow one turn
	LimitBridgeRecent   = 32       // turns of a session remembered for retries
	LimitPeers          = 1024     // sockets of agents that dialled in
	LimitPeersUnproven  = 32       // of LimitPeers, connections without a credential yet
	LimitPeerFrames     = 1000     // frames per second of one peer: enough for the single tokens of a fast model
	LimitPeerAsks       = 16       // open permission requests of one turn
	LimitPeerBacklog    = 64       // frames queued for a peer
	LimitProcessTail    = 4 << 10  // bytes kept of a program's error output
	LimitProcessLine    = 16 << 20 // bytes of one line of its output
	LimitSpawned        = 32       // programs started for guests of the bridge
	LimitCrashes        = 5        // exits without an answer in CrashWindow after which a program is not restarted

	BridgeHeartbeat    = 15 * time.Second // interval of heartbeats to a waiting caller
	BridgeHeartbeatMax = 30 * time.Second
	BridgePing         = 30 * time.Second
	BridgeMisses       = 2                // unanswered pings before the connection is closed
	BridgeGrace        = 10 * time.Second // for a peer to reconnect during a turn
	BridgeOrphan       = 5 * time.Second  // for a caller to rejoin before its turn is stopped
	BridgeDoubt        = time.Minute      // of silence after which an answer belongs to the current turn and is not late
	BridgeRemember     = 2 * time.Minute  // how long a retry gets the answer of an ended turn
	BridgeTurn         = 30 * time.Minute // maximum duration of a turn
	CrashWindow        = time.Minute
	ProcessStart       = 30 * time.Second // for a program to produce its first output
	ProcessGrace       = 5 * time.Second  // for a program to exit cleanly
	SessionIdle        = 15 * time.Minute // after which an agent's process is stopped
)
