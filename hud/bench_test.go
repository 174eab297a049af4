package hud

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// BenchmarkTool measures a typical tool call: reading a small file.
func BenchmarkTool(b *testing.B) {
	source := Source{AgentID: "agent_claude_a", Session: "claude:s1"}
	span := Span{Correlation: "toolu_1", Parent: "turn_1"}
	call := Call{Tool: "Read", Args: jsontext.Value(`{"file_path":"/src/a.go"}`)}
	text := strings.Repeat("package a\n", 60)
	b.Run("start", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ToolStart(source, "4f8c", span, call)
		}
	})
	b.Run("end", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ToolEnd(source, "4f8c", span, call, Read("/src/a.go", text), time.Second)
		}
	})
	value := Value(Read("/src/a.go", text))
	b.Run("clean", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Clean(value)
		}
	})
	b.Run("redact", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Redact(text)
		}
	})
}
