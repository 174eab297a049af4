package translate

import (
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
)

func TestParseAgents(t *testing.T) {
	got, err := ParseAgents([]byte(`[
		{"pid":1,"cwd":"/a","kind":"interactive","startedAt":1,"sessionId":"s1","status":"busy","new":{"x":1}},
		{"pid":2,"cwd":"/a","kind":"interactive","startedAt":2,"sessionId":"s2","status":"waiting","waitingFor":"permission\u001b[2J"},
		{"pid":3,"cwd":"/a","kind":"interactive","startedAt":3,"status":"idle"},
		{"id":"j","cwd":"/a","kind":"background","sessionId":"s4","state":"blocked"},
		{"id":"k","cwd":"/a","kind":"background","sessionId":"s5","state":"dreaming"}]`))
	const program = "claude agents"
	want := []guest.Report{
		{Session: "s1", State: guest.StateBusy, Program: program},
		{Session: "s2", State: guest.StateBlocked, Program: program, Detail: "permission[2J"},
		{Session: "s4", State: guest.StateBlocked, Program: program},
		{Session: "s5", Program: program},
	}
	if d := gocmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v\n%s", err, d)
	}
	if many, err := ParseAgents([]byte("[" + strings.Repeat(`{"sessionId":"s"},`, 5000) + `{"sessionId":"s"}]`)); err != nil || len(many) != contracts.LimitSurveySessions {
		t.Errorf("%d reports, %v", len(many), err)
	}
	for _, bad := range []string{"", "{}", "not found", `[{"sessionId":7}]`, `[1]`} {
		if got, err := ParseAgents([]byte(bad)); err == nil && len(got) > 0 {
			t.Errorf("%q: %v", bad, got)
		}
	}
}
