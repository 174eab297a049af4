package contracts

import (
	"maps"
	"slices"
)

// WithTexts returns a copy of d with change applied to every text that a person typed,
// but not to ids.
func WithTexts(d CommandData, change func(string) string) CommandData {
	list := func(texts []string) []string {
		texts = slices.Clone(texts)
		for i := range texts {
			texts[i] = change(texts[i])
		}
		return texts
	}
	switch d := d.(type) {
	case SubmitRequest:
		d.Text = change(d.Text)
		if d.Constraints != nil {
			d.Constraints = walk(d.Constraints, change, change).(map[string]any)
		}
		if d.Attachments != nil {
			d.Attachments = walk(d.Attachments, change, change).([]any)
		}
		return d
	case ResolveDecision:
		d.Choice, d.Choices, d.Note = change(d.Choice), list(d.Choices), change(d.Note)
		return d
	case RequestChanges:
		d.Instructions = change(d.Instructions)
		return d
	case SplitIntoTasks:
		d.TaskTitles = list(d.TaskTitles)
		return d
	case CancelTask:
		d.Reason = change(d.Reason)
		return d
	case RerunTask:
		d.Reason = change(d.Reason)
		return d
	case Say:
		d.Text = change(d.Text)
		return d
	}
	return d
}

// walk returns a copy of a free-form value with name applied to its member names and text
// to its other strings. Members are visited in order, so that a collision of names always
// resolves the same way.
func walk(v any, name, text func(string) string) any {
	switch v := v.(type) {
	case string:
		return text(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = walk(v[i], name, text)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for _, member := range slices.Sorted(maps.Keys(v)) {
			out[name(member)] = walk(v[member], name, text)
		}
		return out
	}
	return v
}
