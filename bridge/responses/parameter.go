package responses

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/bridge/completion"
)

// Rules lists the parameters of a request, except those that Read itself reads: model, input,
// instructions, previous_response_id, store, stream, stream_options and user. Unknown parameters
// are refused.
var Rules = []completion.Rule{
	completion.Like("temperature", "temperature"),
	completion.Like("top_p", "top_p"),
	completion.Like("max_output_tokens", "max_completion_tokens"),
	completion.Like("text.format", "response_format"),
	completion.Like("text.verbosity", "verbosity"),
	completion.Like("reasoning.effort", "reasoning_effort"),
	completion.Like("top_logprobs", "top_logprobs"),
	completion.Like("tools", "tools"),
	completion.Like("tool_choice", "tool_choice"),
	completion.Like("parallel_tool_calls", "parallel_tool_calls"),
	completion.Like("metadata", "metadata"),
	completion.Like("service_tier", "service_tier"),
	completion.Like("safety_identifier", "safety_identifier"),
	completion.Like("prompt_cache_key", "prompt_cache_key"),
	completion.Like("prompt_cache_retention", "prompt_cache_retention"),
	{Name: "prompt_cache_options", Ignored: "it only affects the cost of using a model"},
	{Name: "reasoning.summary", Ignored: reasoning},
	{Name: "reasoning.generate_summary", Ignored: reasoning},
	{Name: "reasoning.context", Ignored: reasoning},
	{Name: "reasoning.mode", Ignored: reasoning},
	{Name: "include", Ignored: "an agent's answer has no additional data", Default: completion.IsEmpty},
	{Name: "truncation", Ignored: context, Default: completion.EqualsText("disabled")},
	{Name: "context_management", Ignored: context, Default: completion.IsEmpty},
	{Name: "client_metadata", Ignored: "Codex sends it to label its requests"},
	{Name: "background", Refused: "a turn ends when its caller disconnects", Default: completion.IsFalse},
	{Name: "conversation", Refused: "use the parameter user to name a conversation, or previous_response_id to continue one"},
	{Name: "prompt", Refused: "the office stores no prompts"},
	{Name: "max_tool_calls", Refused: completion.ItsOwnTools},
}

const (
	reasoning = "the agent decides how it reasons, and its reasoning is not returned here"
	context   = "the agent manages its own context"
)

// formatOf converts text.format to a chat completion's response_format, whose schema is in a
// nested object. A value with any other shape is returned unchanged; the parameter's rule then
// rejects it.
func formatOf(v jsontext.Value) jsontext.Value {
	var schema map[string]jsontext.Value
	if json.Unmarshal(v, &schema) != nil || string(schema["type"]) != `"json_schema"` {
		return v
	}
	kind := schema["type"]
	delete(schema, "type")
	out, err := json.Marshal(map[string]any{"type": kind, "json_schema": schema}, json.Deterministic(true))
	if err != nil {
		return v
	}
	return out
}
