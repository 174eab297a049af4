package translate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/agents/otel/translate"
	"github.com/bullpen-office/bullpen/agents/otel/wire"
	"github.com/bullpen-office/bullpen/contracts"
)

const trace = "0af7651916cd43dd8448eb211c80319c"

// span returns a span of the service "shop". id and parent are digits, which are repeated to form
// the ids. Attributes are "key=value"; integer values become numbers.
func span(id, parent, name string, start, end int64, attributes ...string) wire.Span {
	s := wire.Span{Trace: trace, ID: spanID(id), Parent: spanID(parent), Name: name, Start: start, End: end, Service: "shop", Attributes: wire.Attributes{}}
	for _, a := range attributes {
		key, value, _ := strings.Cut(a, "=")
		var n int64
		if _, err := fmt.Sscan(value, &n); err == nil {
			s.Attributes[key] = n
		} else {
			s.Attributes[key] = value
		}
	}
	return s
}

func spanID(digit string) string { return strings.Repeat(digit, 16) }

// factLines returns the facts of a report, one line each.
func factLines(r translate.Report) (lines []string) {
	short := func(id string) string { return id[:min(len(id), 1)] }
	for _, f := range r.Facts {
		switch f := f.(type) {
		case contracts.HUDSeen:
			line := fmt.Sprintf("%d %s %s in %s %s", f.HUD.At, f.HUD.Event, short(f.HUD.CorrelationID), short(f.HUD.ParentID), f.HUD.Tool)
			lines = append(lines, strings.TrimSuffix(strings.TrimSpace(line), " in"))
		case contracts.UsageSeen:
			u := f.Usage
			lines = append(lines, fmt.Sprintf("used by %s: %s %d+%d+%d in, %d out", short(f.TurnID), u.Model, u.TokensIn, u.CacheRead, u.CacheWrite, u.TokensOut))
		}
	}
	return lines
}

// claims returns the evidence of a report, one line each.
func claims(r translate.Report) (lines []string) {
	for _, e := range r.Evidence {
		lines = append(lines, fmt.Sprintf("%d %s: %s", e.At, e.Claim, e.Says))
	}
	return lines
}

func names(reports []translate.Report) (names []string) {
	for _, r := range reports {
		names = append(names, r.Profile.Name)
	}
	return names
}

func diff(t *testing.T, want, got []string) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestKinds(t *testing.T) {
	const operation = "gen_ai.operation.name="
	for _, c := range []struct {
		name       string
		attributes []string
		want       string // the first event; empty if the span is not read
	}{
		{"invoke_agent A", []string{operation + "invoke_agent"}, "turn_start"},
		{"w", []string{operation + "invoke_workflow"}, "turn_start"},
		{"x", []string{operation + "execute_tool"}, "tool_start"},
		{"x", []string{operation + "chat"}, "think_start"},
		{"x", []string{operation + "text_completion"}, "think_start"},
		{"x", []string{operation + "generate_content"}, "think_start"},
		{"x", []string{operation + "embeddings"}, "think_start"},
		{"x", []string{operation + "plan"}, "think_start"},
		{"x", []string{operation + "create_agent"}, ""},
		{"x", []string{operation + "of the future", "gen_ai.tool.name=search"}, ""},
		{"invoke_agent A", nil, "turn_start"},
		{"x", []string{"gen_ai.tool.name=search"}, "tool_start"},
		{"x", []string{"gen_ai.request.model=m"}, "think_start"},
		{"GET /", []string{"http.method=GET"}, ""},
	} {
		var r translate.Reader
		got := ""
		if reports := r.Read([]wire.Span{span("1", "", c.name, 1, 2, c.attributes...)}, ""); len(reports) > 0 {
			got = string(reports[0].Facts[0].(contracts.HUDSeen).HUD.Event)
		}
		if got != c.want {
			t.Errorf("%s %v: %q, want %q", c.name, c.attributes, got, c.want)
		}
	}
}

// The facts of a run with parallel and instantaneous calls are in chronological order: turns start
// before their calls and end after them.
func TestFactsAreInOrder(t *testing.T) {
	var r translate.Reader
	reports := r.Read([]wire.Span{
		span("4", "1", "execute_tool c", 30, 30, "gen_ai.tool.name=c"),
		span("3", "1", "execute_tool b", 15, 30, "gen_ai.tool.name=b"),
		span("2", "1", "execute_tool a", 10, 20, "gen_ai.tool.name=a"),
		span("1", "", "invoke_agent Ada", 10, 30, "gen_ai.operation.name=invoke_agent", "gen_ai.agent.name=Ada"),
	}, "")
	diff(t, []string{"Ada"}, names(reports))
	diff(t, []string{
		"10 turn_start 1",
		"10 tool_start 2 in 1 a",
		"15 tool_start 3 in 1 b",
		"20 tool_end 2 in 1 a",
		"30 tool_end 3 in 1 b",
		"30 tool_start 4 in 1 c",
		"30 tool_end 4 in 1 c",
		"30 turn_end 1",
	}, factLines(reports[0]))
	diff(t, []string{
		"10 turn_started: span invoke_agent Ada",
		"30 sign: span execute_tool b",
		"30 turn_ended: span invoke_agent Ada ended",
		"30 turn_ended: trace ended",
	}, claims(reports[0]))
}

// A span is about the agent that it or its nearest ancestor names, and otherwise about its service.
func TestGuests(t *testing.T) {
	var r translate.Reader
	spans := []wire.Span{
		span("1", "", "invoke_agent Ada", 0, 9, "gen_ai.operation.name=invoke_agent", "gen_ai.agent.name=Ada"),
		span("2", "1", "invoke_agent Bob", 1, 8, "gen_ai.operation.name=invoke_agent", "gen_ai.agent.id=Bob"),
		span("3", "2", "http", 2, 7),
		span("4", "3", "execute_tool x", 3, 4, "gen_ai.tool.name=x"),
		span("5", "f", "execute_tool y", 5, 6, "gen_ai.tool.name=y"),
	}
	reports := r.Read(spans, "")
	diff(t, []string{"Ada", "Bob", "shop"}, names(reports))
	diff(t, []string{"1 turn_start 2", "3 tool_start 4 in 2 x", "4 tool_end 4 in 2 x", "8 turn_end 2"}, factLines(reports[1]))
	diff(t, []string{"5 tool_start 5 in  y", "6 tool_end 5 in  y"}, factLines(reports[2]))
	one := r.Read(spans, "agent_robo")
	if len(one) != 1 || one[0].Profile.AgentID != "agent_robo" || one[0].Spans != 4 {
		t.Errorf("with the token of one agent: %+v", one)
	}
	spans[4].Service = ""
	diff(t, []string{"Ada", "Bob", "Unknown agent"}, names(r.Read(spans, "")))
}

// A span with cyclic ancestors belongs to its service.
func TestAncestorsInACircle(t *testing.T) {
	var r translate.Reader
	reports := r.Read([]wire.Span{
		span("1", "2", "execute_tool x", 0, 1, "gen_ai.tool.name=x"),
		span("2", "1", "execute_tool y", 0, 1, "gen_ai.tool.name=y"),
		span("3", "3", "execute_tool z", 0, 1, "gen_ai.tool.name=z"),
	}, "")
	diff(t, []string{"shop"}, names(reports))
}

// Tokens are counted per model request. An agent's total counts only if no model request in its
// trace has reported tokens, even in an earlier export.
func TestUsageIsCountedOnce(t *testing.T) {
	agent := span("1", "", "invoke_agent Ada", 0, 9, "gen_ai.operation.name=invoke_agent", "gen_ai.agent.name=Ada", "gen_ai.usage.input_tokens=500", "gen_ai.usage.output_tokens=70")
	chat := span("2", "1", "chat", 1, 2, "gen_ai.operation.name=chat", "gen_ai.agent.name=Ada", "gen_ai.request.model=m", "gen_ai.response.model=m-1",
		"gen_ai.usage.prompt_tokens=100", "gen_ai.usage.cache_read_input_tokens=60", "gen_ai.usage.cache_creation.input_tokens=10", "gen_ai.usage.completion_tokens=7")
	usage := func(reports []translate.Report) (lines []string) {
		for _, report := range reports {
			lines = append(lines, slices.DeleteFunc(factLines(report), func(line string) bool { return !strings.HasPrefix(line, "used") })...)
		}
		return lines
	}
	byModel, byAgent := []string{"used by 1: m-1 30+60+10 in, 7 out"}, []string{"used by 1:  500+0+0 in, 70 out"}
	var together, apart, alone translate.Reader
	diff(t, byModel, usage(together.Read([]wire.Span{agent, chat}, "")))
	diff(t, []string{"used by : m-1 30+60+10 in, 7 out"}, usage(apart.Read([]wire.Span{chat}, "")))
	diff(t, nil, usage(apart.Read([]wire.Span{agent}, "")))
	diff(t, byAgent, usage(alone.Read([]wire.Span{agent}, "")))
	var silent translate.Reader
	diff(t, byAgent, usage(silent.Read([]wire.Span{agent, span("2", "1", "chat", 1, 2, "gen_ai.operation.name=chat", "gen_ai.request.model=m")}, "")))
}

// Old traces are forgotten, so that memory stays bounded.
func TestOldTracesAreForgotten(t *testing.T) {
	var r translate.Reader
	chat := span("2", "1", "chat", 1, 2, "gen_ai.operation.name=chat", "gen_ai.usage.input_tokens=100")
	r.Read([]wire.Span{chat}, "")
	for i := range contracts.LimitOTelTraces {
		chat.Trace = fmt.Sprintf("%032x", i+1)
		r.Read([]wire.Span{chat}, "")
	}
	agent := span("1", "", "invoke_agent", 0, 9, "gen_ai.usage.input_tokens=500")
	if facts := factLines(r.Read([]wire.Span{agent}, "")[0]); len(facts) != 3 {
		t.Errorf("the agent's tokens are not counted: %v", facts)
	}
}

// The office's own spans, and those of conversations that it runs itself, are not read.
func TestOwnSpansAreNotRead(t *testing.T) {
	r := translate.Reader{Ours: func(conversation string) bool { return conversation == "c-1" }}
	own := span("1", "", "invoke_agent", 0, 1)
	own.Scope = translate.OwnScope
	reports := r.Read([]wire.Span{own, span("2", "", "invoke_agent", 0, 1, "gen_ai.conversation.id=c-1"), span("3", "", "invoke_agent", 0, 1, "session.id=c-1")}, "")
	if len(reports) != 0 {
		t.Errorf("%d reports", len(reports))
	}
}

// A span that is read twice results in facts with the same keys.
func TestKeysAreStable(t *testing.T) {
	spans := []wire.Span{
		span("1", "", "invoke_agent", 0, 9),
		span("2", "1", "chat", 1, 2, "gen_ai.operation.name=chat", "gen_ai.usage.input_tokens=1"),
		span("3", "1", "execute_tool x", 1, 2, "gen_ai.tool.name=x"),
	}
	keys := func(r *translate.Reader) (keys []string) {
		for _, f := range r.Read(spans, "")[0].Facts {
			keys = append(keys, contracts.FactKey(f))
		}
		return keys
	}
	var r, restarted translate.Reader
	first := keys(&r)
	if slices.Contains(first, "") || len(slices.Compact(slices.Sorted(slices.Values(first)))) != 7 {
		t.Errorf("keys are missing or shared: %q", first)
	}
	diff(t, first, keys(&r))
	diff(t, first, keys(&restarted))
}

// A failed call is recorded as failed, with the reason if there is one, and long results are stored
// as blobs.
func TestResults(t *testing.T) {
	result := func(s wire.Span) (contracts.HUD, translate.Report) {
		var r translate.Reader
		report := r.Read([]wire.Span{s}, "")[0]
		return report.Facts[1].(contracts.HUDSeen).HUD, report
	}
	s := span("1", "", "execute_tool x", 0, 1, "gen_ai.tool.name=x", "error.type=Timeout")
	s.Failed = true
	end, _ := result(s)
	if _, failed := end.Failure(); !failed || !strings.Contains(string(end.Result), "Timeout") {
		t.Errorf("failed call: %s", end.Result)
	}
	end, _ = result(span("1", "", "execute_tool x", 0, 1, "gen_ai.operation.name=execute_tool", `gen_ai.tool.call.result={"found":3}`))
	if _, failed := end.Failure(); failed || !strings.Contains(string(end.Result), "found") || end.Tool != "x" {
		t.Errorf("%s: %s", end.Tool, end.Result)
	}
	_, report := result(span("1", "", "execute_tool x", 0, 1, "gen_ai.tool.name=x", "gen_ai.tool.call.result="+strings.Repeat("a line\n", 10_000)))
	if len(report.Blobs) != 1 {
		t.Errorf("%d blobs", len(report.Blobs))
	}
}

// Names are untrusted input: they are cleaned and clipped to one line.
func TestNamesAreClean(t *testing.T) {
	var r translate.Reader
	hostile := "Ada\x1b[31m\n" + strings.Repeat("x", 1000)
	name := r.Read([]wire.Span{span("1", "", "invoke_agent", 0, 1, "gen_ai.agent.name="+hostile)}, "")[0].Profile.Name
	if strings.ContainsAny(name, "\x1b\n") || utf8.RuneCountInString(name) > contracts.LimitName || !strings.HasPrefix(name, "Ada") {
		t.Errorf("%q", name)
	}
}
