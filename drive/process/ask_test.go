//go:build unix

package process_test

import (
	"context"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/drive/process"
)

func ask(ctx context.Context, script string) (string, error) {
	printed, err := process.Ask(ctx, process.Spec{Path: "/bin/sh", Args: []string{"-c", script}, Env: []string{"PATH=/usr/bin:/bin"}}, 100)
	return string(printed), err
}

func TestAsk(t *testing.T) {
	for script, want := range map[string]string{
		"echo [1]":              "",
		"cat; echo [1]":         "", // its standard input is closed
		"echo oops >&2; exit 3": "oops",
		"yes":                   "printed more than 100 bytes",
	} {
		printed, err := ask(t.Context(), script)
		switch {
		case want == "" && (err != nil || printed != "[1]\n"):
			t.Errorf("%s: %q, %v", script, printed, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %q, %v", script, printed, err)
		}
	}
}

// A program that hangs is ended with everything it started when the context ends.
func TestAskEndsAProgramThatHangs(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if printed, err := ask(ctx, "sleep 600 & sleep 600"); err == nil {
		t.Errorf("it answered %q", printed)
	}
}
