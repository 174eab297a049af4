//go:build unix

package process

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// Output can be read after the deadline, even while a child that left the group holds it open. Only
// limitLateRead bytes are read, so that the child cannot keep the reader busy forever.
func TestOutputCanBeReadLate(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	text := strings.Repeat("answer ", 1000)
	if _, err := w.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := r.SetReadDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	o := &output{file: r, late: limitLateRead}
	if got, err := io.ReadAll(o); err != nil || string(got) != text {
		t.Errorf("%d bytes of %d, %v", len(got), len(text), err)
	}
	o.late = 3
	if _, err := w.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(o); err != nil || string(got) != "ans" {
		t.Errorf("%q %v", got, err)
	}
}
