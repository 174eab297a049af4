package server

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
)

// sent is a response to workflow events.
type sent struct {
	Seq        uint64 `json:"seq"`
	ID         string `json:"id"`
	Duplicate  bool   `json:"duplicate"`
	Ignored    string `json:"ignored"`
	Note       string `json:"note"`
	DecisionID string `json:"decision_id"`
	Code       string `json:"code"`
	Message    string `json:"message"`
	Field      string `json:"field"`
	Results    []sent `json:"results"`
	Failed     int    `json:"failed"`
}

// post sends a body. Headers are "Name: value".
func (r *rig) post(path, body string, headers ...string) (int, string) {
	r.t.Helper()
	req, err := http.NewRequest(http.MethodPost, "http://"+r.addr+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

// emit sends a body that must be accepted.
func (r *rig) emit(path, body string, headers ...string) (s sent) {
	r.t.Helper()
	code, answer := r.post(path, body, headers...)
	if err := json.Unmarshal([]byte(answer), &s); err != nil || code != http.StatusOK {
		r.t.Fatalf("POST %s %q: %d %s", path, body, code, answer)
	}
	return s
}

// ui returns the UI event at a sequence number.
func (r *rig) ui(seq uint64) contracts.UI {
	r.t.Helper()
	u, ok := r.recordAt(seq).(*contracts.UI)
	if !ok {
		r.t.Fatalf("record %d is not a UI event", seq)
	}
	return *u
}

func (r *rig) recordAt(seq uint64) contracts.Body {
	r.t.Helper()
	recs, err := r.ledger.Read(r.t.Context(), seq-1, 1)
	if err != nil || len(recs) != 1 {
		r.t.Fatalf("read %d: %v", seq, err)
	}
	body, err := recs[0].Decode()
	if err != nil {
		r.t.Fatal(err)
	}
	return body
}

// facts returns the HUD facts of an agent, in order.
func (r *rig) facts(agentID string) (found []contracts.HUD) {
	r.t.Helper()
	recs, err := r.ledger.Read(r.t.Context(), 0, 1000, contracts.KindHUD)
	if err != nil {
		r.t.Fatal(err)
	}
	for i := range recs {
		body, err := recs[i].Decode()
		if err != nil {
			r.t.Fatal(err)
		}
		if h := body.(*contracts.HUD); h.AgentID == agentID {
			found = append(found, *h)
		}
	}
	return found
}

func withoutCrew() Config { return Config{Crew: CrewNone} }

// POST /v1/ui/{kind} accepts every form of body (U3).
func TestUIBodies(t *testing.T) {
	r := startRig(t, withoutCrew())
	const form, js = "Content-Type: application/x-www-form-urlencoded", "Content-Type: application/json"
	for _, c := range []struct {
		name, path, body, header, normalized, raw string
	}{
		{"curl -d", "/v1/ui/status?agent=indexer", "a & b = 50%", form, `{"kind":"status","text":"a & b = 50%"}`, `"a & b = 50%"`},
		{"text", "/v1/ui/message", "Done.\n", "Content-Type: text/plain", `{"kind":"message","text":"Done.","level":"info"}`, `"Done.\n"`},
		{"no type", "/v1/ui/status", "Indexing", "X: y", `{"kind":"status","text":"Indexing"}`, `"Indexing"`},
		{"JSON", "/v1/ui/status", `{"text":"T","duration":2}`, js, `{"kind":"status","text":"T","duration":2}`, `{"text":"T","duration":2}`},
		{"JSON in a form", "/v1/ui/status", ` {"text":"T"} `, form, `{"kind":"status","text":"T"}`, `{"text":"T"}`},
		{"JSON string", "/v1/ui/status", `"T"`, js, `{"kind":"status","text":"T"}`, `"T"`},
		{"almost JSON", "/v1/ui/status", `{not json`, form, `{"kind":"status","text":"{not json"}`, `"{not json"`},
		{"list", "/v1/ui/tool_execution", `["ls"]`, form, `{"kind":"tool_call","tool":"ls","args":{}}`, `"ls"`},
		{"no UTF-8", "/v1/ui/message", "a\xffb\x00c", form, `{"kind":"message","text":"a�bc","level":"info"}`, `"a�bc"`},
		{"byte order mark", "/v1/ui/status", "\xef\xbb\xbf{\"text\":\"T\"}", form, `{"kind":"status","text":"T"}`, `{"text":"T"}`},
		{"nothing", "/v1/ui/status", "", form, `{"kind":"status","clear":true}`, `""`},
		{"counts", "/v1/ui/progress", `{"kind":"llm","phase":"generate","prompt_tokens":123456,"percent":7}`, js, `{"kind":"progress","text":"generate","percent":7,"of":"llm","phase":"generate","prompt_tokens":123456}`, `{"kind":"llm","phase":"generate","prompt_tokens":123456,"percent":7}`},
		{"credential", "/v1/ui/message", `{"text":"x","meta":{"password":"hunter2hunter2"}}`, js, `{"kind":"message","text":"x","level":"info","meta":{"password":"[redacted]"}}`, `{"text":"x","meta":{"password":"[redacted]"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := r.emit(c.path, c.body, c.header)
			u := r.ui(s.Seq)
			if diff := cmp.Diff(c.normalized, string(u.Normalized)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.raw, string(u.Raw)); diff != "" || s.ID != "ui_s"+strconv.FormatUint(s.Seq, 10) || s.Duplicate {
				t.Errorf("%+v: %s", s, diff)
			}
		})
	}
}

// Invalid requests are refused with the field and the reason.
func TestUIRefusals(t *testing.T) {
	r := startRig(t, withoutCrew())
	const js = "Content-Type: application/json"
	many := `[` + strings.Repeat(`{"name":"x"},`, contracts.LimitEvents) + `{"name":"x"}]`
	for _, c := range []struct {
		path, body, header string
		status             int
		says               string
	}{
		{"/v1/ui/party", "x", "X: y", 404, "status, message, tool_execution, tool_result, progress, ask"},
		{"/v1/ui/status", "{\n \"text\": oops}", js, 400, "line 2, column 10"},
		{"/v1/ui/status", `{"text"`, js, 400, "unexpected end"},
		{"/v1/ui/status", `"a" "b"`, js, 400, "unexpected data after"},
		{"/v1/ui/status", strings.Repeat("[", 20_000), js, 400, "not valid JSON"},
		{"/v1/ui/status", "", js, 400, "unexpected end"},
		{"/v1/events", "plain", "X: y", 400, "/v1/ui/"},
		{"/v1/events", `{"name":`, js, 400, "not valid JSON"},
		{"/v1/events", `[1]`, js, 400, `{"results":[{"code":"VALIDATION_FAILED"`},
		{"/v1/events", many, js, 400, "limit 1000"},
		{"/v1/events", `{"specversion":"1.0","type":"abstract.status","source":"/x"}`, "Content-Type: application/cloudevents+json", 400, "attribute id"},
		{"/v1/events", `{"specversion":"0.3","type":"abstract.status","source":"/x","id":"1"}`, js, 400, "0.3"},
		{"/v1/events", `x`, "ce-type: abstract.status", 400, "version"},
	} {
		code, answer := r.post(c.path, c.body, c.header)
		if code != c.status || !strings.Contains(answer, c.says) {
			t.Errorf("%s %.40q: %d %.300s", c.path, c.body, code, answer)
		}
	}
	if code, _, _ := r.get("/v1/ui/status", ""); code != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", code)
	}
}

// POST /v1/events accepts one event, a list, lines and CloudEvents.
func TestEventForms(t *testing.T) {
	r := startRig(t, withoutCrew())
	one := r.emit("/v1/events?run=r0", `{"type":"abstractcode.status","data":"x","id":"e1","source":"src","agent":"Worker Bee","session_id":"s1","ts":1700000000}`, "X: y")
	u := r.ui(one.Seq)
	if one.ID != "e1" || u.AgentID != "agent_worker_bee" || u.Session != "s1" || u.RunID != "r0" || u.Source != "src" || u.Name != "abstract.status" || u.Kind != contracts.UIStatus {
		t.Errorf("%+v %+v", one, u)
	}
	list := r.emit("/v1/events", `[{"name":"abstract.status","payload":"a"}, 5, {"name":"abstract.nope","payload":"b"}, {"name":"abstract.message","payload":"c","id":"e1","source":"src"}]`)
	if n := list.Results; len(n) != 4 || n[0].Seq == 0 || n[1].Code != "VALIDATION_FAILED" || n[2].Ignored == "" || n[2].Seq == 0 || !n[3].Duplicate || n[3].Seq != one.Seq || list.Failed != 1 {
		t.Errorf("%+v", list)
	}
	lines := "{\"name\":\"abstract.status\",\"payload\":\"a\"}\n\n{oops\n{\"name\":\"abstract.message\",\"payload\":\"b\"}\n"
	for _, header := range []string{"Content-Type: application/x-ndjson", "Content-Type: application/jsonlines", "Content-Type: application/x-www-form-urlencoded"} {
		got := r.emit("/v1/events", lines, header)
		if n := got.Results; len(n) != 3 || n[0].Seq == 0 || !strings.Contains(n[1].Message, "line 3") || n[2].Seq == 0 {
			t.Errorf("%s: %+v", header, got)
		}
	}
	const structured = `{"specversion":"1.0","type":"abstract.status","source":"/agent/worker/run/r7","id":"ce1","data":{"text":"T"}}`
	ce := r.emit("/v1/events", structured, "Content-Type: application/cloudevents+json")
	if u := r.ui(ce.Seq); u.AgentID != "agent_worker" || u.RunID != "r7" || u.Source != "/agent/worker/run/r7" || ce.ID != "ce1" || u.Kind != contracts.UIStatus {
		t.Errorf("%+v", u)
	}
	batch := r.emit("/v1/events", `[`+structured+`,{"specversion":"1.0","type":"abstract.message","source":"urn:x","subject":"agent_worker","id":"ce2","datacontenttype":"text/plain","data_base64":"aGk="}]`, "Content-Type: application/cloudevents-batch+json")
	if n := batch.Results; len(n) != 2 || !n[0].Duplicate || n[0].Seq != ce.Seq || r.ui(n[1].Seq).AgentID != "agent_worker" || string(r.ui(n[1].Seq).Raw) != `"hi"` {
		t.Errorf("%+v", batch)
	}
	binary := r.emit("/v1/events", "Indexing", "ce-specversion: 1.0", "ce-type: abstract.status", "ce-source: /agent/worker/run/r%208", "ce-id: ce3", "Content-Type: text/plain")
	if u := r.ui(binary.Seq); binary.ID != "ce3" || u.RunID != "r 8" || string(u.Normalized) != `{"kind":"status","text":"Indexing"}` {
		t.Errorf("%+v %+v", binary, u)
	}
	const record = `{"run_id":"r9","step_id":"p1","status":"completed","actor_id":"worker","session_id":"s","effect":{"type":"emit_event","payload":{"name":"abstract.status","payload":"Packing"}}}`
	bare := r.emit("/v1/events", record)
	if u := r.ui(bare.Seq); u.AgentID != "agent_worker" || u.RunID != "r9" || string(u.Normalized) != `{"kind":"status","text":"Packing"}` {
		t.Errorf("%+v %+v", bare, u)
	}
	if again := r.emit("/v1/events", record); !again.Duplicate || again.Seq != bare.Seq {
		t.Errorf("the same record again: %+v", again)
	}
}

// Events with the same source and id count once, even after a restart; events without an id never
// count as duplicates, even with the same content.
func TestUIDuplicates(t *testing.T) {
	cfg := withoutCrew()
	cfg.DataDir = t.TempDir()
	r := startRig(t, cfg)
	first := r.emit("/v1/ui/tool_execution?agent=bee", `[{"name":"a","call_id":"c1"},{"name":"b"}]`, "Idempotency-Key: k1")
	if again := r.emit("/v1/ui/tool_execution?agent=bee", `[{"name":"a","call_id":"c1"},{"name":"b"}]`, "Idempotency-Key: k1"); !again.Duplicate || again.Seq != first.Seq || again.ID != "k1" {
		t.Errorf("%+v after %+v", again, first)
	}
	if other := r.emit("/v1/ui/tool_execution?agent=wasp", `["a"]`, "Idempotency-Key: k1"); other.Duplicate {
		t.Errorf("another agent: %+v", other)
	}
	const two = `[{"name":"abstract.message","payload":"same"},{"name":"abstract.message","payload":"same"}]`
	list, again := r.emit("/v1/events", two, "Idempotency-Key: k2").Results, r.emit("/v1/events", two, "Idempotency-Key: k2").Results
	if list[0].Seq == list[1].Seq || list[1].Duplicate || !again[0].Duplicate || !again[1].Duplicate || again[1].Seq != list[1].Seq {
		t.Errorf("%+v, %+v", list, again)
	}
	a, b := r.emit("/v1/ui/message", "same"), r.emit("/v1/ui/message", "same")
	if a.Seq == b.Seq || b.Duplicate {
		t.Errorf("%+v, %+v", a, b)
	}
	ask := r.emit("/v1/ui/ask?agent=bee", `{"prompt":"Go?","id":"q1"}`)
	r.stop()

	r = startRig(t, cfg)
	if again := r.emit("/v1/ui/tool_execution?agent=bee", `[{"name":"a"}]`, "Idempotency-Key: k1"); !again.Duplicate || again.Seq != first.Seq {
		t.Errorf("after a restart: %+v", again)
	}
	if again := r.emit("/v1/ui/ask?agent=bee", `{"prompt":"Go?","id":"q1"}`); !again.Duplicate || again.DecisionID != ask.DecisionID || ask.DecisionID == "" {
		t.Errorf("the question again: %+v", again)
	}
	if got := len(r.facts("agent_bee")); got != 2 {
		t.Errorf("%d facts of activity instead of 2", got)
	}
}

// Tool calls and results are also HUD facts, paired by call_id or, without one, in order.
func TestUIToolsAreActivity(t *testing.T) {
	r := startRig(t, withoutCrew())
	const at = "?agent=bee&session=s"
	r.emit("/v1/ui/tool_execution"+at, `{"name":"read_file","arguments":{"path":"a.md"},"call_id":"c1"}`)
	r.emit("/v1/ui/tool_execution"+at, `["ls","ls"]`)
	r.emit("/v1/ui/tool_result"+at, `{"name":"ls","output":"1","success":false}`)
	r.emit("/v1/ui/tool_result"+at, `{"call_id":"c1","output":"# A"}`)
	r.emit("/v1/ui/tool_result"+at, `{"call_id":"c1","output":"# A"}`)
	r.emit("/v1/ui/tool_result"+at, `"2"`)
	r.emit("/v1/ui/tool_result"+at, `{"name":"never","output":"3"}`)
	facts := r.facts("agent_bee")
	var got []string
	for _, f := range facts {
		got = append(got, string(f.Event)+" "+f.Tool)
	}
	want := []string{"tool_start read", "tool_start ls", "tool_start ls", "tool_end ls", "tool_end read", "tool_end ls", "tool_end never"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	if facts[0].CorrelationID != "c1" || facts[4].CorrelationID != "c1" || facts[3].CorrelationID != facts[1].CorrelationID || facts[5].CorrelationID != facts[2].CorrelationID ||
		facts[6].CorrelationID == "" || facts[0].Session != "s" {
		t.Errorf("%+v", facts)
	}
	r.emit("/v1/ui/tool_execution?agent=paths", `{"name":"read_file","arguments":{"path":"/home/openclaw/.openclaw/ws/a.md"},"call_id":"c1"}`)
	r.emit("/v1/ui/tool_result?agent=paths", `{"call_id":"c1","output":"# A"}`)
	if seen := r.facts("agent_paths"); seen[0].Label != "👁 ws/a.md" || !strings.Contains(string(seen[1].Result), `"viewerPath":"ws/a.md"`) {
		t.Errorf("%q %s", seen[0].Label, seen[1].Result)
	}
	for output, want := range map[string]string{`{"clicked":true}`: `"raw":{"clicked":true}}`, `[1,2]`: `"raw":[1,2]}`, `7`: `"raw":7}`, `"words"`: `"raw":"words"}`} {
		for _, tool := range []string{"browser", "mystery"} {
			r.emit("/v1/ui/tool_result?agent=shapes", `{"name":"`+tool+`","output":`+output+`}`)
			shaped := r.facts("agent_shapes")
			if got := string(shaped[len(shaped)-1].Result); !strings.HasSuffix(got, want) {
				t.Errorf("%s returned %s: %s", tool, output, got)
			}
		}
	}
	r.emit("/v1/ui/tool_execution?agent=two", `["read_file","make"]`)
	r.emit("/v1/ui/tool_result?agent=two", `{"output":"whose?"}`)
	r.emit("/v1/ui/tool_result?agent=two", `{"name":"exec","output":{"exitCode":1,"stdout":"boom"}}`)
	r.emit("/v1/ui/tool_result?agent=two", `{"name":"exec","exitCode":3,"stdout":"bang","ok":false}`)
	two := r.facts("agent_two")
	if end := two[2]; end.Tool != "tool" || end.CorrelationID == two[0].CorrelationID || end.CorrelationID == two[1].CorrelationID || end.CorrelationID == "" {
		t.Errorf("a result without a name ended %+v", end)
	}
	if got := string(two[3].Result) + string(two[4].Result); !strings.Contains(got, `"exitCode":1,"stdout":"boom"`) || !strings.Contains(got, `"exitCode":3,"stdout":"bang"`) {
		t.Errorf("%s", got)
	}
	if !strings.Contains(string(facts[3].Result), `"ok":false`) || !strings.Contains(string(facts[4].Result), `"path":"a.md"`) {
		t.Errorf("%s, %s", facts[3].Result, facts[4].Result)
	}
}

// A response has a note only if something could not be kept as it was sent.
func TestUINotesOnlyForChangedInput(t *testing.T) {
	r := startRig(t, withoutCrew())
	long := strings.Repeat("x", contracts.LimitText+1)
	for _, c := range []struct{ path, body, note string }{
		{"/v1/ui/message", "\xff\xfe", "not valid UTF-8"},
		{"/v1/ui/message", "{\"text\":\"a\xffb\"}", "not valid UTF-8"},
		{"/v1/events", "{\"name\":\"abstract.message\",\"payload\":\"a\xffb\"}", "not valid UTF-8"},
		{"/v1/ui/message", long, "only the beginning of the " + strconv.Itoa(len(long)+2) + " bytes was kept"},
		{"/v1/ui/message", "Zoë \uFFFD", ""},
		{"/v1/ui/tool_result?agent=bee", `{"tool":"t","output":"` + long + `"}`, ""},
	} {
		if _, answer := r.post(c.path, c.body); (c.note == "") == strings.Contains(answer, `"note"`) || !strings.Contains(answer, c.note) || !strings.Contains(answer, `"seq"`) {
			t.Errorf("%s %.40q: %s", c.path, c.body, answer)
		}
	}
}

// Large payloads are truncated, marked as such, and stored with their original size; a large result
// is stored whole outside the ledger's records.
func TestUILargePayload(t *testing.T) {
	r := startRig(t, withoutCrew())
	long := strings.Repeat("é", contracts.LimitUIRaw)
	s := r.emit("/v1/ui/tool_result?agent=bee", `{"tool":"t","output":"`+long+`"}`)
	u := r.ui(s.Seq)
	if !strings.HasPrefix(string(u.Raw), `{"truncated":true,"bytes":`+strconv.Itoa(len(long)+len(`{"tool":"t","output":""}`))) || !strings.Contains(string(u.Normalized), `"truncated":true`) {
		t.Errorf("%.100s\n%.100s", u.Raw, u.Normalized)
	}
	facts := r.facts("agent_bee")
	content, ok, err := r.ledger.Blob(t.Context(), facts[0].ResultSHA256)
	if err != nil || !ok || !bytes.Contains(content, []byte(long)) {
		t.Errorf("the whole result: %v %v %d bytes", ok, err, len(content))
	}
	deep := strings.Repeat(`{"a":`, 500) + "1" + strings.Repeat("}", 500)
	if u := r.ui(r.emit("/v1/ui/message", deep).Seq); u.Ignored == "" || !strings.HasPrefix(string(u.Raw), `{"truncated":true`) {
		t.Errorf("%+v", u)
	}
}

// A status expires after its own duration, or after the default if it has none.
func TestUIStatusExpires(t *testing.T) {
	r := startRig(t, withoutCrew())
	for body, lasts := range map[string]int64{`{"text":"a","duration":2}`: 2000, `{"text":"a","duration":0}`: 0, `{"text":"a"}`: contracts.StatusLineDuration.Milliseconds(), `""`: 0} {
		s := r.emit("/v1/events", `{"name":"abstract.status","ts":1700000000000,"payload":`+body+`}`)
		want := int64(0)
		if lasts > 0 {
			want = 1700000000000 + lasts
		}
		if got := r.ui(s.Seq).ExpiresAt; got != want {
			t.Errorf("%s ends at %d, not %d", body, got, want)
		}
	}
}

// dry_run returns exactly the results that the conformance vectors recommend, and stores nothing.
func TestDryRunConformance(t *testing.T) {
	r := startRig(t, withoutCrew())
	before := r.ledger.Head()
	var lines []jsontext.Value
	for _, file := range []string{"vectors.jsonl", "own.jsonl"} {
		content, err := os.ReadFile("../hud/ui/testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(content)) {
			lines = append(lines, jsontext.Value(line))
		}
	}
	list, err := json.Marshal(lines)
	if err != nil {
		t.Fatal(err)
	}
	type dry struct {
		Normalized jsontext.Value `json:"normalized"`
		Ignored    string         `json:"ignored"`
	}
	var all []dry
	code, answer := r.post("/v1/events?dry_run=1", string(list))
	if err := json.Unmarshal([]byte(answer), &all); err != nil || code != 200 || len(all) != len(lines) {
		t.Fatalf("%d %d %v", code, len(all), err)
	}
	for i, line := range lines {
		var v struct {
			ID          string         `json:"id"`
			Recommended jsontext.Value `json:"recommended"`
		}
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		if string(v.Recommended) == "null" {
			v.Recommended = jsontext.Value("[]")
		}
		want, got := v.Recommended, all[i].Normalized
		if want.Canonicalize() != nil || got.Canonicalize() != nil || !bytes.Equal(want, got) || (string(got) == "[]") != (all[i].Ignored != "") {
			t.Errorf("%s: %s %q, want %s", v.ID, got, all[i].Ignored, want)
		}
	}
	var one dry
	if _, answer := r.post("/v1/events?dry_run=1", string(lines[0])); json.Unmarshal([]byte(answer), &one) != nil || string(one.Normalized) != `[{"kind":"status","text":"x"}]` {
		t.Errorf("alone: %s", answer)
	}
	if _, answer := r.post("/v1/ui/status?dry_run=1", "T"); answer != `{"normalized":[{"kind":"status","text":"T"}]}`+"\n" {
		t.Errorf("by kind: %s", answer)
	}
	if r.ledger.Head() != before {
		t.Error("a dry run wrote something")
	}
}
