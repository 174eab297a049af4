package contracts

import "time"

// The limits of following OpenClaw gateways.
const (
	LimitGateways        = 8        // that one office follows
	LimitGatewayFrame    = 32 << 20 // bytes of one message of a gateway; a larger one is left out
	LimitGatewayQueue    = 1024     // messages read and not yet told
	LimitGatewaySessions = 1024     // sessions that are remembered
	LimitGatewayRuns     = 64       // runs of a session that are remembered
	LimitGatewayCalls    = 256      // open tool calls of a run
	LimitGatewayHistory  = 200      // messages of a session that are read again
	LimitGatewayReplays  = 64       // sessions whose history is read after connecting
	LimitGatewayAsked    = 64       // requests under way
	LimitDeviceFile      = 64 << 10 // bytes of a stored key or token

	GatewayHandshake  = 10 * time.Second // until the gateway has let us in
	GatewayAnswer     = 20 * time.Second // for the answer to a request
	GatewayTick       = 30 * time.Second // between two signs of life, unless the gateway says otherwise
	GatewayTickLeast  = time.Second      // what a gateway may ask for
	GatewayTickMost   = 5 * time.Minute  // same
	GatewayTicks      = 3                // without a sign of life it is dead
	GatewayRetryFirst = time.Second      // before the first attempt to come back
	GatewayRetryMost  = 30 * time.Second // between later ones
	GatewayStable     = 10 * time.Second // a connection that lasts this long was a good one
)
