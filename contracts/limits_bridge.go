package contracts

import "time"

// The limits of the agents' door.
const (
	LimitSessionKey     = 256      // bytes of agentId::chatId
	LimitPrompt         = 4 << 20  // bytes of the text that one turn is given
	LimitReply          = 8 << 20  // bytes of one turn's answer
	LimitBridgeSessions = 1024     // conversations at the same time
	LimitBridgeUnnamed  = 16       // conversations without a name that wait to be continued; the oldest goes first
	LimitBridgeEnds     = 4096     // ends of such conversations that are remembered
	LimitBridgeHeard    = 1024     // messages of a session that its agent is known to have been given
	LimitBridgeHistory  = 1 << 20  // bytes of a named conversation that are kept for an agent that remembers nothing
	LimitPromptImages   = 32       // images of one request
	LimitBridgeQueue    = 8        // turns that wait for a session
	LimitBridgeCallers  = 16       // callers that follow one turn
	LimitBridgeRecent   = 32       // turns of a session that are remembered for their retries
	LimitPeers          = 1024     // sockets of agents that dialled in
	LimitPeersUnproven  = 32       // of LimitPeers, connections that have not shown a credential yet
	LimitPeerFrames     = 1000     // frames a second of one peer: a fast model's single tokens fit
	LimitPeerAsks       = 16       // permissions of one turn that wait for a person
	LimitPeerBacklog    = 64       // frames that wait to be written to a peer
	LimitProcessTail    = 4 << 10  // bytes of what an agent's program complained about
	LimitProcessLine    = 16 << 20 // bytes of one line that it writes
	LimitSpawned        = 32       // programs that are started for guests of the bridge
	LimitCrashes        = 5        // ends without an answer in CrashWindow before a program is not started again

	BridgeHeartbeat    = 15 * time.Second // between two signs of life to a caller that waits
	BridgeHeartbeatMax = 30 * time.Second
	BridgePing         = 30 * time.Second
	BridgeMisses       = 2                // pings without an answer
	BridgeGrace        = 10 * time.Second // for a peer to come back in the middle of a turn
	BridgeOrphan       = 5 * time.Second  // for a caller to join again before its turn is stopped
	BridgeDoubt        = time.Minute      // without a word, after which an answer is not late but the turn's own
	BridgeRemember     = 2 * time.Minute  // how long a retry gets the answer of a turn that ended
	BridgeTurn         = 30 * time.Minute // the longest turn
	CrashWindow        = time.Minute
	ProcessStart       = 30 * time.Second // for a program to show its first sign
	ProcessGrace       = 5 * time.Second  // for a program to end in good order
	SessionIdle        = 15 * time.Minute // after which an agent's process is let go
)
