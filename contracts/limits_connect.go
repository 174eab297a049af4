package contracts

import "time"

// The limits of looking for agents on this machine (GET /v1/connect).
const (
	ConnectProbe       = 800 * time.Millisecond // for one endpoint on loopback to answer
	ConnectVersion     = 10 * time.Second       // for a program to tell its version: it loads all of itself first
	ConnectCache       = 5 * time.Second        // how long an answer is used again
	LimitConnectModels = 8                      // names of models that are listed for one endpoint
	LimitConnectFile   = 1 << 20                // bytes of a configuration file of another program
)
