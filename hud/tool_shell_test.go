package hud_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/hud"
)

// The script is shown instead of the whole command only if a real shell runs it: no other program
// may hide behind a harmless script.
func TestOnlyShellsAreLeftOut(t *testing.T) {
	for args, want := range map[string]string{
		`{"command":["bash","-lc","git status"]}`:    `{"command":"git status"}`,
		`{"command":["bash","--norc","git status"]}`: `{"command":"bash --norc 'git status'"}`,
		`{"command":["./other","-c","git status"]}`:  `{"command":"./other -c 'git status'"}`,
		`{"command":["./bash","-c","git status"]}`:   `{"command":"./bash -c 'git status'"}`,
	} {
		if got := hud.Canonical(hud.Call{Tool: "shell", Args: jsontext.Value(args)}); string(got.Args) != want {
			t.Errorf("%s: got %s, want %s", args, got.Args, want)
		}
	}
}
