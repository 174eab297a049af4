package crew_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/hud"
)

// A large result is stored before the fact that refers to it (H4).
func TestLargeResultsAreStored(t *testing.T) {
	long := strings.Repeat("a line\n", contracts.LimitHUDInline)
	o := newOffice(taskWork("task_a", 1))
	stop := open(t, o.config(runners(script{work: func(_ context.Context, _ crew.TaskJob, s drive.Sink) (crew.Result, error) {
		s.ToolStart("", "read", hud.FileArgs{Path: "a.md"})(hud.Read("a.md", long))
		return delivered("done")
	}})))
	for len(factsOf[contracts.RunDelivered](o)) == 0 && t.Context().Err() == nil {
		time.Sleep(time.Millisecond)
	}
	stop()
	for _, f := range factsOf[contracts.HUDSeen](o) {
		if f.HUD.Event != contracts.HUDToolEnd {
			continue
		}
		content, ok, _ := o.Blob(t.Context(), f.HUD.ResultSHA256)
		if !ok || !bytes.Contains(content, []byte(f.HUD.UUID)) || len(content) < len(long) {
			t.Errorf("the fact refers to content of %d bytes, stored: %v", len(content), ok)
		}
		if len(f.HUD.Result) > 3*contracts.LimitHUDInline || !bytes.Contains(f.HUD.Result, []byte(`"ref":"/v1/hud/`+f.HUD.UUID+`/result"`)) {
			t.Errorf("%d bytes travel with the fact", len(f.HUD.Result))
		}
		return
	}
	t.Error("no call ended")
}
