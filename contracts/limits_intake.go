package contracts

import "time"

// Limits of inbound activity. Those of the hook command itself are in agents/claude/hook,
// which starts without this package.
const (
	LimitGuests         = 200      // guests in the room at the same time: there is space for this many
	LimitEvents         = 1000     // events in one POST
	LimitUIRaw          = 64 << 10 // bytes kept of an event's raw payload
	LimitUICalls        = 1024     // tool calls of workflow events that may still find their result
	LimitHUDResult      = 4 << 20  // bytes of a tool result stored next to the ledger
	LimitPermission     = 32 << 10 // bytes of a call's arguments shown to a person; a larger call can only be denied
	LimitEvidence       = 8        // pieces of evidence kept in a status
	LimitClosedAsks     = 64       // answered questions from outside that stay visible
	LimitOpenAsks       = 128      // open questions from outside
	LimitFormQuestions  = 8        // questions in one call of an agent's program
	LimitUsageDays      = 400      // days whose totals are kept
	LimitUsageAgents    = 4096     // agents whose totals are kept
	LimitHookBody       = LimitBody
	LimitHookBacklog    = 128 << 20 // bytes of queued hooks; beyond that the transcript is used
	LimitTranscriptLine = 16 << 20  // bytes of one transcript row
	LimitSettings       = 4 << 20   // bytes of a settings file that hooks are installed in

	HookAnswer         = 40 * time.Millisecond // deadline of the answer to a hook, recorded or not
	SpoolInterval      = 3 * time.Second       // between two reads of the spool
	PermissionWait     = 10 * time.Minute      // how long a permission request may stay open
	DecisionWait       = time.Minute           // the longest ?wait= of GET /v1/decisions/{id}
	StatusLine         = 30 * time.Minute      // how long a script's status without a duration is shown
	LimitHUDDuration   = 366 * 24 * time.Hour  // the longest duration that an event may report
	StatusInterval     = 2 * time.Second       // between two records that change only the status line
	SilenceTurn        = 90 * time.Second      // a turn without activity or a running tool is no longer shown as working
	SilenceTool        = 10 * time.Minute      // as SilenceTurn, while a tool runs and the process is running or unknown
	SilenceOffline     = 15 * time.Minute      // an idle agent without evidence is offline, unless its process is running
	ProcessCheck       = 5 * time.Second       // between two checks of a process: offline within two
	GuestLeaves        = 10 * time.Minute      // after going offline
	UnprovenStays      = time.Minute           // with evidence within this time, an unproven guest is displaced only by a proven one
	SubagentLeaves     = time.Minute           // after a sub-agent goes offline
	SessionFreshness   = time.Hour             // a session is shown if its transcript changed within this time
	TranscriptInterval = 500 * time.Millisecond
)
