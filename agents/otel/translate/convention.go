package translate

import (
	"cmp"
	"strings"

	"github.com/bullpen-office/bullpen/agents/otel/wire"
	"github.com/bullpen-office/bullpen/contracts"
)

// Attributes that the GenAI conventions define, each with its possible names in order of
// preference.
var (
	keysAgent        = []string{"gen_ai.agent.name", "gen_ai.agent.id"}
	keysConversation = []string{"gen_ai.conversation.id", "session.id"}
	keysModel        = []string{"gen_ai.response.model", "gen_ai.request.model"}
	keysInput        = []string{"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"}
	keysOutput       = []string{"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"}
	keysCacheRead    = []string{"gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens"}
	keysCacheWrite   = []string{"gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_creation_input_tokens"}
)

const (
	keyOperation = "gen_ai.operation.name"
	keyTool      = "gen_ai.tool.name"
	keyArguments = "gen_ai.tool.call.arguments"
	keyResult    = "gen_ai.tool.call.result"
	keyError     = "error.type"

	operationTool  = "execute_tool"
	operationAgent = "invoke_agent"
)

// kind is what a span represents in the office.
type kind int

const (
	other kind = iota
	turn       // a run of an agent or a workflow
	call       // a tool call
	think      // a request to a model
)

// kindOf determines the kind of a span from the operation that it names. Spans that follow earlier
// conventions do not name an operation; their names and attributes determine their kind.
func kindOf(s *wire.Span) kind {
	switch operation := s.Attributes.Text(keyOperation); operation {
	case operationAgent, "invoke_workflow":
		return turn
	case operationTool:
		return call
	case "chat", "text_completion", "generate_content", "embeddings", "plan":
		return think
	case "":
		switch {
		case s.Attributes.Has(keyTool):
			return call
		case strings.HasPrefix(s.Name, operationAgent):
			return turn
		case s.Attributes.Has(keysModel...):
			return think
		}
	}
	return other
}

// toolOf returns the name of the tool whose call a span describes.
func toolOf(s *wire.Span) string {
	name, _ := strings.CutPrefix(s.Name, operationTool)
	return cmp.Or(s.Attributes.Text(keyTool), strings.TrimSpace(name), "unknown tool")
}

// failureOf returns the reason that a span failed, or "" if it did not.
func failureOf(s *wire.Span) string {
	if !s.Failed {
		return ""
	}
	return cmp.Or(s.Message, s.Attributes.Text(keyError), "Failed; no reason was given.")
}

// usageOf returns the tokens that a span reports. In the conventions, the input includes cached
// tokens.
func usageOf(s *wire.Span) contracts.Usage {
	in, _ := s.Attributes.Count(keysInput...)
	out, _ := s.Attributes.Count(keysOutput...)
	read, _ := s.Attributes.Count(keysCacheRead...)
	written, _ := s.Attributes.Count(keysCacheWrite...)
	return contracts.Usage{
		Model: s.Attributes.Text(keysModel...), TokensIn: max(in-read-written, 0), TokensOut: out, CacheRead: read, CacheWrite: written,
	}
}
