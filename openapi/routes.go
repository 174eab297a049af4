package openapi

import (
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// Route is one row of the table that Routes returns: a method and a path of the server.
type Route struct {
	Method  string
	Path    string // as registered, such as /v1/files/{path...}
	Access  Access
	Tag     string
	Summary string // starts with a verb
	Params  []Param
	Body    string // schema of the request, as FILE#/$defs/NAME; empty if there is no body
	Answer  string // schema of the response; empty if it is not JSON
	Media   string // the response's media type; default application/json
	Status  int    // the response's status; default 200
	Refusal string // schema of refusals; default "problem"
}

// Param is a query parameter. Path parameters are derived from the path.
type Param struct{ Name, Type, Doc string }

// Access defines which roles may use a route.
type Access string

// The kinds of access.
const (
	Public   Access = "public"   // no credential needed
	Anyone   Access = "anyone"   // every role
	Read     Access = "read"     // viewers and operators
	Question Access = "question" // every role; agents and outposts only for their own questions
	Report   Access = "report"   // operators and agents
	Operate  Access = "operate"  // operators
	Outposts Access = "outposts" // outposts
	Agents   Access = "agents"   // agents
	Connect  Access = "connect"  // operators and agents; a token is required even on loopback
	Owner    Access = "owner"    // operators; the operator credential is required even on loopback
)

// Roles lists the roles that may use a route; empty means public.
func (a Access) Roles() []contracts.AccessRole {
	switch a {
	case Read:
		return []contracts.AccessRole{contracts.AccessViewer, contracts.AccessOperator}
	case Anyone, Question:
		return []contracts.AccessRole{contracts.AccessViewer, contracts.AccessOperator, contracts.AccessAgent, contracts.AccessOutpost}
	case Outposts:
		return []contracts.AccessRole{contracts.AccessOutpost}
	case Agents:
		return []contracts.AccessRole{contracts.AccessAgent}
	case Report, Connect:
		return []contracts.AccessRole{contracts.AccessOperator, contracts.AccessAgent}
	case Operate, Owner:
		return []contracts.AccessRole{contracts.AccessOperator}
	}
	return nil
}

// Doc describes the access in words.
func (a Access) Doc() string {
	return map[Access]string{
		Public: "no credential needed", Anyone: "any role", Read: "viewer, operator", Question: "viewer, operator, agent, outpost",
		Report: "operator, agent", Connect: "token of an operator or agent, even on loopback", Operate: "operator", Outposts: "outpost", Agents: "agent", Owner: "operator credential, even on loopback",
	}[a]
}

const (
	events   = "text/event-stream"
	page     = "text/html"
	anyMedia = "*/*"
	own      = "http.schema.json#/$defs/"
	entities = "entities.schema.json#/$defs/"
)

var (
	after   = Param{"after", "integer", "Number of the last record that you have; reading starts after it."}
	epoch   = Param{"epoch", "string", "The ledger that your cursor belongs to, from the Bullpen-Epoch header."}
	segment = Param{"segment", "string", "The segment that your cursor belongs to, from the Bullpen-Segment header."}
	kind    = Param{"kind", "string", "Only these kinds, separated by commas: event, agent_goal, chat, hud, ui."}
	agent   = Param{"agent", "string", "Name of the reporting agent."}
	dryRun  = Param{"dry_run", "string", "1 returns a preview and stores nothing."}
)

// Routes lists every route of a server, in documentation order. hooked are the programs whose hooks
// the server receives. A test of package server compares the list with the routes that the server
// registers.
func Routes(hooked []contracts.Source) (list []Route) {
	for _, r := range table {
		if r.Path != hooks {
			list = append(list, r)
			continue
		}
		for _, s := range hooked {
			r.Path, r.Summary = strings.Replace(hooks, "{source}", s.Source, 1), "Receive a hook from "+s.Label
			list = append(list, r)
		}
	}
	return list
}

// hooks is the path of the row that Routes repeats for each program with hooks.
const hooks = "/hooks/{source}"

var table = []Route{
	{Method: "GET", Path: "/v1/state", Access: Read, Tag: "Office", Summary: "Get the whole office as one snapshot", Answer: "snapshot.schema.json#/$defs/snapshot"},
	{Method: "GET", Path: "/v1/needs", Access: Read, Tag: "Office", Summary: "List questions, plans and deliverables that need a person, most urgent first", Answer: own + "needs"},
	{Method: "GET", Path: "/v1/projects/{id}", Access: Read, Tag: "Office", Summary: "Get a live project", Answer: entities + "project"},
	{Method: "GET", Path: "/v1/tasks/{id}", Access: Read, Tag: "Office", Summary: "Get a task in a live project", Answer: entities + "task"},
	{Method: "GET", Path: "/v1/tasks/{id}/checks/{check}/output", Access: Read, Tag: "Office", Summary: "Get the end of the output of a task's check", Media: "text/plain; charset=utf-8"},
	{Method: "GET", Path: "/v1/tasks/{id}/receipt", Access: Operate, Tag: "Office", Summary: "Get a signed receipt of a task's checks", Media: "application/vnd.dsse.envelope.v1+json"},
	{Method: "GET", Path: "/v1/artifacts/{id}", Access: Read, Tag: "Office", Summary: "Get a deliverable, without its content", Answer: entities + "artifact"},
	{Method: "GET", Path: "/v1/artifacts/{id}/content", Access: Read, Tag: "Office", Summary: "Download the content of a deliverable", Media: anyMedia},
	{Method: "GET", Path: "/v1/artifacts/{id}/changes", Access: Read, Tag: "Office", Summary: "Compare two versions of a patch", Media: "text/x-diff",
		Params: []Param{{"since", "string", "Id of the earlier version; by default the version before this one."}}},
	{Method: "GET", Path: "/v1/decisions/{id}", Access: Question, Tag: "Office", Summary: "Get a question, or wait for its answer", Answer: own + "decision",
		Params: []Param{{"wait", "string", "How long to wait for the answer, such as 30s."}}},
	{Method: "GET", Path: "/v1/usage", Access: Read, Tag: "Office", Summary: "Get token usage and cost", Answer: own + "usage",
		Params: []Param{{"days", "integer", "Number of days to list."}, {"by", "string", "Only these parts, separated by commas: day, agent, task."}}},
	{Method: "GET", Path: "/v1/scene", Access: Read, Tag: "Office", Summary: "Get the office's scene", Answer: "scene-manifest.schema.json"},
	{Method: "GET", Path: "/v1/scene/{id}", Access: Read, Tag: "Office", Summary: "Get the scene, or a module of the campus, by its id", Answer: "scene-manifest.schema.json"},

	{Method: "GET", Path: "/v1/agents", Access: Read, Tag: "Agents", Summary: "List the agents and what they are doing", Answer: own + "agent_list"},
	{Method: "GET", Path: "/v1/agents/{id}/explain", Access: Read, Tag: "Agents", Summary: "Explain an agent's status", Answer: own + "agent_explanation"},
	{Method: "GET", Path: "/v1/hud/{id}/result", Access: Read, Tag: "Agents", Summary: "Get the complete result of a tool call", Answer: own + "hud_result"},
	{Method: "GET", Path: "/v1/files", Access: Owner, Tag: "Agents", Summary: "Read a file that an agent mentioned", Answer: own + "file",
		Params: []Param{{"path", "string", "The path as reported by the agent. Required."}, {"agent", "string", "Id of the agent."}}},
	{Method: "GET", Path: "/v1/files/{path...}", Access: Owner, Tag: "Agents", Summary: "Read a file in the folder that the office was started in", Answer: own + "file"},
	{Method: "GET", Path: "/v1/connect", Access: Operate, Tag: "Agents", Summary: "List agents and models on the office machine that can be connected", Answer: own + "connect_report"},
	{Method: "POST", Path: "/v1/connect/{id}", Access: Owner, Tag: "Agents", Summary: "Carry out the plan for an item listed by GET /v1/connect", Answer: own + "connect_report"},

	{Method: "GET", Path: "/ws/world", Access: Read, Tag: "Live", Summary: "Open the world WebSocket: events, snapshots, chat and commands", Status: 101},
	{Method: "GET", Path: "/ws/hud", Access: Read, Tag: "Live", Summary: "Open the activity WebSocket", Status: 101,
		Params: []Param{{"agent", "string", "Only this agent."}, {"session", "string", "Only this session."}, after, epoch, segment}},
	{Method: "GET", Path: "/v1/events", Access: Read, Tag: "Live", Summary: "Read a page of history", Answer: own + "events_page",
		Params: []Param{after, {"limit", "integer", "Maximum number of messages; 100 by default."}, kind, epoch, segment}},
	{Method: "GET", Path: "/v1/events/stream", Access: Read, Tag: "Live", Summary: "Stream live updates as server-sent events", Media: events, Params: []Param{after, kind, epoch, segment}},
	{Method: "GET", Path: "/v1/agui/stream", Access: Read, Tag: "Live", Summary: "Stream live updates as AG-UI events", Media: events, Params: []Param{after, epoch, segment}},

	{Method: "POST", Path: "/v1/events", Access: Report, Tag: "Report", Summary: "Report events: one, a list, NDJSON or CloudEvents", Body: own + "event_input", Answer: own + "event_outcomes", Params: []Param{agent, dryRun}},
	{Method: "POST", Path: "/v1/ui/{kind}", Access: Report, Tag: "Report", Summary: "Report one event of a given kind: status, message, progress, tool_execution, tool_result or ask", Body: own + "any_body", Answer: own + "event_outcome", Params: []Param{agent, dryRun}},
	{Method: "POST", Path: hooks, Access: Report, Tag: "Report", Body: own + "any_body", Media: anyMedia},
	{Method: "POST", Path: "/v1/traces", Access: Report, Tag: "Report", Summary: "Receive OpenTelemetry spans: OTLP in protobuf or JSON", Body: own + "any_body", Media: anyMedia},
	{Method: "POST", Path: "/v1/logs", Access: Report, Tag: "Report", Summary: "Accept and discard OpenTelemetry logs", Body: own + "any_body", Media: anyMedia},
	{Method: "POST", Path: "/v1/metrics", Access: Report, Tag: "Report", Summary: "Accept and discard OpenTelemetry metrics", Body: own + "any_body", Media: anyMedia},

	{Method: "POST", Path: "/v1/facts", Access: Outposts, Tag: "Outposts", Summary: "Report facts from an outpost, or start a new life (run) of the outpost", Body: own + "facts_request", Answer: own + "facts_reply"},
	{Method: "GET", Path: "/v1/facts", Access: Outposts, Tag: "Outposts", Summary: "Get the state that an outpost needs to continue", Answer: own + "outpost_state",
		Params: []Param{{"life", "string", "Id of the outpost's life (run), from POST /v1/facts. With it, the request counts as a heartbeat."}}},
	{Method: "GET", Path: "/v1/facts/orders", Access: Outposts, Tag: "Outposts", Summary: "Get orders for the agents of an outpost, or wait for one", Answer: own + "orders_page",
		Params: []Param{{"source", "string", "Source of the agents. Required."}, {"after", "integer", "Number of the last record that you have. Required."}}},
	{Method: "POST", Path: "/v1/facts/blobs", Access: Outposts, Tag: "Outposts", Summary: "Store content that a fact refers to by its hash", Body: own + "any_body", Answer: own + "stored_blob"},
	{Method: "POST", Path: "/v1/facts/stream", Access: Outposts, Tag: "Outposts", Summary: "Show an agent's text as it is written", Body: own + "stream_deltas", Media: anyMedia, Status: 204},

	{Method: "POST", Path: "/v1/chat/completions", Access: Report, Tag: "Bridge", Summary: "Prompt an agent through the OpenAI Chat Completions API", Body: own + "chat_request", Answer: own + "chat_completion", Refusal: own + "openai_problem",
		Params: []Param{{"buffer", "string", "1 sends the stream as one chunk at the end."}}},
	{Method: "POST", Path: "/v1/responses", Access: Report, Tag: "Bridge", Summary: "Prompt an agent through the OpenAI Responses API", Body: own + "responses_request", Answer: own + "response", Refusal: own + "openai_problem"},
	{Method: "POST", Path: "/v1/messages", Access: Report, Tag: "Bridge", Summary: "Prompt an agent through the Anthropic Messages API", Body: own + "messages_request", Answer: own + "messages_answer", Refusal: own + "anthropic_problem"},
	{Method: "POST", Path: "/v1/messages/count_tokens", Access: Report, Tag: "Bridge", Summary: "Estimate the number of tokens in a Messages request", Body: own + "messages_request", Answer: own + "token_count", Refusal: own + "anthropic_problem"},
	{Method: "GET", Path: "/v1/models", Access: Report, Tag: "Bridge", Summary: "List the agents that callers can prompt", Answer: own + "models", Refusal: own + "openai_problem"},
	{Method: "GET", Path: "/v1/models/{id...}", Access: Report, Tag: "Bridge", Summary: "Get one agent that callers can prompt", Answer: own + "model", Refusal: own + "openai_problem"},
	{Method: "POST", Path: "/v1/agui/{agent}", Access: Report, Tag: "Bridge", Summary: "Run an agent from an AG-UI client", Body: own + "agui_run", Media: events},
	{Method: "POST", Path: "/mcp", Access: Agents, Tag: "Bridge", Summary: "Use the office's tools through MCP (streamable HTTP)", Body: own + "any_body", Media: anyMedia},
	{Method: "GET", Path: "/bridge", Access: Connect, Tag: "Bridge", Summary: "Connect an agent to the office over a WebSocket", Status: 101},

	{Method: "GET", Path: "/v1/export", Access: Operate, Tag: "Ledger", Summary: "Download the ledger as JSON Lines", Media: "application/x-ndjson",
		Params: []Param{after, {"kinds", "string", "Only these kinds of records, separated by commas."}, {"content", "string", "0 omits the contents of deliverables and results."}}},
	{Method: "GET", Path: "/v1/backup", Access: Operate, Tag: "Ledger", Summary: "Download a verified copy of the ledger as an SQLite file", Media: "application/vnd.sqlite3"},
	{Method: "GET", Path: "/v1/verify", Access: Operate, Tag: "Ledger", Summary: "Verify every record of the ledger", Answer: own + "verification"},
	{Method: "POST", Path: "/v1/redact", Access: Owner, Tag: "Ledger", Summary: "Erase the text of records", Body: own + "redact_request", Answer: own + "redactions"},

	{Method: "GET", Path: "/healthz", Access: Public, Tag: "Operations", Summary: "Check that the process is alive", Answer: own + "health"},
	{Method: "GET", Path: "/readyz", Access: Anyone, Tag: "Operations", Summary: "Check whether the office is ready, and get the reasons if it is not", Answer: own + "readiness",
		Params: []Param{{"serving", "string", "1 reports success while viewers are served, even if nothing can be recorded."}}},
	{Method: "GET", Path: "/metrics", Access: Anyone, Tag: "Operations", Summary: "Get Prometheus metrics", Media: "text/plain"},
	{Method: "GET", Path: "/v1/openapi.json", Access: Anyone, Tag: "Operations", Summary: "Get this description of the HTTP API", Answer: own + "any_object"},
	{Method: "GET", Path: "/contracts/{path...}", Access: Anyone, Tag: "Operations", Summary: "Get a JSON Schema or an example message", Answer: own + "any_object"},
	{Method: "POST", Path: "/v1/link", Access: Owner, Tag: "Operations", Summary: "Create a one-time link that signs a browser in", Answer: own + "link",
		Params: []Param{{"role", "string", "operator (default) or viewer."}}},

	{Method: "GET", Path: "/{$}", Access: Read, Tag: "Browser", Summary: "Open the web client", Media: page},
	{Method: "GET", Path: "/text", Access: Read, Tag: "Browser", Summary: "Open the office as a plain page", Media: page},
	{Method: "GET", Path: "/signin", Access: Public, Tag: "Browser", Summary: "Open the sign-in page", Media: page},
	{Method: "POST", Path: "/signin", Access: Public, Tag: "Browser", Summary: "Exchange a token or a one-time link for a session cookie", Media: page, Status: 303},
	{Method: "GET", Path: "/open", Access: Public, Tag: "Browser", Summary: "Sign in with a one-time link", Media: page, Status: 303, Params: []Param{{"code", "string", "The one-time code."}}},
	{Method: "GET", Path: "/assets/{path...}", Access: Anyone, Tag: "Browser", Summary: "Get a file of the web client", Media: anyMedia},
	{Method: "GET", Path: "/favicon.svg", Access: Anyone, Tag: "Browser", Summary: "Get the icon", Media: "image/svg+xml"},
	{Method: "GET", Path: "/app.js", Access: Anyone, Tag: "Browser", Summary: "Get the script of the plain page", Media: "text/javascript"},
	{Method: "GET", Path: "/app.css", Access: Anyone, Tag: "Browser", Summary: "Get the style sheet of the plain page", Media: "text/css"},
}
