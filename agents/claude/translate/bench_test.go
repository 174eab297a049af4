package translate

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkHook measures the translation of the hooks at the start and end of a Read call.
func BenchmarkHook(b *testing.B) {
	s := NewSession("s1", "", Config{Home: "/home/ada"})
	content := strings.Repeat(`package a\n`, 60)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		event, response := "PreToolUse", ""
		if i%2 == 1 {
			event, response = "PostToolUse", `,"tool_response":{"type":"text","file":{"filePath":"/src/a.go","content":"`+content+`","numLines":60,"startLine":1,"totalLines":60}}`
		}
		h, err := ParseHook(fmt.Appendf(nil, `{"session_id":"s1","transcript_path":"","cwd":"/src","permission_mode":"default","hook_event_name":%q,"tool_name":"Read","tool_input":{"file_path":"/src/a.go"},"tool_use_id":"toolu_%d"%s}`, event, i/2, response))
		if err != nil {
			b.Fatal(err)
		}
		if updates := s.Hook(h, int64(1700000000000+i)); len(updates.Facts) != 1 {
			b.Fatalf("%d facts", len(updates.Facts))
		}
	}
}
