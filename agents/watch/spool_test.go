package watch

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
)

// Spooled hooks are recorded at startup and afterwards; malformed hooks are moved aside and logged;
// failed hooks are retried.
func TestSpoolIsDrained(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		spool, err := openSpool(dir, "claude")
		if err != nil {
			t.Fatal(err)
		}
		w := &Watcher{Config: Config{Log: slog.New(slog.NewTextHandler(&log, nil))}, spool: spool}
		put := func(text string) {
			if err := spool.Put(time.Now(), []byte(text)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
		put("first")
		put("nonsense")
		put("stubborn")
		var got []string
		stubborn := true
		record := func(_ context.Context, _ time.Time, body []byte) error {
			switch {
			case string(body) == "nonsense":
				return fmt.Errorf("%w: no object", ErrMalformed)
			case string(body) == "stubborn" && stubborn:
				stubborn = false
				return context.DeadlineExceeded
			}
			got = append(got, string(body))
			return nil
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { w.drainSpool(ctx, record); close(ended) }()
		synctest.Wait()
		if strings.Join(got, " ") != "first" {
			t.Fatalf("at the start: %v", got)
		}
		put("late")
		time.Sleep(contracts.SpoolInterval)
		synctest.Wait()
		if strings.Join(got, " ") != "first stubborn late" {
			t.Errorf("later: %v", got)
		}
		stop()
		<-ended
		if bad, _ := os.ReadDir(filepath.Join(dir, "spool", "bad")); len(bad) != 1 {
			t.Errorf("%d files are kept aside", len(bad))
		}
		for _, want := range []string{"hook is malformed", "could not record spooled hooks", "hooks recorded"} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("%q was not logged:\n%s", want, &log)
			}
		}
	})
}

func toolHook(event, call string) string {
	return fmt.Sprintf(`{"session_id":"s","prompt_id":"p","hook_event_name":%q,"tool_name":"Bash","tool_input":{"command":"x"},"tool_use_id":%q}`, event, call)
}

// calls returns the starts and ends of tool calls in the ledger.
func (r *rig) calls() (list []string) {
	r.t.Helper()
	for _, h := range r.hud() {
		if h.Event == contracts.HUDToolStart || h.Event == contracts.HUDToolEnd {
			list = append(list, fmt.Sprintf("%s %s", h.Event, h.CorrelationID))
		}
	}
	return list
}

// A hook that arrives while earlier ones are in the spool is recorded after them.
func TestHooksInTheSpoolAreRecordedFirst(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		synctest.Wait() // the first pass is over
		if err := r.spool.Put(time.Now(), []byte(toolHook("PreToolUse", "c1"))); err != nil {
			t.Fatal(err)
		}
		for _, hook := range []string{toolHook("PostToolUse", "c1"), toolHook("PreToolUse", "c2")} {
			time.Sleep(time.Millisecond)
			if status, _, _ := r.post(hook); status != http.StatusAccepted && status != http.StatusOK {
				t.Fatal(status)
			}
		}
		r.settle()
		if diff := cmp.Diff([]string{"tool_start c1", "tool_end c1", "tool_start c2"}, r.calls()); diff != "" {
			t.Error(diff)
		}
		if !r.spool.Empty() {
			t.Error("hooks stay in the spool")
		}
	})
}

// A hook that was answered before it was recorded is recorded by the next process if this one ends.
func TestPendingHookOutlivesTheProcess(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := openRig(t, dir)
		hang := make(chan struct{})
		r.mu.Lock()
		r.hang = hang
		r.mu.Unlock()
		for _, hook := range []string{toolHook("PreToolUse", "c1"), toolHook("PostToolUse", "c1")} {
			if status, _, _ := r.post(hook); status != http.StatusAccepted {
				t.Fatal(status)
			}
		}
		time.AfterFunc(time.Second, func() { close(hang) })
		r.stop()
		r = openRig(t, dir)
		defer func() { r.stop() }()
		r.settle()
		if diff := cmp.Diff([]string{"tool_start c1", "tool_end c1"}, r.calls()); diff != "" {
			t.Error(diff)
		}
		if pending, err := filepath.Glob(filepath.Join(dir, "spool", "late", "*")); err != nil || len(pending) > 0 {
			t.Errorf("%v, %v", pending, err)
		}
	})
}

// A pending hook is removed from the disk once it is recorded.
func TestPendingHookIsRemoved(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		r := openRig(t, dir)
		defer func() { r.stop() }()
		hang := make(chan struct{})
		r.mu.Lock()
		r.hang = hang
		r.mu.Unlock()
		r.post(toolHook("PreToolUse", "c1"))
		pending := func() int {
			files, err := filepath.Glob(filepath.Join(dir, "spool", "late", "*"))
			if err != nil {
				t.Fatal(err)
			}
			return len(files)
		}
		if n := pending(); n != 1 {
			t.Errorf("%d hooks are stored, want 1", n)
		}
		close(hang)
		r.settle()
		if n := pending(); n != 0 {
			t.Errorf("%d hooks are stored after they were recorded", n)
		}
	})
}
