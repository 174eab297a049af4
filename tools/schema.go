package tools

import (
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bullpen-office/bullpen/contracts"
)

// addTools adds the office's tools to a server.
func addTools(s *mcp.Server, h *server) {
	mcp.AddTool(s, changing[Question]("ask_person", "Ask a person a question and wait for the answer. People see it in their inbox.", limits{
		"question": text(contracts.LimitNote), "options": list(contracts.LimitOptions, text(contracts.LimitChoice)), "wait_seconds": seconds, "request_id": id,
	}), h.ask)
	mcp.AddTool(s, reading[AnswerRequest]("read_answer", "Read the answer to one of your questions, or wait for it.", limits{
		"question_id": id, "wait_seconds": seconds,
	}), h.answer)
	mcp.AddTool(s, reading[BoardRequest]("read_board", "Read the office's projects and tasks, and what is waiting for you.", limits{
		"project_id": id,
	}), plain(h.Office.Board))
	mcp.AddTool(s, changing[TakeRequest]("take_task", "Take a free task, or start on one that is assigned to you. Returns everything that you need to do it.", limits{
		"task_id": id, "request_id": id,
	}), plain(h.take))
	mcp.AddTool(s, changing[Progress]("report_progress", "Show people what you are doing.", limits{
		"text": text(contracts.LimitNote), "percent": between(0, 100), "task_id": id,
	}), plain(h.Office.Progress))
	mcp.AddTool(s, changing[Delivery]("deliver", "Deliver the results of a task that you have taken. A person reviews them.", limits{
		"task_id": id, "artifacts": list(contracts.LimitTurnArtifacts, artifact), "request_id": id,
	}), plain(h.deliver))
	mcp.AddTool(s, reading[MessagesRequest]("read_messages", "Read the messages that are waiting for your answer.", limits{
		"wait_seconds": seconds,
	}), h.messages)
	mcp.AddTool(s, changing[Message]("send_message", "Write to the people in the office, or answer one of their messages.", limits{
		"text": text(contracts.LimitChatText), "request_id": id,
	}), plain(h.say))
}

// limits adds constraints to the schemas of a tool's arguments, by argument name.
type limits map[string]func(*jsonschema.Schema)

// text requires a non-empty string and limits its number of characters.
func text(most int) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.MinLength, s.MaxLength = new(1), new(most) }
}

// id limits the length of an id.
func id(s *jsonschema.Schema) { s.MaxLength = new(contracts.LimitID) }

// seconds limits how long a call waits.
func seconds(s *jsonschema.Schema) { between(0, int(contracts.ToolWait.Seconds()))(s) }

func between(least, most int) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.Minimum, s.Maximum = new(float64(least)), new(float64(most)) }
}

// list limits the number of items in a list and applies item to the schema of the items.
func list(most int, item func(*jsonschema.Schema)) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) {
		s.MaxItems = new(most)
		item(s.Items)
	}
}

// artifact limits the lengths of an artifact's members.
func artifact(s *jsonschema.Schema) {
	for _, name := range []string{"title", "type", "mime"} {
		text(contracts.LimitTaskTitle)(s.Properties[name])
	}
	text(contracts.LimitToolArtifact)(s.Properties["content"])
}

// reading describes a tool that changes nothing; changing describes a tool that makes changes.
// Arguments that are not fields of In are refused.
func reading[In any](name, says string, limits limits) *mcp.Tool {
	t := changing[In](name, says, limits)
	t.Annotations = &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: new(false)}
	return t
}

func changing[In any](name, says string, limits limits) *mcp.Tool {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(err) // a mistake in one of this package's types
	}
	for argument, limit := range limits {
		limit(schema.Properties[argument])
	}
	return &mcp.Tool{Name: name, Description: says, InputSchema: schema, Annotations: &mcp.ToolAnnotations{DestructiveHint: new(false), OpenWorldHint: new(false)}}
}
