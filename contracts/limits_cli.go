package contracts

import "time"

// The limits of the command line.
const (
	LimitExportLine = 64 << 20               // bytes of one line of an exported ledger
	LimitExecTail   = 8 << 10                // bytes of a command's output that are told at its end
	LimitExecQueue  = 512                    // events of a command that wait for the office; later markers go
	LimitMarkerLine = 64 << 10               // bytes of a line that may still be a marker
	LimitExecBatch  = 64                     // events sent together
	ExecFlush       = time.Second            // the end of a command waits so long, at most, for the office
	ExecDrain       = 500 * time.Millisecond // the same for output that others keep open
	ExecConnect     = 250 * time.Millisecond // the same to find the office at all
	ExecPatience    = 2 * time.Second        // for one report to a busy office
	ExecRetry       = 2 * time.Second        // between two tries while the office is away
	SceneTrial      = 30 * time.Second       // for `bullpen scene check` to deliver a request
)
