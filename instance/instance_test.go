//go:build unix

package instance

import (
	"os"
	"path/filepath"
	"testing"
)

// A reader always finds the previous or the current file, never a half-written one, and the file is
// never missing.
func TestInstanceIsReplacedAtomically(t *testing.T) {
	data, other := t.TempDir(), filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte("another file"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, Path(data)); err != nil {
		t.Fatal(err)
	}
	if err := (Instance{PID: 1}).Write(data); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		var err error
		for pid := 2; pid < 30 && err == nil; pid++ {
			err = Instance{PID: pid}.Write(data)
		}
		done <- err
	}()
	for last, running := 1, true; running; {
		in, err := Read(data)
		if err != nil || in.PID < last {
			t.Fatalf("after PID %d a reader found PID %d: %v", last, in.PID, err)
		}
		last = in.PID
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			running = false
		default:
		}
	}
	if content, err := os.ReadFile(other); err != nil || string(content) != "another file" {
		t.Errorf("the target of the link is %q: %v", content, err)
	}
	if left, _ := filepath.Glob(filepath.Join(data, ".*")); len(left) > 0 {
		t.Errorf("files were left behind: %v", left)
	}
}
