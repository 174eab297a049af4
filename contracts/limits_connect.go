package contracts

import "time"

// Limits for the search for agents on this machine (GET /v1/connect).
const (
	ConnectProbe          = 800 * time.Millisecond // how long an endpoint on loopback may take to answer
	ConnectVersionTimeout = 10 * time.Second       // how long a program may take to print its version; some programs load completely first
	ConnectCache          = 5 * time.Second        // how long a result is cached
	LimitConnectModels    = 8                      // models listed for one endpoint
	LimitConnectFile      = 1 << 20                // bytes of another program's configuration file
)
