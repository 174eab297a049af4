// Generated from package contracts by "go run ./contracts/gen". Do not edit.
import type { Activity, AgentState, ArtifactStatus, EventName, EvidenceSource, ProjectStatus, TaskStatus, Verdict } from './protocol.gen.ts';

export const agentStates: Readonly<Record<AgentState, string>> = {
  "BlockedWaiting": "Waiting",
  "DeliveringArtifact": "Delivering",
  "IdleAtHome": "Free",
  "InMeeting": "In a meeting",
  "Offline": "Offline",
  "SeekingUserDecision": "Needs your answer",
  "WalkingToPOI": "On the way",
  "WalkingToPlayer": "Coming to you",
  "WorkingAtPOI": "Working",
};

export const activities: Readonly<Record<Activity, string>> = {
  "idle": "Idle",
  "offline": "Offline",
  "waiting": "Waiting for you",
  "working": "Working",
};

export const evidence: Readonly<Record<EvidenceSource, string>> = {
  "event": "an event that it sent",
  "gateway": "its gateway",
  "hook": "its hook",
  "office": "the office",
  "process": "its process",
  "program": "its program's list",
  "silence": "its inactivity",
  "stream": "its output",
  "transcript": "its transcript",
};

export const roles: Readonly<Record<string, string>> = {
  "bd": "Business development",
  "designer": "Designer",
  "engineer": "Engineer",
  "guest": "Guest",
  "researcher": "Researcher",
  "reviewer": "Reviewer",
  "strategist": "Strategist",
  "writer": "Writer",
};

export const taskStatuses: Readonly<Record<TaskStatus, string>> = {
  "blocked": "Blocked",
  "cancelled": "Cancelled",
  "done": "Done",
  "in_progress": "In progress",
  "planned": "Planned",
  "review": "In review",
};

export const projectStatuses: Readonly<Record<ProjectStatus, string>> = {
  "archived": "Archived",
  "blocked": "Blocked",
  "completed": "Completed",
  "executing": "Under way",
  "paused": "Paused",
  "planning": "Planning",
};

export const artifactStatuses: Readonly<Record<ArtifactStatus, string>> = {
  "approved": "Approved",
  "archived": "Archived",
  "changes_requested": "Changes requested",
  "created": "Created",
  "delivered": "Delivered",
  "in_review": "Ready for review",
  "superseded": "Superseded",
};

export const events: Readonly<Record<EventName, string>> = {
  "agent_joined": "Agent joined",
  "agent_left": "Agent left",
  "agent_reset": "New session",
  "agent_status": "Status changed",
  "agent_switched": "Agent switched",
  "artifact_created": "Version created",
  "artifact_delivered": "Delivered",
  "audited": "Audit record",
  "check_finished": "Check finished",
  "collision_seen": "Same files edited",
  "decision_cancelled": "Question withdrawn",
  "decision_requested": "Question for you",
  "decision_resolved": "Question answered",
  "kickoff_finished": "Kickoff finished",
  "kickoff_started": "Kickoff started",
  "landing_checked": "Can be landed",
  "landing_failed": "Not landed",
  "landing_opened": "Pull request open",
  "landing_requested": "Landing requested",
  "office_created": "Office opened",
  "project_archived": "Project archived",
  "project_completed": "Project completed",
  "project_paused": "Project paused",
  "project_resumed": "Project resumed",
  "record_redacted": "Record redacted",
  "repo_added": "Repository added",
  "repo_removed": "Repository removed",
  "request_accepted": "Request accepted",
  "request_submitted": "Request submitted",
  "resync_fallback_snapshot": "State reloaded",
  "review_approved": "Approved",
  "review_assigned": "Review assigned",
  "review_changes_requested": "Changes requested",
  "review_commented": "Reviewed",
  "review_failed": "Not reviewed",
  "review_requested": "Ready for review",
  "room_changed": "Studio changed",
  "room_closed": "Studio closed",
  "room_opened": "Studio opened",
  "rule_added": "Rule added",
  "rule_revoked": "Rule revoked",
  "task_assigned": "Task assigned",
  "task_blocked": "Task blocked",
  "task_cancelled": "Task cancelled",
  "task_done": "Task done",
  "task_landed": "Landed",
  "task_prepared": "Worktree ready",
  "task_progress": "Progress",
  "task_started": "Work started",
  "task_tree_changed": "Files changed",
  "tasks_created": "Tasks created",
  "usage_reported": "Usage reported",
};

export const verdicts: Readonly<Record<Verdict, string>> = {
  "failed": "FAILED",
  "only_said": "ONLY SAID",
  "partly": "PARTLY",
  "proven": "PROVEN",
};

export const verdictNotes: Readonly<Record<Verdict, string>> = {
  "failed": "A required check failed on these files.",
  "only_said": "No required check ran on these files.",
  "partly": "Some required checks did not run on these files.",
  "proven": "All required checks passed on these files.",
};

export const needs: Readonly<Record<'decision' | 'permission' | 'plan' | 'review' | 'elsewhere' | 'unchecked', string>> = {
  "decision": "Answer the question",
  "elsewhere": "Answer in its terminal",
  "permission": "Allow or deny",
  "plan": "Start the plan",
  "review": "Review the result",
  "unchecked": "Check the edits, or dismiss this",
};

export const needNews: Readonly<Record<'decision' | 'permission' | 'plan' | 'review' | 'elsewhere' | 'unchecked', string>> = {
  "decision": "needs your answer",
  "elsewhere": "is waiting for you in its terminal",
  "permission": "asks for permission",
  "plan": "has a plan for you",
  "review": "asks for your review",
  "unchecked": "ended unchecked",
};

export const connectStates: Readonly<Record<string, string>> = {
  "connected": "Connected",
  "found": "Found",
  "missing": "Not found",
  "problem": "Problem",
  "ready": "Ready",
};

export const connectGroups: Readonly<Record<string, string>> = {
  "desks": "Put real agents at the desks",
  "guests": "See agents that run elsewhere",
};

export const outpostLinks: Readonly<Record<string, string>> = {
  "connected": "Connected",
  "gone": "Gone",
  "silent": "No report",
};

export const noticeLevels: Readonly<Record<'info' | 'success' | 'warning' | 'error', string>> = {
  "error": "Error",
  "info": "Message",
  "success": "Success",
  "warning": "Warning",
};

export const fileChanges: Readonly<Record<string, string>> = {
  "append": "appended",
  "create": "new file",
  "delete": "deleted",
  "rename": "renamed",
  "write": "whole file",
};

export const toolSigns: Readonly<Record<string, string>> = {
  "append": "✏️",
  "browser": "🧭",
  "canvas": "🎨",
  "edit": "✏️",
  "exec": "⚡",
  "message": "💬",
  "read": "👁",
  "web_fetch": "🌐",
  "web_search": "🔍",
  "write": "✏️",
};

export const bidiNames: Readonly<Record<string, string>> = {
  "\u061C": "ALM",
  "\u200E": "LRM",
  "\u200F": "RLM",
  "\u202A": "LRE",
  "\u202B": "RLE",
  "\u202C": "PDF",
  "\u202D": "LRO",
  "\u202E": "RLO",
  "\u2066": "LRI",
  "\u2067": "RLI",
  "\u2068": "FSI",
  "\u2069": "PDI",
};

export const closings: Readonly<Record<number, (a: string) => string>> = {
  1001: () => "The office is restarting.",
  1013: () => "The office is busy.",
  4000: () => "Connection lost (no heartbeat).",
  4008: (a) => `This ${a} could not keep up.`,
  4010: () => "Another connection took over.",
  4011: () => "The office could not send the missed updates.",
};

export const boardColumns: readonly TaskStatus[] = ["planned","in_progress","blocked","review","done"];

export const feedKinds: readonly { key: string; words: string; names: readonly EventName[] }[] = [{"key":"requests","words":"Requests and plans","names":["request_submitted","request_accepted","kickoff_started","kickoff_finished","tasks_created"]},{"key":"work","words":"Work","names":["task_assigned","task_started","task_progress","task_blocked","task_done","task_cancelled","task_prepared","check_finished","task_tree_changed","collision_seen"]},{"key":"questions","words":"Questions","names":["decision_requested","decision_resolved","decision_cancelled"]},{"key":"deliveries","words":"Deliveries and reviews","names":["artifact_created","artifact_delivered","review_requested","review_approved","review_changes_requested","review_assigned","review_commented","review_failed","landing_requested","landing_checked","landing_opened","task_landed","landing_failed"]},{"key":"people","words":"Crew and guests","names":["agent_joined","agent_left","agent_status"]},{"key":"usage","words":"Usage","names":["usage_reported"]},{"key":"projects","words":"Projects","names":["project_paused","project_resumed","project_completed","project_archived"]},{"key":"audit","words":"Logins, answers and exports","names":["audited","decision_resolved","rule_added","rule_revoked","repo_added","repo_removed","review_approved","review_changes_requested","landing_requested"]}];

export type Control = "stop_agent" | "kill_agent" | "new_session" | "switch_agent" | "handover";

export const controls: readonly { command: Control; words: string; done: string }[] = [{"command":"stop_agent","words":"Stop","done":"Stop requested."},{"command":"kill_agent","words":"Kill","done":"Process killed."},{"command":"new_session","words":"New session","done":"Starting a new session."},{"command":"switch_agent","words":"Switch","done":"Switched."},{"command":"handover","words":"Hand over","done":"Handed over."}];

export const constraints: readonly { kind: string; values: readonly string[] }[] = [{"kind":"audience","values":["Customers","Team","Leadership"]},{"kind":"length","values":["Short","Thorough"]},{"kind":"tone","values":["Friendly","Formal"]}];

export const acceptWords: readonly { word: string; label: string; example: string }[] = [{"word":"cmd","label":"A command succeeds","example":"go test ./cart"},{"word":"file","label":"A file exists","example":"docs/cart.md"},{"word":"url","label":"A URL answers","example":"http://127.0.0.1:8080/health"},{"word":"agent","label":"An agent finds no problem","example":""},{"word":"person","label":"A person approves it","example":""}];

export const now = "now";
export const secondsAgo = (a: string | number): string => `${a} s ago`;
export const minutesAgo = (a: string | number): string => `${a} min ago`;
export const hoursAgo = (a: string | number): string => `${a} h ago`;
export const yesterday = "yesterday";
export const daysAgo = (a: string | number): string => `${a} days ago`;
export const timeIsUp = "Time is up";
export const hoursLeft = (a: string | number, b: string | number): string => `${a} h ${b} min left`;
export const minutesLeft = (a: string | number, b: string | number): string => `${a}:${b} left`;
export const left = (a: string | number): string => `${a} left`;
export const bytes = (a: string | number): string => `${a} B`;
export const kilobytes = (a: string | number): string => `${a} kB`;
export const megabytes = (a: string | number): string => `${a} MB`;
export const forSeconds = (a: string | number): string => `for ${a} s`;
export const forMinutes = (a: string | number): string => `for ${a} min`;
export const forHours = (a: string | number): string => `for ${a} h`;
export const forDays = (a: number): string => (a === 1 ? "for 1 day" : `for ${a} days`);
export const thingsNeedYou = (a: number): string => (a === 1 ? "1 thing needs you" : `${a} things need you`);
export const people = (a: number): string => (a === 1 ? "1 person" : `${a} people`);
export const crew = (a: number): string => (a === 1 ? "1 crew member" : `${a} crew`);
export const guests = (a: number): string => (a === 1 ? "1 guest" : `${a} guests`);
export const projects = (a: number): string => (a === 1 ? "1 project" : `${a} projects`);
export const ended = (a: number): string => (a === 1 ? "1 ended session" : `${a} ended sessions`);
export const moreTasks = (a: number): string => (a === 1 ? "and 1 more task" : `and ${a} more tasks`);
export const unchangedLines = (a: number): string => (a === 1 ? "1 unchanged line" : `${a} unchanged lines`);
export const files = (a: number): string => (a === 1 ? "1 file" : `${a} files`);
export const moreFiles = (a: number): string => (a === 1 ? "and 1 more file" : `and ${a} more files`);
export const showLines = (a: number): string => (a === 1 ? "show 1 line" : `show ${a} lines`);
export const acceptChecks = (a: number): string => (a === 1 ? "1 acceptance check" : `${a} acceptance checks`);
export const commentsSent = (a: number): string => (a === 1 ? "1 line comment will be sent too" : `${a} line comments will be sent too`);
export const askedTimes = (a: string | number): string => `Asked ${a} times`;
export const sameQuestion = (a: string | number): string => `${a} agents ask the same thing`;
export const answeredTimes = (a: string | number, b: string | number): string => `${a} (${b} times)`;
export const subAgents = (a: string | number): string => `Sub-agents (${a})`;
export const doneOf = (a: string | number, b: string | number, c: string | number): string => `${a} of ${b} done · ${c}%`;
export const earlier = (a: string | number): string => `Earlier · ${a}`;
export const thingStudio = "Studio";
export const working = (a: string | number): string => `${a} working`;
export const waiting = (a: string | number): string => `${a} waiting`;
export const needYou = (a: number): string => (a === 1 ? "1 needs you" : `${a} need you`);
export const free = (a: string | number): string => `${a} free`;
export const nothingUsed = "nothing used";
export const costUnknown = "cost unknown";
export const tinyCost = "< $0.0001";
export const atLeast = (a: string | number): string => `at least ${a}`;
export const tokens = (a: string | number): string => `${a} tokens`;
export const turnUsage = (a: string | number, b: string | number, c: string | number): string => `${a} in · ${b} out · ${c}`;
export const estimated = (a: string | number): string => `${a} · estimated`;
export const unpriced = (a: string | number, b: string | number): string => `No price for ${a} of ${b}, so the real cost may be higher.`;
export const reports = (a: number): string => (a === 1 ? "1 report" : `${a} reports`);
export const usedSoFar = "Used so far";
export const viewOffice = "Office";
export const viewPeople = "People";
export const viewChat = "Chat";
export const viewActivity = "Activity";
export const viewConnect = "Connect";
export const viewKeys = "Keys";
export const thingAction = "Action";
export const thingAgent = "Agent";
export const thingTask = "Task";
export const thingDeliverable = "Deliverable";
export const thingProject = "Project";
export const thingConstraints = "Constraints";
export const thingVisitor = "Visitor";
export const crewMember = "Crew member";
export const subAgentOf = (a: string | number): string => `Sub-agent, ${a}`;
export const unknownRunner = "Unknown runner";
export const needsYou = "Needs you";
export const script = "A script";
export const you = "You";
export const theOffice = "The office";
export const noOneHere = "No one is here yet.";
export const agentGone = "This agent is no longer in the office.";
export const inTerminal = (a: string | number, b: string | number): string => `Answer in its terminal${a}${b}`;
export const inPlace = (a: string | number): string => ` in ${a}`;
export const inSession = (a: string | number): string => ` (session ${a})`;
export const whyHead = "Why?";
export const decidedBy = (a: string | number): string => `Decided by ${a}`;
export const stillValid = (a: string | number): string => `valid, ${a}`;
export const expired = "expired";
export const noDecay = "This will not change until there is new evidence.";
export const decay = (a: string | number): string => `Expires without new evidence: ${a}`;
export const watchedProcess = (a: string | number): string => `Watching process ${a}.`;
export const asking = "Asking…";
export const startedBy = "Started by";
export const saidDone = (a: string | number): string => `Reported done at ${a}`;
export const lastEdit = (a: string | number): string => `last edit ${a}`;
export const lastRan = (a: string | number, b: string | number): string => `${a} last ran at ${b}`;
export const withExitCode = (a: string | number): string => `with exit code ${a}`;
export const unknownCommand = "an unknown command";
export const outcomeUnknown = "its outcome is not known";
export const mayHaveChanged = (a: string | number, b: string | number): string => `${a} may have changed files at ${b}`;
export const noCheckSeen = "no check was seen";
export const lastReply = "Last reply";
export const replied = "Replied";
export const writing = "Writing";
export const thinking = "Thinking";
export const lastOutput = "Last output";
export const turn = "Turn";
export const received = "Received";
export const overwrite = (a: string | number): string => `${a} (overwrite)`;
export const rehearsal = "Rehearsal";
export const noActivity = "No activity yet.";
export const restNotKept = "The rest was not stored.";
export const agentOffline = "This agent is offline.";
export const nothingRunning = "Nothing is running.";
export const stopFirst = "A task is running: stop it first.";
export const nothingToHandOver = "There is no task to hand over.";
export const noProject = "No projects yet. Ask the office for something.";
export const beingPlanned = "Being planned";
export const nothingHere = "Nothing here";
export const goodFit = "Good fit";
export const fairFit = "Fair fit";
export const takesRequests = "Takes requests, not tasks";
export const alreadyHasIt = "Already has this task";
export const busy = "Busy";
export const assignTo = "Assign to…";
export const letOfficeDecide = "Let the office decide";
export const assigned = (a: string | number): string => `Assigned to ${a}.`;
export const reassigned = (a: string | number): string => `Reassigned to ${a}.`;
export const tasksAssigned = "Tasks assigned.";
export const copyPlanned = "A new copy is planned.";
export const cancelTask = "Cancel this task?";
export const cancelEffect = (a: string | number): string => `“${a}” will be cancelled. Its results so far stay in the ledger, and you can run it again later.`;
export const taskCancelled = "Task cancelled.";
export const cancelMenu = "Cancel…";
export const cancelNow = "Cancel the task";
export const keepTask = "Keep it";
export const cancelReason = "Reason";
export const runAgain = "Run again";
export const openPlan = "Open the board";
export const resumed = "Work resumed.";
export const paused = "Paused. No new task will start.";
export const pause = "Pause";
export const resume = "Resume";
export const autoAssign = (a: string | number): string => `Auto-assign: ${a}`;
export const onIt = "The office is on it.";
export const askTheOffice = "Ask the office";
export const askForAnything = "Ask the office for anything…";
export const commandsPaused = "Paused: commands are disabled for now";
export const opening = "Opening…";
export const artifactGone = "This deliverable is no longer in the office.";
export const approve = "Approve";
export const approved = "Approved.";
export const sentBack = "Sent back with your notes.";
export const split = "Split into tasks";
export const splitDone = "Approved. The tasks are planned.";
export const contentFailed = (a: string | number): string => `The office could not send this deliverable: ${a}`;
export const generatedFile = "generated";
export const fromFile = (a: string | number): string => `from ${a}`;
export const binaryFile = "binary";
export const allOccurrences = "all occurrences";
export const fullSize = "Full size";
export const exitCode = (a: string | number): string => `exit code ${a}`;
export const commentOn = (a: string | number): string => `Comment on ${a}`;
export const comparing = "Comparing…";
export const changesSince = (a: string | number): string => `Changes since v${a}`;
export const noFileChanged = (a: string | number): string => `No files changed since v${a}.`;
export const otherBase = "The target branch had new commits between these versions. Their changes are shown too.";
export const projectFinished = "Project completed";
export const openResult = "Open the result";
export const reviewing = (a: string | number): string => `${a} is reviewing it`;
export const reviewed = (a: string | number, b: string | number): string => `${a} reviewed it: ${b}`;
export const reviewFailed = (a: string | number, b: string | number): string => `${a} could not review it: ${b}`;
export const notReviewed = (a: string | number): string => `Not reviewed by an agent: ${a}`;
export const reviewStale = (a: string | number): string => `${a} · stale: the files changed later`;
export const findings = (a: number): string => (a === 1 ? "1 finding" : `${a} findings`);
export const noFindings = "no findings";
export const anotherVendor = "another vendor";
export const anotherModel = "another model";
export const sendFindings = "Send the findings too";
export const askReview = "Ask another agent to review";
export const reviewAsked = "Review requested.";
export const receipt = "Receipt";
export const verdictOf = (a: string | number, b: string | number): string => `Verdict: ${a}. ${b}`;
export const filesTree = (a: string | number, b: string | number): string => `Files: tree ${a}, from commit ${b}`;
export const checkPassed = "passed";
export const checkFailed = "failed";
export const checkExit = (a: string | number): string => `failed: exit code ${a}`;
export const checkTimeout = (a: string | number): string => `timed out after ${a}`;
export const checkStopped = "was stopped";
export const checkFlooded = (a: string | number): string => `was stopped: output over ${a} MB`;
export const checkEdited = "edited the files it tested";
export const checkUnread = "left behind files that cannot be read";
export const checkStale = (a: string | number): string => `${a}, but on other files`;
export const checkNotRun = "has not run";
export const checkUnproven = (a: string | number): string => `has not run: ${a}`;
export const checkOptional = "optional";
export const output = "Output";
export const outputOf = (a: string | number): string => `Output of ${a}`;
export const outputFailed = (a: string | number): string => `The office could not send the output: ${a}`;
export const noChecks = "This repository has no checks, so nothing can be proven.";
export const landIn = (a: string | number): string => `Land in ${a}`;
export const landMerge = "Merge";
export const landSquash = "Squash";
export const landRebase = "Rebase";
export const landPull = "Pull request";
export const landUnproven = "Land it even though it is not proven";
export const landAsked = "Landing requested.";
export const dryRun = "Dry run";
export const dryRunNote = "Checks whether a merge would succeed, and changes nothing.";
export const dryRunAsked = "Dry run requested.";
export const dryRunning = "Dry run…";
export const dryRunPassed = (a: string | number): string => `Dry run: the work can be landed in ${a}.`;
export const dryRunPull = "Dry run of a pull request";
export const dryRunPullNote = "Shows where the work would be pushed, and changes nothing.";
export const dryRunNewPull = (a: string | number, b: string | number): string => `Dry run: the work can be pushed to ${a} as a new pull request against ${b}.`;
export const dryRunOldPull = (a: string | number, b: string | number): string => `Dry run: the work can be pushed to ${a} as an update to ${b}.`;
export const dryRunFailed = (a: string | number): string => `Dry run: the work cannot be landed. ${a}`;
export const landing = "Landing…";
export const landed = (a: string | number, b: string | number): string => `Landed in ${a} as ${b}`;
export const notLanded = (a: string | number): string => `Not landed: ${a}`;
export const pullOpen = (a: string | number): string => `Pull request open: ${a}`;
export const pullUpdate = "Update the pull request";
export const hostPassed = "passed in the pull request";
export const hostFailed = "failed in the pull request";
export const sameFiles = (a: string | number, b: string | number): string => `“${a}” edits the same files: ${b}`;
export const thingRepo = "Repository";
export const noRepo = "No repository";
export const targetCheckout = "the branch that is checked out";
export const howDone = "How will we know it is done?";
export const nothingNeedsYou = "Nothing needs you. Enjoy the view.";
export const asksForReview = "asks for your review";
export const wantsToUse = "wants to use";
export const aTool = "a tool";
export const hasPlan = "has a plan for you";
export const isWaiting = "is waiting for you";
export const endedUnchecked = "ended unchecked";
export const dismissed = "Dismissed.";
export const answered = "Answered.";
export const answeredGoesOn = "Answered. Work continues.";
export const denied = "Denied.";
export const allowedAlways = "Always allowed.";
export const allowedOnce = "Allowed once.";
export const alwaysCovers = (a: string | number): string => `“Always allow” covers: ${a}`;
export const rules = "Always allowed";
export const rule = (a: string | number, b: string | number, c: string | number): string => `${a} ${b} in ${c}`;
export const rulesAllow = "Calls that agents in these repositories can make without asking.";
export const noRules = "No rules yet. The answer “Always allow” adds one.";
export const revoke = "Revoke";
export const ruleRevoked = "Rule revoked.";
export const noLongerWaiting = "The agent is no longer waiting for this answer.";
export const operatorOnly = (a: string | number): string => `${a} requires operator access.`;
export const answeringAgent = "Answering an agent’s question";
export const lettingRun = "Letting an agent run a tool";
export const noAnswerNeeded = (a: string | number, b: string | number): string => `No answer needed. ${a}: ${b}`;
export const withdrawn = "It was withdrawn.";
export const undone = "Undone. Nothing was sent.";
export const notSentOpen = (a: string | number): string => `Not sent: ${a}. The question is still open.`;
export const notSentGone = (a: string | number): string => `Not sent: “${a}”. The question was answered elsewhere or is gone.`;
export const ownAnswer = "Your own answer";
export const noteHint = "Anything they should know (sent with your answer)";
export const question = "A question";
export const requestChanges = "Request changes";
export const whatShouldChange = "What should change?";
export const noMessages = "No messages yet. Ask how things are going.";
export const chatDone = "Done.";
export const feedKind = "Kind";
export const everything = "Everything";
export const everyone = "Everyone";
export const allProjects = "All projects";
export const other = "Other";
export const workflowNotices = "Workflow messages";
export const workflowRaw = "Raw workflow events";
export const workflowIgnored = "Ignored workflow events";
export const live = "Live";
export const connecting = "Connecting…";
export const reconnecting = "Reconnecting…";
export const offline = "Offline";
export const refused = "Refused";
export const attempt = (a: string | number): string => `attempt ${a}`;
export const tryingNow = (a: string | number): string => `${a}, trying now`;
export const nextTry = (a: string | number, b: string | number): string => `${a}, next try in ${b} s`;
export const connectionLost = "The connection to the office was lost.";
export const unreachable = "The office cannot be reached.";
export const nothingSent = "The office cannot be reached right now. Nothing was sent.";
export const otherVersion = (a: string | number, b: string | number, c: string | number): string => `This ${a} uses protocol version ${b}; the office uses ${c}.`;
export const anotherOne = "another one";
export const stillConnecting = "Still connecting to the office.";
export const lastKnownState = "Not connected. This is the last known state; commands are disabled until the office is back.";
export const notAccepted = (a: string | number): string => `The office does not accept this ${a}.`;
export const viewOnly = (a: string | number): string => `View only: this ${a} cannot send commands.`;
export const officeReset = "The office has a different ledger now. Please try again.";
export const findAnything = "Find anything";
export const findHint = "Agents, tasks, deliverables, actions…";
export const nothingFound = "Nothing found.";
export const showNeeds = "Show what needs you";
export const openBoard = "Open the task board";
export const chatWithOffice = "Chat with the office";
export const showPeople = "Show everyone";
export const showActivity = "Show activity";
export const checkingMachine = "Checking the office machine…";
export const outposts = "Other machines";
export const outpostAgents = (a: number): string => (a === 1 ? "1 agent" : `${a} agents`);
export const outpostVersion = (a: string | number): string => `Bullpen ${a}`;
export const outpostSince = (a: string | number): string => `connected ${a}`;
export const outpostSeen = (a: string | number): string => `last report ${a}`;
export const runsOnOutpost = (a: string | number, b: string | number): string => `Runs on outpost ${a}: ${b}`;
export const crewRehearses = "This is a rehearsal: the crew follows a script and uses no model.";
export const keyNextNeed = "Go to the next thing that needs you";
export const keyChoose = "Choose an agent";
export const keyOpen = "Open the selection";
export const keyFollow = "Follow the selected agent";
export const keyKeys = "Show these keys";
export const keyClose = "Close or go back";
