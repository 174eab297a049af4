//go:build unix

package worktree_test

import (
	"bytes"
	"strings"
	"testing"
)

// The base's setup commands run once in a new worktree, without the office's secrets, and can copy
// files from the user's working tree.
func TestSetup(t *testing.T) {
	t.Setenv("SHOP_API_KEY", "hunter2")
	r := newRig(t)
	r.write(".bullpen.yaml", "setup:\n  - cp \"$BULLPEN_REPO/env.log\" env.log\n  - echo \"key=$SHOP_API_KEY\"; echo ran >> runs.log\nchecks:\n  - name: unit\n    command: make test\n")
	r.commit("setup")
	r.write("env.log", "SECRET\n")
	work, w := r.add()
	work.write(".bullpen.yaml", "setup: [touch evil.log]\nchecks: []\n")
	work.commit("the agent's own checks do not count")
	var out bytes.Buffer
	for range 2 {
		r.must(r.store.Setup(t.Context(), w, &out))
	}
	if work.read("env.log") != "SECRET\n" || work.read("runs.log") != "ran\n" || out.String() != "key=\n" {
		t.Errorf("%q %q", work.read("runs.log"), out.String())
	}
	checks, _, err := w.Plan(t.Context())
	if err != nil || len(checks) != 1 || checks[0].Command != "make test" {
		t.Errorf("%+v, %v", checks, err)
	}
}

// A setup that fails reports what failed, and runs again next time.
func TestSetupFails(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.write(".bullpen.yaml", "setup: echo no such package >&2; exit 3\n")
	r.commit("setup")
	_, w := r.add()
	for range 2 {
		if err := r.store.Setup(t.Context(), w, new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "exit code 3): no such package") {
			t.Errorf("%v", err)
		}
	}
}
