package contracts

import "time"

// Limits for the command line.
const (
	LimitExportLine = 64 << 20               // bytes of one line of an exported ledger
	LimitExecTail   = 8 << 10                // bytes from the end of a command's output that are reported when the command exits
	LimitExecQueue  = 512                    // queued events of a command; further events are dropped, except the end
	LimitMarkerLine = 64 << 10               // bytes of a marker; a longer line is not a marker
	LimitExecBatch  = 64                     // events sent together
	ExecFlush       = time.Second            // maximum wait for the office at the end of a command
	ExecDrain       = 500 * time.Millisecond // maximum wait for an output pipe that other processes keep open
	ExecConnect     = 250 * time.Millisecond // maximum time to find the office
	ExecTimeout     = 2 * time.Second        // timeout for one report to a busy office
	ExecRetry       = 2 * time.Second        // wait between attempts while the office is down
	SceneTrial      = 30 * time.Second       // how long `bullpen scene check` waits for the crew to deliver a result
)
