package contracts

import "time"

// Limits for inbound activity. The hook command's own limits are in agents/hook, because that
// command does not import this package.
const (
	LimitGuests         = 200      // guests in the room at the same time; the room has space for this many
	LimitEvents         = 1000     // events in one POST
	LimitUIRaw          = 64 << 10 // bytes of an event's raw payload that are kept
	LimitUICalls        = 1024     // workflow events' tool calls that can still receive a result
	LimitHUDResult      = 4 << 20  // bytes of a tool result stored next to the ledger
	LimitPermission     = 32 << 10 // bytes of a call's arguments shown to a person; a larger call can only be denied
	LimitEvidence       = 8        // pieces of evidence kept in a status
	LimitClosedAsks     = 64       // how many closed questions from outside the office stay visible
	LimitOpenAsks       = 128      // open questions asked from outside the office
	LimitAgentAsks      = 16       // open questions of one agent that asks through a tool or workflow events; other agents can still ask
	LimitFormQuestions  = 8        // questions in one call from an agent's program
	LimitUnchecked      = 32       // inbox entries for sessions that ended unchecked; the oldest make room for newer ones
	LimitUsageDays      = 400      // days for which usage totals are kept
	LimitUsageAgents    = 4096     // agents whose totals are kept
	LimitHookBody       = LimitBody
	LimitHookBacklog    = 128 << 20 // bytes of queued hooks; when the queue is full, the transcript is used instead
	LimitTranscriptLine = 16 << 20  // bytes in one line of a transcript
	LimitSettings       = 4 << 20   // bytes of a settings file that hooks are installed in
	LimitSurvey         = 1 << 20   // bytes that a vendor's program may print when it is queried about its sessions
	LimitSurveySessions = 1000      // sessions read from a vendor program's response
	LimitListenAsks     = 64        // permission requests that a vendor's program may have open on one connection

	HookAnswer          = 40 * time.Millisecond // deadline for answering a hook, whether it was recorded or not
	SpoolInterval       = 3 * time.Second       // interval between reads of the spool
	PermissionWait      = 10 * time.Minute      // how long a permission request may stay open
	HookAskWait         = 50 * time.Second      // replaces PermissionWait for programs that ask in their terminal only after their hook has ended
	DecisionWait        = time.Minute           // the longest ?wait= of GET /v1/decisions/{id}
	StatusLineDuration  = 30 * time.Minute      // how long a script's status is shown if the script sets no duration
	LimitHUDDuration    = 366 * 24 * time.Hour  // the longest duration that an event may report
	StatusInterval      = 2 * time.Second       // minimum time between two records that change only the status line
	SilenceTurn         = 90 * time.Second      // how long a turn without activity is shown as working if no tool is running
	SilenceTool         = 10 * time.Minute      // replaces SilenceTurn while a tool is running
	SilenceOffline      = 15 * time.Minute      // how long an idle agent may be without evidence before it goes offline, unless its process is running
	SurveyLead          = 30 * time.Second      // the vendor's program is queried this long before a verdict expires
	SurveyInterval      = 30 * time.Second      // minimum time between two queries to a vendor's program
	SurveyIntervalMax   = 5 * time.Minute       // longest interval between queries while the answers are not useful
	SurveyWait          = 10 * time.Second      // how long a vendor's program may take to answer a query
	ListenInterval      = 5 * time.Second       // interval between attempts to connect to a vendor's program that sends permission requests
	ListenSilence       = 24 * time.Hour        // a connection for permission requests is reopened after this much silence
	ProcessCheck        = 5 * time.Second       // interval between process checks; an ended process is noticed within two checks
	OfflineGuestStay    = 10 * time.Minute      // a guest leaves this long after it goes offline
	UnprovenGrace       = time.Minute           // an unproven guest with evidence this recent is displaced only by a proven guest
	OfflineSubagentStay = time.Minute           // a sub-agent leaves this long after it goes offline
	SessionFreshness    = time.Hour             // a session is shown if its transcript changed within this time
	TranscriptInterval  = 500 * time.Millisecond
)
