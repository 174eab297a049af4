package contracts

import "time"

// Limits for the ledger on NATS JetStream.
const (
	JetStreamAttempt     = 2 * time.Second       // how long to wait for a response before the request is retried
	JetStreamPause       = 50 * time.Millisecond // wait between attempts
	JetStreamStats       = 5 * time.Second       // timeout for reading the ledger's size in health checks
	JetStreamTimeout     = 30 * time.Second      // timeout for a read; long enough for the servers to elect a leader
	JetStreamWait        = time.Minute           // how long a starting node waits for the servers
	JetStreamLogInterval = 10 * time.Second      // interval between log messages while a node waits for the servers
	JetStreamAppend      = 30 * time.Second      // timeout for an append, after which its outcome is unknown

	LimitJetStreamRequests = 8         // pending API requests; the server drops requests beyond its own limit
	LimitJetStreamBatch    = 1000      // messages in an atomic batch; the server's limit
	LimitJetStreamBytes    = 8 << 20   // bytes of a batch, which the leader keeps in memory
	LimitJetStreamPage     = 8 << 20   // bytes of one page of records
	LimitJetStreamChunk    = 512 << 10 // bytes in one chunk of content or of a checkpoint
	LimitJetStreamPurge    = 50_000    // sequence numbers that one purge removes; appends wait for the purge
	LimitJetStreamMessage  = 1 << 20   // bytes of a message; a server with a smaller max_payload is rejected

	LimitOfficeName   = 32
	JetStreamReplicas = 3
)

// Limits for the nodes that serve an office together.
const (
	LeaseTTL    = 3 * time.Second  // the writer is replaced this long after it last renewed its lease
	NodeTTL     = 10 * time.Second // a node's work ends this long after the node last renewed its lease
	NodeGrace   = time.Minute      // a node's guests go offline this long after the node's life ends
	LeaseMarker = 2 * time.Second  // how long the server remembers that a lease ended

	LimitNodeName = 64
)

// Limits for the credentials that the nodes of an office share.
const (
	AccessTimeout = 5 * time.Second        // timeout for a change to the credentials
	AccessCheck   = 10 * time.Second       // how often a node checks that it has not missed a change
	AccessPause   = 100 * time.Millisecond // minimum time between two reads caused by unknown tokens
	AccessMarker  = 2 * time.Second        // how long the server remembers that a one-time link was used or has expired
)

// Limits for requests to an office's writer node.
const (
	LimitForwarded      = 1024      // concurrent requests
	LimitForwardedBytes = 768 << 10 // bytes of the facts in one request; less than LimitJetStreamMessage

	ForwardAttempt   = 3 * time.Second  // how long to wait for an answer before a request is sent again
	ForwardTimeout   = 12 * time.Second // long enough to replace a lost writer and a lost NATS server; clients wait longer
	ForwardRedaction = 10 * time.Minute // timeout for a redaction, which is sent only once
)

// Limits for the messages between nodes about people in the room.
const (
	PlayersInterval = 100 * time.Millisecond // minimum time between two messages while the list of people is changing
	PlayersRepeat   = 2 * time.Second        // interval at which an unchanged list of people is repeated
	PlayersStale    = 6 * time.Second        // people are removed when their node has sent nothing for this long
)
