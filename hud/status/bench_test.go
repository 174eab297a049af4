package status

import (
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// BenchmarkCase measures the cost of a tool call: two pieces of evidence and two verdicts.
func BenchmarkCase(b *testing.B) {
	var c Case
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		at, call := int64(1700000000000+i), string(rune('a'+i%20))
		c.Add(Evidence{Source: contracts.FromHook, Claim: ToolStarted, Call: call, Says: "PreToolUse Read", Line: "👁 a.go", At: at})
		c.Verdict(at)
		c.Add(Evidence{Source: contracts.FromHook, Claim: ToolEnded, Call: call, Says: "PostToolUse Read", At: at})
		c.Verdict(at)
	}
}
