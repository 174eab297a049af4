package contracts

import "time"

// The limits of the doors through which activity comes in. Those of the hook
// command itself are in agents/claude/hook, which starts without this package.
const (
	LimitGuests         = 200      // people who work elsewhere, in the room at the same time: so many find a spot
	LimitEvents         = 1000     // events in one POST
	LimitUIRaw          = 64 << 10 // bytes of an event's raw payload that are kept
	LimitUICalls        = 1024     // tool calls of workflow events that may still find their result
	LimitHUDResult      = 4 << 20  // bytes of a tool result that are kept next to the ledger
	LimitPermission     = 32 << 10 // bytes of a call's arguments that a person is shown; a larger call can only be denied
	LimitEvidence       = 8        // pieces of evidence kept in a status
	LimitClosedAsks     = 64       // answered questions of outsiders that stay in sight
	LimitOpenAsks       = 128      // questions of outsiders that wait at the same time
	LimitFormQuestions  = 8        // questions that an agent's program asks in one call
	LimitUsageDays      = 400      // days whose totals are kept
	LimitUsageAgents    = 4096     // people whose totals are kept
	LimitHookBody       = LimitBody
	LimitHookBacklog    = 128 << 20 // bytes of hooks that wait to be recorded; more are left to the transcript
	LimitTranscriptLine = 16 << 20  // bytes of one transcript row
	LimitSettings       = 4 << 20   // bytes of a settings file that hooks are put into

	HookAnswer         = 40 * time.Millisecond // a hook is answered by then, recorded or not yet
	SpoolInterval      = 3 * time.Second       // between two looks at the hooks that wait on disk
	PermissionWait     = 10 * time.Minute      // how long a permission may stay unanswered
	DecisionWait       = time.Minute           // the longest ?wait= of GET /v1/decisions/{id}
	StatusLine         = 30 * time.Minute      // how long a status of a script is shown that names no duration
	LimitHUDDuration   = 366 * 24 * time.Hour  // the longest duration that an event may report
	StatusInterval     = 2 * time.Second       // between two records that change only the status line
	SilenceTurn        = 90 * time.Second      // a turn without a sign, no tool running, is not shown as working
	SilenceTool        = 10 * time.Minute      // the same while a tool runs and the process lives or is unknown
	SilenceOffline     = 15 * time.Minute      // an idle agent without news is offline; a known process keeps it in
	ProcessCheck       = 5 * time.Second       // between two looks at a process: offline within two
	GuestLeaves        = 10 * time.Minute      // after it went offline
	UnprovenStays      = time.Minute           // an unproven guest heard from within this time is displaced only by a proven one
	SubagentLeaves     = time.Minute           // the same for a sub-agent
	SessionFreshness   = time.Hour             // a transcript changed since then is a session worth showing
	TranscriptInterval = 500 * time.Millisecond
)
