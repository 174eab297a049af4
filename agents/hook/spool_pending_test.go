package hook

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Hooks that were answered before they were recorded are drained by the next process, oldest first,
// unless they were removed.
func TestPendingHooksAreRecovered(t *testing.T) {
	dir := t.TempDir()
	s := SpoolOf(dir, "claude")
	if !s.Empty() {
		t.Error("a new spool is not empty")
	}
	for n, text := range []string{"first", "recorded", "third", "third again"} {
		pending, err := s.PutPending(at(min(n, 2)), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if text == "recorded" {
			pending.Remove()
		}
	}
	if err := s.Put(at(1), []byte("second")); err != nil {
		t.Fatal(err)
	}
	if err := s.Recover(); err != nil || s.Empty() {
		t.Fatal(err)
	}
	var got []string
	done, err := s.Drain(t.Context(), func(_ context.Context, _ time.Time, body []byte) error {
		got = append(got, string(body))
		return nil
	})
	if err != nil || done.Taken != 4 || !strings.HasPrefix(strings.Join(got, " "), "first second third") {
		t.Errorf("%v, %+v, %v", got, done, err)
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "spool", "late")); len(left) > 0 || !s.Empty() {
		t.Errorf("%v is left", left)
	}
}
