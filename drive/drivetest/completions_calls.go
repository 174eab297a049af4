package drivetest

// ToolCall is a tool call in an answer. Its arguments are streamed in pieces, interleaved with
// those of the other calls.
type ToolCall struct{ ID, Name, Args string }

// calls streams the tool calls: first their names, then interleaved pieces of their arguments.
func (s *completionStream) calls() {
	list := s.answer.calls()
	for i, c := range list {
		s.chunk(map[string]any{"tool_calls": []any{map[string]any{"index": i, "id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": ""}}}}, "")
	}
	const piece = 7
	for left := true; left; {
		left = false
		for i := range list {
			rest := list[i].Args
			part := rest[:min(piece, len(rest))]
			if list[i].Args = rest[len(part):]; part != "" {
				left = true
				s.chunk(map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": part}}}}, "")
			}
		}
	}
}

// calls returns the answer's tool calls.
func (a Answer) calls() []ToolCall {
	list := append([]ToolCall(nil), a.Calls...)
	if a.Tool != "" {
		list = append(list, ToolCall{"call_1", a.Tool, "{}"})
	}
	return list
}
