//go:build unix

package e2e_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
)

// hookLog is a server that records hooks and denies permission requests.
type hookLog struct {
	mu   sync.Mutex
	seen []message
}

func (h *hookLog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var m message
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, &m)
	}
	if err != nil || r.URL.Path != "/hooks/claude" {
		http.Error(w, "not a hook", http.StatusBadRequest)
		return
	}
	h.mu.Lock()
	h.seen = append(h.seen, m)
	h.mu.Unlock()
	if m.str("hook_event_name") == "PermissionRequest" {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"not today"}}}`)
	}
}

func (h *hookLog) events() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var names []string
	for _, m := range h.seen {
		names = append(names, m.str("hook_event_name"))
	}
	return names
}

func (h *hookLog) first(event string) message {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.seen {
		if m.str("hook_event_name") == event {
			return m
		}
	}
	return nil
}

// everything contains scripted turns that trigger every hook of Claude Code.
var everything = map[string][]reply{
	"all": {
		{calls("Read", message{"file_path": "notes.txt"}), calls("Bash", message{"command": "ls"})},
		{calls("Read", message{"file_path": "/nowhere/at/all"})},
		{calls("Bash", message{"command": "rm notes.txt", "description": "clean up"})},
		{calls("Task", message{"description": "look", "prompt": "[sub] look around", "subagent_type": "general-purpose"})},
		says("All done."),
	},
	"sub": {{calls("Read", message{"file_path": "notes.txt"})}, says("Seen.")},
}

// Real Claude Code calls every installed hook, with either transport, and applies the answer to a
// permission request.
func TestClaudeCallsTheHooks(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"http", "command"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			log := &hookLog{}
			server := httptest.NewServer(log)
			t.Cleanup(server.Close)
			d := newDesk(t, everything)
			d.install("--transport", transport, "--url", server.URL)
			d.extra = []string{"BULLPEN_URL=" + server.URL}
			s := d.start("--allowedTools", "Read", "Task")
			s.prompt("[all] go")
			until(t, "the turn ended", func() bool { return slices.Contains(log.events(), "Stop") })
			out := s.end(t)
			until(t, "the session ended", func() bool { return slices.Contains(log.events(), "SessionEnd") })
			want := []string{
				"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest",
				"SubagentStart", "SubagentStop", "Stop", "SessionEnd",
			}
			for _, event := range want {
				if !slices.Contains(log.events(), event) {
					t.Errorf("%s never arrived", event)
				}
			}
			if !strings.Contains(out, "not today") || !strings.Contains(out, "All done.") {
				t.Errorf("the denial did not reach the agent, or the turn did not end: %s", out)
			}
			if _, err := os.Stat(filepath.Join(d.project, "notes.txt")); err != nil {
				t.Errorf("the denied command ran: %v", err)
			}
			if pid := log.first("SessionStart")["bullpen_pid"]; pid != float64(s.cmd.Process.Pid) {
				t.Errorf("SessionStart names process %v, Claude Code is %d", pid, s.cmd.Process.Pid)
			}
			if spool, _ := filepath.Glob(filepath.Join(d.data, "spool", "*")); len(spool) > 0 {
				t.Errorf("hooks were stored although they were delivered: %v", spool)
			}
		})
	}
}
