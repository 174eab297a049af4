package guests_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/agents/copilot/guests"
	"github.com/bullpen-office/bullpen/agents/copilot/translate"
	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
)

func session(t *testing.T, dir, id string, written time.Time) {
	t.Helper()
	path := filepath.Join(dir, "session-state", id, "events.jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, written, written); err != nil {
		t.Fatal(err)
	}
}

// Only recently written session files are read.
func TestFiles(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	v := guests.Vendor(dir)
	if list := v.Files(guest.Scan{Dir: dir, Now: now}); len(list) != 0 {
		t.Errorf("no sessions yet: %v", list)
	}
	session(t, dir, "new", now)
	session(t, dir, "old", now.Add(-2*contracts.SessionFreshness))
	if err := os.MkdirAll(filepath.Join(dir, "session-state", "odd", "events.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	if list := v.Files(guest.Scan{Dir: dir, Now: now}); len(list) != 1 || list[0].Session != "new" {
		t.Errorf("%v", list)
	}
}

// A hook is recorded directly if its session has no file on this machine. A session's name cannot
// select another directory.
func TestSessionsWithAFile(t *testing.T) {
	dir := t.TempDir()
	session(t, dir, "here", time.Now())
	for id, want := range map[string]bool{"here": true, "elsewhere": false, "..": false, "../session-state/here": false, ".": false} {
		h, err := guests.Vendor(dir).ParseHook([]byte(`{"hook_event_name":"Stop","session_id":"`+id+`"}`), false)
		if err != nil || h.(*translate.Hook).HasFile != want {
			t.Errorf("%s: %+v, %v", id, h, err)
		}
	}
	if h, err := guests.Vendor("").ParseHook([]byte(`{"hook_event_name":"Stop","session_id":"here"}`), false); err != nil || h.(*translate.Hook).HasFile {
		t.Errorf("no directory is watched: %+v, %v", h, err)
	}
	for _, body := range []string{``, `[]`, `{"session_id":"here"}`, `{"hook_event_name":"Stop"}`, `{"hook_event_name":"Stop","session_id":"h`} {
		if h, err := guests.Vendor(dir).ParseHook([]byte(body), false); err == nil {
			t.Errorf("%s: accepted as %+v", body, h)
		}
	}
}

func TestIsProgram(t *testing.T) {
	for program, want := range map[string]bool{
		"/x/node_modules/@github/copilot-linux-x64/copilot":      true,
		"/usr/bin/node /x/node_modules/@github/copilot/index.js": true,
		"/usr/bin/node /usr/local/bin/copilot":                   true,
		"/usr/bin/node /x/server.js":                             false,
		"/usr/bin/vim copilot":                                   false,
	} {
		args := strings.Fields(program)
		if got := guests.IsProgram(args[0], args); got != want {
			t.Errorf("%s: %v", program, got)
		}
	}
}
