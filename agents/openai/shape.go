package openai

import (
	"maps"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/openai/completions"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/staff"
)

// shape is the required structure of an answer; the zero value is plain text.
type shape struct {
	name   string
	schema map[string]any
	text   string // the schema as text, for the prompt
}

func (s shape) structured() bool { return s.name != "" }

// describe returns a description of the structure for the prompt, or "" for plain text. The
// description is in the prompt even if the endpoint enforces the structure, because that improves
// the answers.
func (s shape) describe() string {
	if !s.structured() {
		return ""
	}
	return "Answer with exactly one JSON object and nothing around it: no explanation, no code fence. It follows this schema:\n" + s.text
}

// format returns the response_format for the endpoint, or nil if none is needed.
func (s shape) format(structure string) any {
	switch {
	case !s.structured() || structure == staff.FormatPlain:
		return nil
	case structure == staff.FormatObject:
		return completions.JSONObject()
	}
	return completions.JSONSchema(s.name, s.schema)
}

func newShape(name string, schema map[string]any) shape {
	text, err := json.Marshal(schema, json.Deterministic(true), jsontext.Multiline(false))
	if err != nil {
		panic("encode schema " + name + ": " + err.Error())
	}
	return shape{name: name, schema: schema, text: string(text)}
}

// object returns the schema of a strict object, as endpoints that enforce schemas require: every
// member is required and no other member is allowed.
func object(members map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": members, "required": slices.Sorted(maps.Keys(members)), "additionalProperties": false}
}

func list(items map[string]any) map[string]any {
	return map[string]any{"type": "array", "items": items}
}

func orNull(o map[string]any) map[string]any {
	return map[string]any{"anyOf": []any{o, map[string]any{"type": "null"}}}
}

func oneOf(values ...string) map[string]any { return map[string]any{"type": "string", "enum": values} }

var (
	text    = map[string]any{"type": "string"}
	integer = map[string]any{"type": "integer"}
	boolean = map[string]any{"type": "boolean"}
)

var taskKinds = []string{
	string(contracts.KindResearch), string(contracts.KindPlan), string(contracts.KindCopy),
	string(contracts.KindDesign), string(contracts.KindCode), string(contracts.KindReview),
}

func taskList() map[string]any {
	return list(object(map[string]any{"title": text, "description": text, "kind": oneOf(taskKinds...), "priority": integer}))
}

// The shapes of the answers that the office requests.
var (
	planShape = sync.OnceValue(func() shape {
		return newShape("plan", object(map[string]any{"summary": text, "tasks": taskList()}))
	})

	workShape = sync.OnceValue(func() shape { return resultShape(map[string]any{"content": text}) })

	// fileShape is the shape of a task's result if the task has a workspace.
	fileShape = sync.OnceValue(func() shape { return resultShape(map[string]any{"content": text, "path": text}) })

	reviewShape = sync.OnceValue(func() shape {
		return newShape("review", object(map[string]any{
			"summary": text,
			"findings": list(object(map[string]any{
				"path": text, "line": integer, "removed": boolean, "text": text,
				"severity": oneOf(string(contracts.SeverityProblem), string(contracts.SeverityQuestion), string(contracts.SeverityNit)),
			})),
		}))
	})

	chatShape = shape{}
)

// resultShape returns the structure of a task's result. Its artifacts have the given members in
// addition to the members that all artifacts have.
func resultShape(artifact map[string]any) shape {
	maps.Copy(artifact, map[string]any{"type": oneOf("plan", "report", "copy", "brief", "code", "review"), "title": text, "mime": oneOf(crew.MIMEs...)})
	return newShape("result", object(map[string]any{
		"question":   orNull(object(map[string]any{"prompt": text, "options": list(text), "allow_free_text": boolean})),
		"artifacts":  list(object(artifact)),
		"follow_ups": taskList(),
	}))
}
