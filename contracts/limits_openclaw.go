package contracts

import "time"

// Limits for the connections to OpenClaw gateways.
const (
	LimitGateways        = 8        // gateways that one office follows
	LimitGatewayFrame    = 32 << 20 // bytes of one gateway message; larger messages are skipped
	LimitGatewayQueue    = 1024     // messages received but not yet processed
	LimitGatewaySessions = 1024     // remembered sessions
	LimitGatewayRuns     = 64       // remembered runs of a session
	LimitGatewayCalls    = 256      // open tool calls of a run
	LimitGatewayHistory  = 200      // messages read from a session's history
	LimitGatewayReplays  = 64       // sessions whose history is read after connecting
	LimitGatewayAsked    = 64       // pending requests
	LimitDeviceFile      = 64 << 10 // bytes of a stored key or token

	GatewayHandshake   = 10 * time.Second // timeout of the handshake
	GatewayAnswer      = 20 * time.Second // timeout of a request
	GatewayTick        = 30 * time.Second // heartbeat interval, unless the gateway sets another
	GatewayTickMin     = time.Second      // shortest interval that a gateway may set
	GatewayTickMax     = 5 * time.Minute  // longest interval that a gateway may set
	GatewayMissedTicks = 3                // missed heartbeats after which the connection counts as dead
	GatewayRetryFirst  = time.Second      // wait before the first reconnect
	GatewayRetryMax    = 30 * time.Second // longest wait between reconnects
	GatewayStable      = 10 * time.Second // a connection that lasts this long resets the backoff
)
