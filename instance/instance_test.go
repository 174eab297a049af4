//go:build unix

package instance

import (
	"os"
	"path/filepath"
	"testing"
)

// TestInstanceIsReplacedAtOnce: whoever looks while an office writes down where it
// is finds the last one or this one, never half of a file and never none.
func TestInstanceIsReplacedAtOnce(t *testing.T) {
	data, other := t.TempDir(), filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte("somebody else's"), 0o644); err != nil {
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
			t.Fatalf("after %d there was %d: %v", last, in.PID, err)
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
	if said, err := os.ReadFile(other); err != nil || string(said) != "somebody else's" {
		t.Errorf("what the link led to is %q: %v", said, err)
	}
	if left, _ := filepath.Glob(filepath.Join(data, ".*")); len(left) > 0 {
		t.Errorf("it leaves %v behind", left)
	}
}
