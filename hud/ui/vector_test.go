package ui

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// vector is one line of a conformance file: a ledger record or a plain event. Recommended is null
// if nothing is drawn.
type vector struct {
	ID          string         `json:"id"`
	Record      jsontext.Value `json:"record"`
	Name        string         `json:"name"`
	Payload     jsontext.Value `json:"payload"`
	Recommended jsontext.Value `json:"recommended"`
	line        jsontext.Value
}

func vectors(tb testing.TB, file string) (all []vector) {
	tb.Helper()
	f, err := os.Open("testdata/" + file)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		v := vector{line: jsontext.Value(lines.Text())}
		if err := json.Unmarshal(v.line, &v); err != nil {
			tb.Fatalf("%s: %v", lines.Text(), err)
		}
		all = append(all, v)
	}
	if lines.Err() != nil || len(all) == 0 {
		tb.Fatalf("%s: %d vectors, %v", file, len(all), lines.Err())
	}
	return all
}

// normalized returns the items for a vector, according to the rules of POST /v1/events, or the
// reason nothing is drawn.
func (v vector) normalized() ([]Item, string) {
	if v.Record == nil {
		return Items(Normalize(v.Name, v.Payload))
	}
	e, ok := FromRecord(objectOf(v.line))
	if !ok {
		return nil, "not a record"
	}
	if e.Ignored != "" {
		return nil, e.Ignored
	}
	return Items(Normalize(e.Name, e.Payload))
}

// Every vector yields exactly its recommended items, or no items and a reason.
func TestVectors(t *testing.T) {
	for _, file := range []string{"vectors.jsonl", "own.jsonl"} {
		for _, v := range vectors(t, file) {
			t.Run(v.ID, func(t *testing.T) {
				items, why := v.normalized()
				got, err := json.Marshal(items)
				if err != nil {
					t.Fatal(err)
				}
				var have, want any
				if json.Unmarshal(got, &have) != nil || json.Unmarshal(v.Recommended, &want) != nil {
					t.Fatal("not JSON")
				}
				if want == nil {
					want = []any{}
					if why == "" {
						t.Error("nothing is drawn and no reason is given")
					}
				} else if why != "" {
					t.Errorf("ignored: %s", why)
				}
				if diff := cmp.Diff(want, have); diff != "" {
					t.Errorf("%s\n%s", v.line, diff)
				}
			})
		}
	}
}

// FromRecord ignores records that are not completed or belong to another actor, and marks sub-runs,
// including in cases that vectors.jsonl does not cover.
func TestFromRecord(t *testing.T) {
	for _, c := range []struct {
		id, record, subscriber string
		ignored, subrun        bool
	}{
		{"not completed", `{"run_id":"r1","status":"waiting","actor_id":"a","session_id":"s","effect":{"type":"emit_event","payload":{"name":"abstract.status","payload":"x"}}}`, `{"actor_id":"a","session_id":"s"}`, true, false},
		{"another actor", `{"run_id":"r1","status":"completed","actor_id":"b","session_id":"s","effect":{"type":"emit_event","payload":{"name":"abstract.status","payload":"x"}}}`, `{"actor_id":"a","session_id":"s"}`, true, false},
		{"sub-run", `{"run_id":"r2","parent_run_id":"r1","status":"completed","actor_id":"a","session_id":"s","effect":{"type":"emit_event","payload":{"name":"abstract.status","payload":"x"}}}`, `{"actor_id":"a","session_id":"s"}`, false, true},
		{"sub-run, by the subscriber", `{"run_id":"r2","status":"completed","actor_id":"a","session_id":"s","effect":{"type":"emit_event","payload":{"name":"abstract.status","payload":"x"}}}`, `{"actor_id":"a","session_id":"s","run_id":"r1"}`, false, true},
		{"no subscriber", `{"run_id":"r1","status":"completed","effect":{"type":"emit_event","payload":{"name":"abstract.status","payload":"x"}}}`, `null`, false, false},
	} {
		e, ok := FromRecord(objectOf(jsontext.Value(`{"record":` + c.record + `,"subscriber":` + c.subscriber + `}`)))
		if !ok || (e.Ignored != "") != c.ignored || e.Subrun != c.subrun {
			t.Errorf("%s: %+v, %v", c.id, e, ok)
		}
		items, _ := Items(Normalize(e.Name, e.Payload))
		if got := string(Encode(items[0], e.Subrun)); strings.Contains(got, `"subrun":true`) != c.subrun || !jsontext.Value(got).IsValid() {
			t.Errorf("%s: %s", c.id, got)
		}
	}
	bare := `{"run_id":"r1","step_id":"p1","status":"%s","actor_id":"a","session_id":"s","effect":{"type":"emit_event","payload":{"name":"abstract.status","payload":"x"}}}`
	for status, ignored := range map[string]bool{"started": true, "completed": false} {
		e, ok := FromRecord(objectOf(jsontext.Value(fmt.Sprintf(bare, status))))
		if want := "p1/" + status + "/"; !ok || (e.Ignored != "") != ignored || e.Step != want || e.Actor != "a" || e.Session != "s" || e.RunID != "r1" {
			t.Errorf("alone, %s: %+v, %v", status, e, ok)
		}
	}
	for _, v := range []string{`{"effect":{}}`, `{"status":"completed"}`, `{"record":null}`, `{}`, `[]`, `"x"`, ``, `{"record":[1]}`} {
		if _, ok := FromRecord(objectOf(jsontext.Value(v))); ok {
			t.Errorf("FromRecord(%s) is not ok", v)
		}
	}
}
