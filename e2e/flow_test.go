package e2e_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/ledger/jetstream"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
	"github.com/bullpen-office/bullpen/server"
)

// line is one step of a golden flow (contracts/flows/README.md).
type line struct {
	About   string            `json:"about,omitzero"`
	Send    message           `json:"send,omitzero"`
	Expect  message           `json:"expect,omitzero"`
	Events  []string          `json:"events,omitzero"`
	Ignore  []string          `json:"ignore,omitzero"`
	Save    map[string]string `json:"save,omitzero"`
	Closed  int               `json:"closed,omitzero"`
	Refused map[string]string `json:"refused,omitzero"`
}

// Every golden flow runs against a single server, and against an office of three nodes, through a
// node that is not the writer.
func TestGoldenFlows(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../contracts/flows/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden flows: %v", err)
	}
	for layout, start := range map[string]func(*testing.T, string) string{
		"one node":    func(t *testing.T, _ string) string { return startServer(t, server.Config{Pace: 60}) },
		"three nodes": startNodes(t),
	} {
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
			t.Run(layout+"/"+name, func(t *testing.T) {
				t.Parallel()
				playFlow(t, start(t, name), file)
			})
		}
	}
}

func playFlow(t *testing.T, addr, file string) {
	t.Helper()
	v, err := dial(addr)
	if err != nil {
		t.Fatal(err)
	}
	defer v.close()
	f := &flow{v: v, saved: map[string]string{}}
	for n, l := range readFlow(t, file) {
		if err := f.step(l); err != nil {
			t.Fatalf("%s, step %d: %v", filepath.Base(file), n+1, err)
		}
	}
}

// startNodes starts NATS servers, and returns a function that starts three nodes of an office and
// returns the address of one that is not the writer.
func startNodes(t *testing.T) func(t *testing.T, office string) string {
	t.Helper()
	c := natstest.Start(t, 3)
	return func(t *testing.T, office string) string {
		t.Helper()
		last := ""
		for i := range 3 { // the first node is the writer
			last = startServer(t, server.Config{Pace: 60, Cluster: &server.ClusterConfig{
				Ledger: jetstream.Config{URL: c.URL(), Office: office}, Node: fmt.Sprint("node", i+1),
			}})
		}
		return last
	}
}

func readFlow(t *testing.T, file string) []line {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []line
	for i, raw := range bytes.Split(bytes.TrimSpace(b), []byte("\n")) {
		var l line
		if err := json.Unmarshal(raw, &l, json.RejectUnknownMembers(true)); err != nil {
			t.Fatalf("%s:%d: %v", file, i+1, err)
		}
		out = append(out, l)
	}
	return out
}

// flow is a viewer that plays a flow file. A step discards the messages that it skips, so a flow also
// checks the order of messages.
type flow struct {
	v     *viewer
	saved map[string]string
}

func (f *flow) step(l line) error {
	switch {
	case l.Send != nil:
		m, err := f.fill(l.Send)
		if err != nil {
			return err
		}
		return f.v.send(m.(map[string]any))
	case l.Refused != nil:
		return f.refused(l.Refused)
	case l.Expect != nil:
		pattern, err := f.fill(l.Expect)
		if err != nil {
			return err
		}
		return f.expect(pattern, l.Save)
	case l.Events != nil:
		return f.timeline(l.Events, l.Ignore)
	case l.Closed != 0:
		return f.closed(l.Closed)
	}
	return nil
}

// fill replaces every "$name" in v with the saved value.
func (f *flow) fill(v any) (any, error) {
	switch v := v.(type) {
	case string:
		name, ok := strings.CutPrefix(v, "$")
		if !ok {
			return v, nil
		}
		value, saved := f.saved[name]
		if !saved {
			return nil, fmt.Errorf("nothing was saved as %s", name)
		}
		return value, nil
	case message:
		return f.fill(map[string]any(v))
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			filled, err := f.fill(x)
			if err != nil {
				return nil, err
			}
			out[k] = filled
		}
		return out, nil
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			filled, err := f.fill(x)
			if err != nil {
				return nil, err
			}
			out[i] = filled
		}
		return out, nil
	}
	return v, nil
}

// expect reads until a message contains the pattern, and saves values from it.
func (f *flow) expect(pattern any, save map[string]string) error {
	m, err := f.until(func(m message) bool { return contains(map[string]any(m), pattern) })
	if err != nil {
		return fmt.Errorf("%v never arrived: %w", pattern, err)
	}
	for name, path := range save {
		s, ok := m.at(path).(string)
		if !ok {
			return fmt.Errorf("%s is not a string in %v", path, m)
		}
		f.saved[name] = s
	}
	return nil
}

// refused waits for the response to a command and checks that it is the expected error.
func (f *flow) refused(want map[string]string) error {
	m, err := f.until(func(m message) bool { return m.payload().str("in_reply_to") == want["in_reply_to"] })
	if err != nil {
		return fmt.Errorf("%s got no response: %w", want["in_reply_to"], err)
	}
	for k, v := range want {
		if m.str("type") != "error" || m.payload().str(k) != v {
			return fmt.Errorf("got %v, want an error with %s %q", m, k, v)
		}
	}
	if m.payload().str("message") == "" {
		return fmt.Errorf("the error has no message: %v", m)
	}
	return nil
}

// timeline expects exactly these events next, in order. Other kinds of messages may arrive in between.
func (f *flow) timeline(names, ignore []string) error {
	for i, want := range names {
		m, err := f.until(func(m message) bool {
			return m.str("type") == "event" && !slices.Contains(ignore, m.payload().str("name"))
		})
		if err != nil {
			return fmt.Errorf("event %d, %s, never arrived: %w", i+1, want, err)
		}
		if got := m.payload().str("name"); got != want {
			return fmt.Errorf("event %d is %s, want %s: %v", i+1, got, want, m)
		}
	}
	return nil
}

func (f *flow) until(cond func(message) bool) (message, error) {
	deadline := time.Now().Add(testTimeout)
	for {
		m, err := f.v.next(time.Until(deadline))
		if err != nil {
			return nil, err
		}
		if cond(m) {
			return m, nil
		}
	}
}

func (f *flow) closed(code int) error {
	_, err := f.until(func(message) bool { return false })
	if got := closeCode(err); got != code {
		return fmt.Errorf("closed with %d (%v), want %d", got, err, code)
	}
	return nil
}

// contains reports whether v contains every member of the pattern.
func contains(v, pattern any) bool {
	switch p := pattern.(type) {
	case map[string]any:
		object, ok := v.(map[string]any)
		for k, x := range p {
			if !ok || !contains(object[k], x) {
				return false
			}
		}
		return ok
	case []any:
		list, ok := v.([]any)
		if !ok || len(list) < len(p) {
			return false
		}
		for i, x := range p {
			if !contains(list[i], x) {
				return false
			}
		}
		return true
	}
	return v == pattern
}
