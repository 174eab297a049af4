package crew_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/google/go-cmp/cmp"
)

// Text from agents is shown without control and bidi characters (W19).
func TestShownTextIsClean(t *testing.T) {
	const hostile = "a\x1b[31m\u202eb\x00"
	o := newOffice(taskWork("task_a", 1))
	o.work[0].Task.Task.Title = hostile
	stop := open(t, o.config(runners(script{work: func(_ context.Context, _ crew.TaskJob, s drive.Sink) (crew.Result, error) {
		s.Delta("token", hostile)
		s.Progress(5, hostile)
		s.ToolStart("", hostile, map[string]string{hostile: hostile})(map[string]any{"ok": true, "text": []string{hostile}})
		s.ToolStart("", "\x00", nil)(nil)
		time.Sleep(10 * time.Millisecond) // any progress has been reported by then
		return delivered(hostile)
	}})))
	for len(factsOf[contracts.RunDelivered](o)) == 0 && t.Context().Err() == nil {
		time.Sleep(time.Millisecond)
	}
	stop()
	const clean = "a[31mb"
	for _, f := range factsOf[contracts.RunProgress](o) {
		if f.Preview != clean {
			t.Errorf("preview %q", f.Preview)
		}
	}
	if d := o.deltas[0].Delta; d != clean {
		t.Errorf("delta %q", d)
	}
	var got []string
	for _, f := range factsOf[contracts.HUDSeen](o) {
		h := f.HUD
		got = append(got, fmt.Sprint(h.Event, "|", h.Tool, "|", h.Label, "|", string(h.Args), "|", string(h.Result)))
	}
	want := []string{
		"turn_start||a[31mb||",
		"tool_start|a[31mb|a[31mb|{\"a[31mb\":\"a[31mb\"}|",
		"tool_end|a[31mb|a[31mb||{\"ok\":true,\"text\":[\"a[31mb\"]}",
		"tool_start|unnamed|unnamed||", "tool_end|unnamed|unnamed||", "turn_end||||",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
