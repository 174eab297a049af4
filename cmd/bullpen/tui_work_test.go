//go:build unix

package main

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// hook sends a hook as a Claude Code session does. It does not read the response's body, because a
// permission request is only shown here, not answered.
func (tm *terminal) hook(ctx context.Context, body map[string]any) error {
	body["session_id"], body["cwd"] = "5f0c1f7e-0000-4000-8000-000000000001", "/home/me/shop"
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+tm.addr()+"/hooks/claude", strings.NewReader(string(b)))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// A person supervises a coding agent in a real terminal: a permission request is shown as a diff,
// commands are coloured, the / key filters the list, a wider terminal shows the list and the
// details, and nothing that the agent wrote controls the terminal.
func TestSupervisingByKeys(t *testing.T) {
	tm := newTerminal(t)
	tm.serve("127.0.0.1:0")
	run := map[string]any{"command": "npm test", "description": "Run the tests"}
	out := "\x1b]0;owned\x07\x1b[2J\x1b[31mFAIL\x1b[0m cart\n 10%\r100%\n"
	for _, body := range []map[string]any{
		{"hook_event_name": "SessionStart", "source": "startup"},
		{"hook_event_name": "UserPromptSubmit", "prompt": "Fix the cart"},
		{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t1", "tool_input": run},
		{"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": "t1", "tool_input": run, "tool_response": map[string]any{"stdout": out, "stderr": "", "interrupted": false}},
	} {
		if err := tm.hook(t.Context(), body); err != nil {
			t.Fatal(err)
		}
	}
	asking, stop := context.WithCancel(t.Context())
	asked := make(chan error, 1)
	before := "line one\n" + strings.Repeat("kept\n", 30)
	go func() {
		asked <- tm.hook(asking, map[string]any{"hook_event_name": "PermissionRequest", "tool_name": "Edit", "tool_input": map[string]any{
			"file_path": "/home/me/shop/cart.ts", "old_string": before + "return 1;", "new_string": "line 1\n" + strings.Repeat("kept\n", 30) + "return 2;",
		}})
	}()
	defer func() { stop(); <-asked }()

	tm.run("", "tui --data "+tm.data)
	tm.until(`! 1 thing needs you`)
	tm.keys("Space")
	tm.until(`cart\.ts  \+2 −2\s+┃\s+- line one\s+┃\s+\+ line 1[\s\S]*more lines`)
	tm.keys("d")
	tm.until(`wants to use edit +hunk 1 of 2 · 1–\d+ of 3\d`)
	tm.keys("/", `"return 2"`, "Enter")
	tm.until(`\+ return 2;[\s\S]*/ return 2 +1 of 1`)
	tm.keys("Escape")
	tm.until(`I › Ask the office`)
	tm.keys("p", "n")
	tm.until(`hunk 2 of 2`)
	tm.keys("Escape")
	tm.until(`┃.*wants to use`)

	tm.keys("a", "Down", "Down", "w")
	tm.until(`\$ npm test\s+FAIL cart\s+100%\s+exit code 0`)
	if coloured := tm.tmux("capture-pane", "-p", "-e", "-t", "t"); !regexp.MustCompile(`\x1b\[[0-9;]*31mFAIL`).MatchString(coloured) {
		t.Errorf("FAIL is not red:\n%q", coloured)
	}
	if title := tm.tmux("display-message", "-p", "-t", "t", "#{pane_title}"); strings.Contains(title, "owned") {
		t.Errorf("the program named the window %q", title)
	}
	tm.keys("Escape")

	tm.tmux("resize-window", "-t", "t", "-x", "200", "-y", "50")
	tm.until(`(?s)│  exec  npm test.*›  └ ✓ exec  npm test`)
	tm.until(`│ +\$ npm test`)
	tm.keys("p", "/", `"shop"`)
	tm.until(`/ shop +1 of 9`)
	tm.keys("Enter")
	tm.until(`(?s)│ +shop .*› shop .*Session claude:5f0c1f7e`)
	tm.tmux("resize-window", "-t", "t", "-x", "100", "-y", "30")
	tm.waits("only the list is shown and shop is selected", func() bool {
		shown := tm.screen()
		return strings.Contains(shown, "› shop") && !strings.Contains(shown, "│") && strings.Contains(shown, "1 of 9")
	})
	tm.leaves("q")
}
