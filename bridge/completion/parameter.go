package completion

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// Rule defines how one parameter of a request is treated. A default value is always accepted. Any
// other value is passed on to an agent that supports the parameter. For other agents, the value is
// ignored if Ignored is set, and refused otherwise.
type Rule struct {
	Name    string // as callers write it; a member of an object is written object.member
	As      string // the parameter's name in Rules, used by drivers; default Name
	Ignored string // why an agent that does not support the parameter may ignore it
	Refused string // why a value is refused
	Passed  bool   // some agents support it

	Default func(v jsontext.Value) bool    // reports whether v is the default; null always counts as the default
	Invalid func(v jsontext.Value) *string // describes the valid values; nil if v is valid
}

// ItsOwnTools explains why tools sent by callers have no effect.
const ItsOwnTools = "an agent uses its own tools"

// Rules lists the parameters of a chat completion, except those that the bridge itself reads:
// model, messages, stream, stream_options and user. Unknown parameters are refused.
var Rules = []Rule{
	{Name: "temperature", Passed: true, Refused: "the agent chooses its own sampling settings", Default: equals(1), Invalid: number(0, 2)},
	{Name: "top_p", Passed: true, Refused: "the agent chooses its own sampling settings", Default: equals(1), Invalid: number(0, 1)},
	{Name: "frequency_penalty", Passed: true, Refused: "the agent chooses its own sampling settings", Default: equals(0), Invalid: number(-2, 2)},
	{Name: "presence_penalty", Passed: true, Refused: "the agent chooses its own sampling settings", Default: equals(0), Invalid: number(-2, 2)},
	{Name: "seed", Passed: true, Refused: "the agent chooses its own sampling settings", Invalid: integer(math.MinInt64)},
	{Name: "max_tokens", Passed: true, Refused: "an agent's answer cannot be cut short", Invalid: integer(1)},
	{Name: "max_completion_tokens", Passed: true, Ignored: "OpenClaw sends it with every request; the agent's own limit applies", Invalid: integer(1)},
	{Name: "stop", Passed: true, Refused: "an agent's answer cannot be cut short", Default: IsEmpty, Invalid: stops},
	{Name: "response_format", Passed: true, Refused: "the agent uses its own format; ask for JSON in the message", Default: plainText, Invalid: format},
	{Name: "reasoning_effort", Passed: true, Ignored: "OpenClaw sends it for reasoning models; the agent decides how it reasons", Invalid: text},
	{Name: "verbosity", Passed: true, Refused: "ask for a specific length in the message", Default: EqualsText("medium"), Invalid: text},
	{Name: "n", Refused: "an agent returns one answer", Default: equals(1), Invalid: integer(1)},
	{Name: "logprobs", Refused: "an agent's answer has no probabilities", Default: IsFalse},
	{Name: "top_logprobs", Refused: "an agent's answer has no probabilities", Default: equals(0)},
	{Name: "logit_bias", Refused: "the agent chooses its own tokens", Default: IsEmpty},
	{Name: "tools", Ignored: ItsOwnTools, Default: IsEmpty},
	{Name: "functions", Ignored: ItsOwnTools, Default: IsEmpty},
	{Name: "tool_choice", Refused: ItsOwnTools, Default: noChoice},
	{Name: "function_call", Refused: ItsOwnTools, Default: noChoice},
	{Name: "parallel_tool_calls", Ignored: ItsOwnTools},
	{Name: "modalities", Refused: "agents answer only in text", Default: onlyText},
	{Name: "audio", Refused: "agents answer only in text"},
	{Name: "web_search_options", Refused: ItsOwnTools},
	{Name: "prediction", Ignored: "it only affects the speed of a model"},
	{Name: "store", Ignored: "it controls OpenAI's storage; the office records every turn in its ledger"},
	{Name: "metadata", Ignored: "it only labels data that OpenAI stores"},
	{Name: "service_tier", Ignored: "it only affects the speed and cost of using a model"},
	{Name: "safety_identifier", Ignored: "it is for OpenAI's own checks"},
	{Name: "prompt_cache_key", Ignored: "it only affects the cost of using a model"},
	{Name: "prompt_cache_retention", Ignored: "it only affects the cost of using a model"},
}

// Like returns a copy of another parameter's rule from Rules, with a new name. The copy's As field
// is the name in Rules.
func Like(name, as string) Rule {
	i := slices.IndexFunc(Rules, func(r Rule) bool { return r.Name == as })
	rule := Rules[i]
	rule.Name, rule.As = name, as
	return rule
}

// Flatten replaces each of the parameters listed in objects with its members, named object.member.
func Flatten(parameters map[string]jsontext.Value, objects ...string) *Error {
	for _, object := range objects {
		value, sent := parameters[object]
		delete(parameters, object)
		if !sent || value.Kind() == 'n' {
			continue
		}
		var members map[string]jsontext.Value
		if err := json.Unmarshal(value, &members); err != nil {
			return Invalid(object, "%s must be an object (got %s).", object, contracts.JSONKindName(value.Kind()))
		}
		for name, member := range members {
			parameters[object+"."+name] = member
		}
	}
	return nil
}

// splitParameters splits the parameters of a request into those for the agent and those that are
// ignored. If anyAgent is set, it refuses only parameters that no agent supports.
func (r *Request) splitParameters(caps drive.Capabilities, anyAgent bool) (passed map[string]jsontext.Value, ignored []string, bad *Error) {
	for _, name := range sorted(r.Parameters) {
		value := r.Parameters[name]
		i := slices.IndexFunc(r.Rules, func(r Rule) bool { return r.Name == name })
		if i < 0 {
			return nil, nil, &Error{Param: name, Code: "unknown_parameter", Message: fmt.Sprintf("Unknown parameter %s. Remove it.", name)}
		}
		rule := r.Rules[i]
		if value.Kind() == 'n' || rule.Default != nil && rule.Default(value) {
			continue
		}
		if rule.Invalid != nil {
			if want := rule.Invalid(value); want != nil {
				got := contracts.JSONKindName(value.Kind())
				return nil, nil, Invalid(name, "%s must be %s (got %s).", name, *want, got)
			}
		}
		as := cmp.Or(rule.As, name)
		switch {
		case rule.Passed && (anyAgent || caps.Parameter(as)):
			if passed == nil {
				passed = map[string]jsontext.Value{}
			}
			passed[as] = value
		case rule.Ignored != "":
			ignored = append(ignored, name)
		default:
			return nil, nil, Unsupported(name, "This agent does not support %s: %s. Remove it, or choose an agent that is a plain model.", name, rule.Refused)
		}
	}
	return passed, ignored, nil
}

func sorted(all map[string]jsontext.Value) []string {
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func numberOf(v jsontext.Value) (float64, bool) {
	var n float64
	return n, v.Kind() == '0' && json.Unmarshal(v, &n) == nil
}

func textOf(v jsontext.Value) (string, bool) {
	var s string
	return s, v.Kind() == '"' && json.Unmarshal(v, &s) == nil
}

func equals(want float64) func(jsontext.Value) bool {
	return func(v jsontext.Value) bool { n, ok := numberOf(v); return ok && n == want }
}

// EqualsText returns a function that reports whether a value is the string want.
func EqualsText(want string) func(jsontext.Value) bool {
	return func(v jsontext.Value) bool { s, ok := textOf(v); return ok && s == want }
}

// IsFalse reports whether v is false.
func IsFalse(v jsontext.Value) bool { return v.Kind() == 'f' }

// IsEmpty reports whether v is [], {} or "".
func IsEmpty(v jsontext.Value) bool {
	var list []jsontext.Value
	var object map[string]jsontext.Value
	switch v.Kind() {
	case '[':
		return json.Unmarshal(v, &list) == nil && len(list) == 0
	case '{':
		return json.Unmarshal(v, &object) == nil && len(object) == 0
	}
	s, ok := textOf(v)
	return ok && s == ""
}

// noChoice reports whether tool_choice is "auto" or "none"; neither of them forces a tool call.
func noChoice(v jsontext.Value) bool {
	s, ok := textOf(v)
	return ok && (s == "auto" || s == "none")
}

func onlyText(v jsontext.Value) bool {
	var list []string
	return json.Unmarshal(v, &list) == nil && slices.Equal(list, []string{"text"})
}

func formatOf(v jsontext.Value) string {
	var f struct {
		Type string `json:"type"`
	}
	if v.Kind() != '{' || json.Unmarshal(v, &f) != nil {
		return ""
	}
	return f.Type
}

func plainText(v jsontext.Value) bool { return formatOf(v) == "text" }

func requirement(what string) *string { return &what }

func number(least, most float64) func(jsontext.Value) *string {
	return func(v jsontext.Value) *string {
		if n, ok := numberOf(v); ok && n >= least && n <= most {
			return nil
		}
		return requirement(fmt.Sprintf("a number from %g to %g", least, most))
	}
}

func integer(least float64) func(jsontext.Value) *string {
	return func(v jsontext.Value) *string {
		if n, ok := numberOf(v); ok && n == math.Trunc(n) && n >= least && math.Abs(n) < 1<<53 {
			return nil
		}
		if least > 0 {
			return requirement(fmt.Sprintf("an integer, at least %g", least))
		}
		return requirement("an integer")
	}
}

func text(v jsontext.Value) *string {
	if _, ok := textOf(v); ok {
		return nil
	}
	return requirement("a string")
}

func stops(v jsontext.Value) *string {
	var list []string
	if _, ok := textOf(v); ok || json.Unmarshal(v, &list) == nil && len(list) <= 4 {
		return nil
	}
	return requirement("a string or a list of at most 4 strings")
}

func format(v jsontext.Value) *string {
	if f := formatOf(v); f == "json_object" || f == "json_schema" {
		return nil
	}
	return requirement("an object whose type is text, json_object or json_schema")
}
