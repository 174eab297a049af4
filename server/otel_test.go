package server

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/view"
)

const tracesDoor = "/v1/traces"

// spansBegan is the time of the first span: recent, because agents without activity go offline.
var spansBegan = time.Now().Add(-10 * time.Second)

// otlpSpan returns a span in OTLP's JSON. start and end are seconds after spansBegan; attributes
// are "key=value", and numbers are sent as such.
func otlpSpan(id, parent, name string, start, end int, attributes ...string) string {
	var list []string
	for _, a := range attributes {
		key, value, _ := strings.Cut(a, "=")
		kind := "stringValue"
		if strings.Contains(key, "tokens") {
			kind = "intValue"
		}
		list = append(list, fmt.Sprintf(`{"key":%q,"value":{%q:%q}}`, key, kind, value))
	}
	base := spansBegan.UnixNano()
	return fmt.Sprintf(`{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":%q,"parentSpanId":%q,"name":%q,"startTimeUnixNano":"%d","endTimeUnixNano":"%d","attributes":[%s],"status":{}}`,
		id, parent, name, base+int64(start)*1e9, base+int64(end)*1e9, strings.Join(list, ","))
}

func otlpRequest(spans ...string) string {
	return `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},"scopeSpans":[{"scope":{"name":"my.framework"},"spans":[` +
		strings.Join(spans, ",") + `]}]}]}`
}

// named returns the guest with the given name.
func (r *rig) named(name string) (found contracts.Agent) {
	r.t.Helper()
	r.untilTrue(name+" is in the office", func() bool {
		agents := r.view.State().Agents
		i := slices.IndexFunc(agents, func(a contracts.Agent) bool { return a.Name == name })
		if i >= 0 {
			found = agents[i]
		}
		return i >= 0
	})
	return found
}

// An agent's run becomes a turn with its calls and tokens; sending the run again changes nothing.
func TestSpansBecomeATurn(t *testing.T) {
	r := startRig(t, withoutCrew())
	request := otlpRequest(
		otlpSpan("0000000000000003", "0000000000000001", "execute_tool search", 2, 4, "gen_ai.operation.name=execute_tool", "gen_ai.tool.name=search", `gen_ai.tool.call.arguments={"q":"shoes"}`),
		otlpSpan("0000000000000002", "0000000000000001", "chat m", 0, 2, "gen_ai.operation.name=chat", "gen_ai.response.model=m-1", "gen_ai.usage.input_tokens=100", "gen_ai.usage.cache_read.input_tokens=40", "gen_ai.usage.output_tokens=7"),
		otlpSpan("0000000000000001", "", "invoke_agent Ada", 0, 5, "gen_ai.operation.name=invoke_agent", "gen_ai.agent.name=Ada", "gen_ai.usage.input_tokens=100"),
		otlpSpan("0000000000000009", "", "GET /", 0, 1, "http.method=GET"),
	)
	for range 2 {
		if status, body := r.post(tracesDoor, request, asJSON); status != http.StatusOK || body != "{}" {
			t.Fatalf("%d %s", status, body)
		}
	}
	ada := r.named("Ada")
	var got []string
	for _, h := range r.facts(ada.AgentID) {
		got = append(got, strings.Join([]string{string(h.Event), h.CorrelationID, h.ParentID, h.Tool, string(h.Args)}, " "))
	}
	want := []string{
		"turn_start 0000000000000001   ",
		"think_start 0000000000000002 0000000000000001  ",
		"think_end 0000000000000002 0000000000000001  ",
		`tool_start 0000000000000003 0000000000000001 search {"q":"shoes"}`,
		"tool_end 0000000000000003 0000000000000001 search ",
		"turn_end 0000000000000001   ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	u, _ := r.usage("", "", 1)
	if u.Lifetime.TokensIn != 60 || u.Lifetime.CacheRead != 40 || u.Lifetime.TokensOut != 7 || u.Lifetime.CostUSD != nil {
		t.Errorf("usage %+v", u.Lifetime)
	}
	if ada.Source != "otel" || ada.Place != "" || ada.Model != "" {
		t.Errorf("the profile shows something that no span says: %+v", ada.AgentProfile)
	}
	r.untilListed(ada.AgentID, func(a view.AgentRow) bool { return a.Activity == contracts.ActivityIdle })
}

// A failed call is recorded with its error, and a call for which no span names an agent belongs to
// the service.
func TestSpansThatFailedAreShown(t *testing.T) {
	r := startRig(t, withoutCrew())
	failed := strings.Replace(otlpSpan("0000000000000003", "0000000000000001", "execute_tool search", 2, 4, "gen_ai.tool.name=search"), `"status":{}`, `"status":{"code":2,"message":"no such index"}`, 1)
	if status, body := r.post(tracesDoor, otlpRequest(failed), asJSON); status != http.StatusOK || body != "{}" {
		t.Fatalf("%d %s", status, body)
	}
	facts := r.facts(r.named("shop").AgentID)
	if len(facts) != 2 {
		t.Fatalf("%d facts", len(facts))
	}
	if _, failed := facts[1].Failure(); !failed || !strings.Contains(string(facts[1].Result), "no such index") {
		t.Errorf("the failure is recorded as %s", facts[1].Result)
	}
}

// Bad spans are rejected and counted; the others are recorded.
func TestSpansArePartlyRejected(t *testing.T) {
	r := startRig(t, withoutCrew())
	good := otlpSpan("0000000000000003", "", "execute_tool search", 2, 4, "gen_ai.tool.name=search")
	many := otlpSpan("0000000000000004", "", "execute_tool x", 2, 4, slices.Repeat([]string{"gen_ai.tool.name=x"}, contracts.LimitOTelAttributes+1)...)
	zero := otlpSpan("0000000000000000", "", "execute_tool y", 2, 4, "gen_ai.tool.name=y")
	status, body := r.post(tracesDoor, otlpRequest(many, good, zero), asJSON)
	if want := `{"partialSuccess":{"errorMessage":"a span has too many attributes","rejectedSpans":2}}`; status != http.StatusOK || body != want {
		t.Errorf("%d %s, want %s", status, body, want)
	}
	if facts := r.facts(r.named("shop").AgentID); len(facts) != 2 || facts[0].Tool != "search" {
		t.Errorf("recorded %+v", facts)
	}
}

func packed(body []byte) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(body)
	_ = z.Close()
	return b.String()
}

// Requests over a limit are refused, and the office keeps working.
func TestOTLPBombsAreRefused(t *testing.T) {
	r := startRig(t, withoutCrew())
	const zip = "Content-Encoding: gzip"
	good := otlpRequest(otlpSpan("0000000000000003", "", "execute_tool search", 2, 4, "gen_ai.tool.name=search"))
	nested := func(depth int) string {
		deep := `{"key":"gen_ai.tool.call.arguments","value":` + strings.Repeat(`{"arrayValue":{"values":[`, depth) + strings.Repeat("]}}", depth) + "}"
		return strings.Replace(good, `"attributes":[{"key":"gen_ai.tool.name"`, `"attributes":[`+deep+`,{"key":"gen_ai.tool.name"`, 1)
	}
	empty := otlpRequest(strings.TrimSuffix(strings.Repeat("{},", 1<<18), ","))
	for name, c := range map[string]struct {
		body    string
		headers []string
		status  int
	}{
		"large":            {strings.Repeat(" ", contracts.LimitOTelBody+1), []string{asJSON}, http.StatusRequestEntityTooLarge},
		"gzip bomb":        {packed(make([]byte, 2*contracts.LimitOTelUnpacked)), []string{asJSON, zip}, http.StatusRequestEntityTooLarge},
		"not gzip":         {good, []string{asJSON, zip}, http.StatusBadRequest},
		"deep":             {nested(1000), []string{asJSON}, http.StatusOK},
		"deeper":           {nested(10_000), []string{asJSON}, http.StatusBadRequest},
		"empty spans":      {empty, []string{asJSON}, http.StatusOK},
		"packed":           {packed([]byte(good)), []string{asJSON, zip}, http.StatusOK},
		"not JSON":         {"[", []string{asJSON}, http.StatusBadRequest},
		"not protobuf":     {good, []string{"Content-Type: application/x-protobuf"}, http.StatusBadRequest},
		"other type":       {good, []string{"Content-Type: text/plain"}, http.StatusUnsupportedMediaType},
		"other encoding":   {good, []string{asJSON, "Content-Encoding: br"}, http.StatusUnsupportedMediaType},
		"nothing":          {"", []string{"Content-Type: application/x-protobuf"}, http.StatusOK},
		"an empty request": {"{}", []string{asJSON}, http.StatusOK},
	} {
		if status, body := r.post(tracesDoor, c.body, c.headers...); status != c.status {
			t.Errorf("%s: %d %q, want %d", name, status, body, c.status)
		}
	}
	for _, door := range []string{"/v1/logs", "/v1/metrics"} {
		if status, body := r.post(door, `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{}]}]}],"resourceMetrics":[]}`, asJSON); status != http.StatusOK || body != "{}" {
			t.Errorf("%s: %d %s", door, status, body)
		}
	}
	r.named("shop")
}

// A token for one agent reports only on that agent, whichever agent the spans name.
func TestSpansOfAnAgentToken(t *testing.T) {
	cfg := Config{Crew: CrewNone, DataDir: t.TempDir()}
	r := startRig(t, cfg)
	token := madeToken(t, cfg.DataDir, contracts.AccessAgent, "agent_robo")
	span := otlpSpan("0000000000000001", "", "invoke_agent Ada", 0, 5, "gen_ai.operation.name=invoke_agent", "gen_ai.agent.name=Ada")
	if status, body := r.post(tracesDoor, otlpRequest(span), asJSON, "Authorization: Bearer "+token); status != http.StatusOK || body != "{}" {
		t.Fatalf("%d %s", status, body)
	}
	if facts := r.facts("agent_robo"); len(facts) != 2 {
		t.Errorf("%d facts about the agent", len(facts))
	}
	r.untilTrue("only this agent is in the office", func() bool {
		agents := r.view.State().Agents
		return len(agents) == 1 && agents[0].AgentID == "agent_robo"
	})
}

// Spans that an office exported are ignored, so that an office that exports to itself does not
// report on its own reports.
func TestOwnSpansAreIgnored(t *testing.T) {
	r := startRig(t, withoutCrew())
	own := strings.Replace(otlpRequest(otlpSpan("0000000000000001", "", "invoke_agent Ada", 0, 5, "gen_ai.operation.name=invoke_agent")), "my.framework", "github.com/bullpen-office/bullpen/export/otlp", 1)
	if status, body := r.post(tracesDoor, own, asJSON); status != http.StatusOK || body != "{}" {
		t.Fatalf("%d %s", status, body)
	}
	if agents := r.view.State().Agents; len(agents) != 0 {
		t.Errorf("%d agents", len(agents))
	}
}
