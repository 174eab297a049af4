package contracts

import "time"

// Limits for viewers' connections.
const (
	LimitSocketsPerPrincipal = 1024 // sockets per credential; the open loopback listener may have up to LimitSockets
	LimitFragments           = 1024 // fragments of one inbound WebSocket message
	LimitChunk               = 256 << 10
	LimitSlowWrite           = 256 << 10 // bytes of one write to a lagging viewer
	LimitFastWrite           = 1 << 20   // bytes of one write to a viewer that keeps up
	LimitWritePiece          = 64 << 10  // bytes that a viewer must accept within WriteTimeout
	LimitBatchCache          = 64        // filtered batches shared by viewers
	LimitBatchCacheBytes     = 8 << 20
	LimitReplayPage          = 512 // records in one page of history read from the ledger
	LimitPageCacheBytes      = 16 << 20
	LimitStreamLog           = 256 << 10 // bytes of stream frames that a viewer may lag behind; beyond that, it receives all text so far
	LimitIDSearch            = 2 << 10   // bytes of a rate-limited message that are searched for its id
	LimitOpenStreams         = 256
	LimitEndedStreams        = 64 // ended streams kept for lagging viewers

	InboundPerSecond = 100 // messages of any type per socket
	CommandTimeout   = 30 * time.Second
	CatchUpTimeout   = 30 * time.Second      // how long a reader waits for the view to reach the ledger's head
	CloseGrace       = 2 * time.Second       // how long a socket may take to close
	ShutdownSilence  = 50 * time.Millisecond // a stopping server expects no more commands from a viewer after this much silence
	CursorWait       = 5 * time.Second       // how long a node waits for the record at a cursor that is ahead of its ledger; another node may have issued the cursor
	ReplayRetry      = 50 * time.Millisecond // wait before a read beyond the ledger's head is retried
	StreamKeepAlive  = 15 * time.Second
	EventStreamRetry = time.Second // retry interval that an event stream sends to its client
)
