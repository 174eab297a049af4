//go:build unix

package e2e_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// goSpans builds, only once, the program that uses OpenTelemetry's Go SDK, and returns its path.
var goSpans = sync.OnceValues(func() (string, error) { return buildClient("./spans", "span-sender") })

// A12: OpenTelemetry's own SDKs need only the address of the office. The agent run that they report
// becomes a guest with a turn, calls and tokens.
func TestSpansOfOfficialSDKs(t *testing.T) {
	t.Parallel()
	d := newBareDesk(t)
	d.source = "otel"
	d.open()
	senders := map[string]func(t *testing.T) []string{
		"Go": func(t *testing.T) []string {
			program, err := goSpans()
			if err != nil {
				t.Fatal(err)
			}
			return []string{program}
		},
		"Node with protobuf": func(t *testing.T) []string { return append(nodeClient(t, t.TempDir(), "spans"), "protobuf") },
		"Node with JSON":     func(t *testing.T) []string { return append(nodeClient(t, t.TempDir(), "spans"), "json") },
	}
	for agent, sender := range senders {
		t.Run(agent, func(t *testing.T) {
			d.sends(t, sender(t), agent)
			d.sees(t, agent)
		})
	}
}

// sends runs a program that sends the spans of an agent's run to the office.
func (d *desk) sends(t *testing.T, command []string, agent string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], agent)...)
	cmd.Env = []string{
		"HOME=" + d.home, "PATH=" + os.Getenv("PATH"), "OTEL_SERVICE_NAME=shop",
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://" + d.addr, "OTEL_EXPORTER_OTLP_COMPRESSION=gzip", "OTEL_EXPORTER_OTLP_TIMEOUT=60000",
	}
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v\n%s", err, out)
	}
}

// sees checks that the office shows an agent's run. Spans are recorded before the sender receives
// its response.
func (d *desk) sees(t *testing.T, agent string) {
	t.Helper()
	id, turn := "", ""
	for _, a := range d.guests() {
		if a.str("name") == agent {
			id = a.str("agent_id")
		}
	}
	facts := slices.DeleteFunc(d.activity(), func(f message) bool { return f.str("agent_id") != id })
	for _, f := range facts {
		if f.str("event") == "turn_start" {
			turn = f.str("correlationId")
		}
	}
	var got []string
	for _, f := range facts {
		if parent := f.str("parentId"); f.str("correlationId") != turn && parent != turn {
			t.Errorf("%s belongs to the turn %q, want %q", f.str("event"), parent, turn)
		}
		got = append(got, fmt.Sprint(f["event"], " ", f["tool"], " ", f["args"], " ", f["result"]))
	}
	slices.Sort(got) // a short run is over within a millisecond
	want := []string{
		"think_end <nil> <nil> <nil>",
		"think_start <nil> <nil> <nil>",
		"tool_end order <nil> map[ok:false raw:out of stock]",
		"tool_end search <nil> map[ok:true raw:three pairs]",
		"tool_start order <nil> <nil>",
		"tool_start search map[q:shoes] <nil>",
		"turn_end <nil> <nil> <nil>",
		"turn_start <nil> <nil> <nil>",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	usage := d.get("/v1/agents/" + id + "/explain")
	if usage.at("usage.tokens_in") != 100.0 || usage.at("usage.cache_read") != 20.0 || usage.at("usage.tokens_out") != 8.0 {
		t.Errorf("usage %v", usage["usage"])
	}
}
