package bridge_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/bridge/messages"
	"github.com/bullpen-office/bullpen/bridge/responses"
	"github.com/bullpen-office/bullpen/drive"
)

// protocol is the part of a model protocol that concerns parameters.
type protocol struct {
	heading string // of its table in PROTOCOL.md
	rules   []completion.Rule
	body    string            // a request with a %s verb for more members
	samples map[string]string // values other than the default, as members
	passed  map[string]string // values that change on their way to the agent
	read    func(body []byte) (*completion.Request, *completion.Error)
}

var protocols = map[string]protocol{
	"chat completions": {
		heading: "### Parameters", rules: completion.Rules, body: `{"messages":[{"role":"user","content":"Hello"}],%s}`, read: completion.Read,
		samples: map[string]string{
			"temperature": "0.5", "top_p": "0.5", "frequency_penalty": "0.5", "presence_penalty": "0.5", "seed": "7", "max_tokens": "9", "max_completion_tokens": "9",
			"stop": `["x"]`, "response_format": `{"type":"json_object"}`, "reasoning_effort": `"high"`, "verbosity": `"low"`, "n": "2", "logprobs": "true", "top_logprobs": "3",
			"logit_bias": `{"1":2}`, "tools": `[{"type":"function"}]`, "functions": `[{}]`, "tool_choice": `"required"`, "function_call": `{"name":"x"}`, "parallel_tool_calls": "true",
			"modalities": `["text","audio"]`, "audio": `{}`, "web_search_options": `{}`, "prediction": `{}`, "store": "true", "metadata": `{"a":"b"}`, "service_tier": `"flex"`,
			"safety_identifier": `"x"`, "prompt_cache_key": `"x"`, "prompt_cache_retention": `"24h"`,
		},
	},
	"Responses": {
		heading: "### Parameters of Responses", rules: responses.Rules, body: `{"input":"Hello",%s}`,
		read: func(body []byte) (*completion.Request, *completion.Error) {
			r, bad := responses.Read(body, nil)
			if bad != nil {
				return nil, bad
			}
			return &r.Request, nil
		},
		samples: map[string]string{
			"temperature": "0.5", "top_p": "0.5", "max_output_tokens": "9", "text.format": `{"type":"json_schema","name":"n","schema":{"type":"object"},"strict":true}`, "text.verbosity": `"low"`,
			"reasoning.effort": `"high"`, "top_logprobs": "3", "tools": `[{"type":"function"}]`, "tool_choice": `"required"`, "parallel_tool_calls": "true", "metadata": `{"a":"b"}`,
			"service_tier": `"flex"`, "safety_identifier": `"x"`, "prompt_cache_key": `"x"`, "prompt_cache_retention": `"24h"`, "prompt_cache_options": `{"mode":"x"}`,
			"reasoning.summary": `"auto"`, "reasoning.generate_summary": `"auto"`, "reasoning.context": `"auto"`, "reasoning.mode": `"pro"`, "include": `["reasoning.encrypted_content"]`,
			"truncation": `"auto"`, "context_management": `[{"type":"compaction"}]`, "client_metadata": `{"a":"b"}`, "background": "true", "conversation": `"conv_1"`, "prompt": `{"id":"p"}`,
			"max_tool_calls": "3",
		},
		passed: map[string]string{"text.format": `{"json_schema":{"name":"n","schema":{"type":"object"},"strict":true},"type":"json_schema"}`},
	},
	"Messages": {
		heading: "### Parameters of Messages", rules: messages.Rules, body: `{"messages":[{"role":"user","content":"Hello"}],%s}`, read: messages.Read,
		samples: map[string]string{
			"max_tokens": "9", "temperature": "0.5", "top_p": "0.5", "stop_sequences": `["x"]`, "output_config.effort": `"high"`, "output_config.format": `{"type":"json_schema","schema":{"type":"object"}}`,
			"output_format": `{"type":"json_schema","schema":{"type":"object"}}`, "tools": `[{"name":"f"}]`, "tool_choice": `{"type":"any"}`, "top_k": "5", "thinking": `{"type":"adaptive"}`,
			"context_management": `{"edits":[]}`, "cache_control": `{"type":"ephemeral"}`, "speed": `"fast"`, "metadata": `{"user_id":"x"}`, "service_tier": `"auto"`, "container": `"c"`,
			"mcp_servers": `[{"type":"url"}]`, "inference_geo": `"us"`,
		},
		passed: map[string]string{
			"output_config.format": `{"json_schema":{"name":"answer","schema":{"type":"object"}},"type":"json_schema"}`,
			"output_format":        `{"json_schema":{"name":"answer","schema":{"type":"object"}},"type":"json_schema"}`,
		},
	},
}

// with returns the request with one parameter.
func (p protocol) with(name string) []byte {
	value := p.samples[name]
	if object, member, nested := strings.Cut(name, "."); nested {
		name, value = object, fmt.Sprintf(`{%q:%s}`, member, value)
	}
	return []byte(fmt.Sprintf(p.body, fmt.Sprintf(`%q:%s`, name, value)))
}

// Every parameter is passed on, refused by name, or ignored for a stated reason; none is silently
// dropped.
func TestEveryParameterHasARule(t *testing.T) {
	for name, p := range protocols {
		t.Run(name, func(t *testing.T) {
			for _, rule := range p.rules {
				if (rule.Ignored == "") == (rule.Refused == "") {
					t.Errorf("%s must set either Ignored or Refused", rule.Name)
				}
				p.check(t, rule)
			}
			if _, bad := p.read([]byte(fmt.Sprintf(p.body, `"surprise":1`))); bad == nil || bad.Param != "surprise" || bad.Code != "unknown_parameter" {
				t.Errorf("an unknown parameter: %+v", bad)
			}
		})
	}
}

func (p protocol) check(t *testing.T, rule completion.Rule) {
	t.Helper()
	req, bad := p.read(p.with(rule.Name))
	if !rule.Passed && rule.Ignored == "" {
		if bad == nil || bad.Param != rule.Name || bad.Code != "unsupported_parameter" {
			t.Errorf("%s was not refused for every agent: %+v", rule.Name, bad)
		}
		return
	}
	if bad != nil {
		t.Errorf("%s: %v", rule.Name, bad)
		return
	}
	if rule.Passed {
		as, want := rule.Name, p.samples[rule.Name]
		if rule.As != "" {
			as = rule.As
		}
		if changed := p.passed[rule.Name]; changed != "" {
			want = changed
		}
		ask, bad := req.Ask(drive.Capabilities{Parameters: []string{as}}, false)
		if bad != nil || string(ask.Parameters[as]) != want || len(ask.Ignored) > 0 {
			t.Errorf("%s was not passed on: %+v %v", rule.Name, ask, bad)
		}
	}
	ask, bad := req.Ask(drive.Capabilities{}, false)
	switch {
	case rule.Ignored != "" && (bad != nil || len(ask.Parameters) > 0 || !slices.Equal(ask.Ignored, []string{rule.Name})):
		t.Errorf("%s was not ignored: %+v %v", rule.Name, ask, bad)
	case rule.Ignored == "" && (bad == nil || bad.Param != rule.Name):
		t.Errorf("%s was not refused: %+v", rule.Name, bad)
	}
}

// The tables of parameters in PROTOCOL.md match the rules.
func TestRulesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range protocols {
		_, part, _ := strings.Cut(string(text), "\n"+p.heading+"\n")
		part, _, _ = strings.Cut(part, "\n#")
		rows := strings.Split(part, "\n| ")
		for _, r := range p.rules {
			i := slices.IndexFunc(rows, func(row string) bool { return strings.HasPrefix(row, "`") && strings.Contains(row, "`"+r.Name+"`") })
			if i < 0 || strings.Contains(rows[i], "| ignored") != (r.Ignored != "") || strings.Contains(rows[i], "for every agent") == r.Passed && r.Refused != "" {
				t.Errorf("%s: %s is described differently in PROTOCOL.md", p.heading, r.Name)
			}
		}
	}
	for _, name := range completion.IgnorableMembers {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("%s is not in PROTOCOL.md", name)
		}
	}
}
