package messages

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/bridge/completion"
)

// Rules lists the parameters of a request, except those that Read itself reads: model, messages,
// system and stream. Unknown parameters are refused.
var Rules = []completion.Rule{
	completion.Like("max_tokens", "max_completion_tokens"), // required by this protocol
	completion.Like("temperature", "temperature"),
	completion.Like("top_p", "top_p"),
	completion.Like("stop_sequences", "stop"),
	completion.Like("output_config.effort", "reasoning_effort"),
	completion.Like("output_config.format", "response_format"),
	completion.Like("output_format", "response_format"),
	completion.Like("tools", "tools"),
	{Name: "tool_choice", Refused: completion.ItsOwnTools, Default: noChoice},
	{Name: "top_k", Refused: "the agent chooses its own sampling settings"},
	{Name: "thinking", Ignored: "the agent decides how it thinks"},
	{Name: "context_management", Ignored: "the agent manages its own context"},
	{Name: "cache_control", Ignored: "it only affects the cost of using a model"},
	{Name: "speed", Ignored: "it only affects the speed of a model"},
	{Name: "metadata", Ignored: "it only labels data that Anthropic stores"},
	{Name: "service_tier", Ignored: "it only affects the speed and cost of using a model"},
	{Name: "container", Refused: completion.ItsOwnTools},
	{Name: "mcp_servers", Refused: completion.ItsOwnTools, Default: completion.IsEmpty},
	{Name: "inference_geo", Refused: "the office does not choose where a model runs"},
}

// noChoice reports whether tool_choice is auto or none; neither of them forces a tool call.
func noChoice(v jsontext.Value) bool {
	var choice struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(v, &choice) == nil && (choice.Type == "auto" || choice.Type == "none")
}

// formatOf converts a format to a chat completion's response_format, which has a nested object with a
// name and the schema. A value with any other shape is returned unchanged; the parameter's rule then
// refuses it.
func formatOf(v jsontext.Value) jsontext.Value {
	var format struct {
		Type   string         `json:"type"`
		Schema jsontext.Value `json:"schema"`
	}
	if json.Unmarshal(v, &format) != nil || format.Type != "json_schema" || format.Schema == nil {
		return v
	}
	out, err := json.Marshal(map[string]any{"type": format.Type, "json_schema": map[string]any{"name": "answer", "schema": format.Schema}}, json.Deterministic(true))
	if err != nil {
		return v
	}
	return out
}
