//go:build unix

package server

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/staff"
	"github.com/bullpen-office/bullpen/world"
)

// claudeRunner runs the real Claude Code that `make agents` installs, with a stub model.
func claudeRunner(t *testing.T, script func(prompt string, step int) []drivetest.Block) staff.Runner {
	t.Helper()
	dir, err := filepath.Abs("../.cache/agents/claude")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "node_modules", ".bin", "claude")
	if _, err := os.Stat(filepath.Join(dir, "installed")); err != nil { // written last; a partial installation would also start
		if path, err = exec.LookPath("claude"); err != nil {
			t.Skip("Claude Code is not installed: run `make agents`")
		}
	}
	model := httptest.NewServer(&drivetest.Messages{Script: script})
	t.Cleanup(model.Close)
	for name, value := range map[string]string{
		"HOME": t.TempDir(), "ANTHROPIC_BASE_URL": model.URL, "ANTHROPIC_API_KEY": "x", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
	} {
		t.Setenv(name, value)
	}
	return staff.Runner{Kind: "claude", Command: path}
}

func handedOver(body string) []drivetest.Block {
	return []drivetest.Block{{Text: "Here it is.\n\n```json\n" + body + "\n```"}}
}

func bash(command string) []drivetest.Block {
	return []drivetest.Block{{Text: "I do it.\n"}, {Tool: "Bash", Input: map[string]string{"command": command, "description": "work"}}}
}

var oneTask = handedOver(`{"summary":"One task.","tasks":[{"title":"Write it","kind":"copy"}]}`)

// permitted answers the next permission request with choice, as the operator, and returns the
// request.
func (v *viewer) permitted(choice string) contracts.Decision {
	v.t.Helper()
	e := v.untilEvent(func(e contracts.Event) bool {
		return e.Name == contracts.EventDecisionRequested && e.Decision.Kind == contracts.DecisionPermission
	})
	v.command(contracts.CmdResolveDecision, contracts.ResolveDecision{DecisionID: e.DecisionID, Choice: choice})
	return *e.Decision
}

// Real Claude Code takes a request through plan, task, permission, file and approval; its cost is
// recorded, and no agent is listed twice.
func TestClaudeWorksForTheCrew(t *testing.T) {
	place := t.TempDir()
	runner := claudeRunner(t, func(prompt string, step int) []drivetest.Block {
		switch {
		case strings.Contains(prompt, `"tasks"`):
			return oneTask
		case strings.Contains(prompt, "# Your task") && step == 0:
			return bash("echo '# Tea' > " + place + "/post.md")
		case strings.Contains(prompt, "# Your task"):
			return handedOver(`{"artifacts":[{"type":"copy","title":"Tea","path":"post.md"}]}`)
		}
		return []drivetest.Block{{Text: "I am well."}}
	})
	runner.Workspace = place
	claudeDir := filepath.Join(os.Getenv("HOME"), ".claude")
	r := startRig(t, Config{DataDir: t.TempDir(), Crew: "claude", Options: claudeIn(claudeDir), Staff: staff.Staff{Runners: map[string]staff.Runner{"claude": runner}}})
	v := r.dial(r.cfg.ownerToken(t))
	v.request("Write a blog post about tea")
	asked := v.permitted(contracts.OptionAllow)
	if asked.Permission == nil || asked.Permission.Tool != "exec" || !strings.Contains(string(asked.Permission.Args), "post.md") {
		t.Errorf("%+v", asked.Permission)
	}
	if body := v.approve(r); body != "# Tea\n" {
		t.Errorf("%q", body)
	}
	if seen := r.facts(asked.AskedBy); !slices.ContainsFunc(seen, func(h contracts.HUD) bool {
		return h.Event == contracts.HUDToolEnd && strings.Contains(string(h.Result), `"viewerPath":"post.md"`)
	}) {
		t.Errorf("the file is not shown from the workspace: %+v", seen)
	}
	v.command(contracts.CmdChat, contracts.Say{ThreadID: contracts.AgentThreadPx + asked.AskedBy, Text: "How are you?"})
	for end := time.Now().Add(testTimeout); ; time.Sleep(20 * time.Millisecond) {
		_, body, _ := r.get("/v1/events?kind=chat&limit=1000", r.cfg.ownerToken(t))
		if strings.Contains(body, "I am well.") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("no answer: %s", body)
		}
	}
	transcripts, _ := filepath.Glob(filepath.Join(claudeDir, "projects", "*", "*.jsonl"))
	for _, path := range transcripts {
		if id := strings.TrimSuffix(filepath.Base(path), ".jsonl"); !r.conversations.Owns(id) {
			t.Errorf("the transcript of %s would be read as a guest's", id)
		}
	}
	if len(transcripts) < 2 {
		t.Errorf("%q: the director and the writer have a conversation each", transcripts)
	}
	r.untilTrue("plan, task and chat are counted", func() (so bool) {
		r.view.Look(func(w *world.World) { so = w.Usage(time.Now().UnixMilli()).Lifetime.Priced >= 3 })
		return so
	})
	r.view.Look(func(w *world.World) {
		if n := len(w.Guests()); n != 0 {
			t.Errorf("%d guests: the office's own sessions are shown twice", n)
		}
		task := w.Tasks()[0]
		if u := task.Usage; u == nil || u.TokensIn == 0 || u.Priced == 0 || u.CacheRead == 0 {
			t.Errorf("used %+v", u)
		}
	})
}

// B12: with one line of configuration, real Claude Code answers on behalf of any agent that a
// caller names, in that agent's directory, and remembers each conversation.
func TestClaudeAnswersForAnyAgent(t *testing.T) {
	runner := claudeRunner(t, func(prompt string, step int) []drivetest.Block {
		return []drivetest.Block{{Text: "I read: " + prompt}}
	})
	data := t.TempDir()
	r := startRig(t, Config{DataDir: data, Options: claudeIn(filepath.Join(os.Getenv("HOME"), ".claude")), Staff: staff.Staff{
		Runners: map[string]staff.Runner{"claude": runner}, Bridge: staff.Bridge{Runner: "claude"},
	}})
	for _, text := range []string{"first", "second"} {
		status, body := r.post("/v1/chat/completions", `{"model":"bullpen","messages":[{"role":"user","content":"`+text+`"}]}`, "X-Openclaw-Agent-Id: tester", "X-Openclaw-Chat-Id: discord:channel:123")
		if status != 200 || !strings.Contains(body, "I read: ") || !strings.Contains(body, text) {
			t.Errorf("%d %s", status, body)
		}
		r.sendOrder("agent_tester", "kill") // the process ends, the conversation continues
	}
	projects, _ := filepath.Glob(filepath.Join(os.Getenv("HOME"), ".claude", "projects", "*workspaces-agent-tester", "*.jsonl"))
	if len(projects) != 1 {
		t.Errorf("two turns of one conversation left %q", projects)
	}
	r.view.Look(func(w *world.World) {
		if guests := w.Guests(); len(guests) != 1 || guests[0].AgentID != "agent_tester" {
			t.Errorf("%+v", guests)
		}
	})
}

// pidOf waits for the process id that a tool writes to a file.
func pidOf(t *testing.T, pattern string) int {
	t.Helper()
	for end := time.Now().Add(testTimeout); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		found, _ := filepath.Glob(pattern)
		for _, path := range found {
			content, _ := os.ReadFile(path)
			if pid, err := strconv.Atoi(strings.TrimSpace(string(content))); err == nil {
				return pid
			}
		}
	}
	t.Fatal("the tool did not run")
	return 0
}

// If the program is killed mid-turn, its task is blocked with the reason; a retry resumes the
// conversation and delivers a result.
func TestKilledClaudeBlocksTheTask(t *testing.T) {
	var attempts atomic.Int32
	runner := claudeRunner(t, func(prompt string, step int) []drivetest.Block {
		switch {
		case strings.Contains(prompt, `"tasks"`):
			return oneTask
		case step == 0 && attempts.Add(1) == 1:
			return bash("echo $PPID > pid; sleep 300")
		}
		return handedOver(`{"artifacts":[{"content":"second try"}]}`)
	})
	r := startRig(t, Config{DataDir: t.TempDir(), Crew: "claude", Staff: staff.Staff{Runners: map[string]staff.Runner{"claude": runner}}})
	v := r.dial(r.cfg.ownerToken(t))
	v.request("Write it")
	v.permitted(contracts.OptionAllow)
	pid := pidOf(t, filepath.Join(r.cfg.DataDir, "workspaces", "*", "pid"))
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	blocked := v.untilEvent(named(contracts.EventTaskBlocked))
	if !strings.Contains(blocked.Reason, "process exited before the work was done") || !strings.Contains(blocked.Reason, "Claude Code ended") {
		t.Errorf("%+v", blocked)
	}
	before, err := os.ReadFile(filepath.Join(r.cfg.DataDir, "conversations.json"))
	if err != nil {
		t.Fatal(err)
	}
	asked := v.untilEvent(named(contracts.EventDecisionRequested))
	v.command(contracts.CmdResolveDecision, contracts.ResolveDecision{DecisionID: asked.DecisionID, Choice: asked.Decision.Options[0]})
	if body := v.approve(r); body != "second try" {
		t.Errorf("%q", body)
	}
	if after, _ := os.ReadFile(filepath.Join(r.cfg.DataDir, "conversations.json")); string(after) != string(before) {
		t.Errorf("a new conversation was started: %s, then %s", before, after)
	}
}

// A turn that is waiting for a person's answer when the server stops is resumed after the restart:
// the old question is withdrawn and a new one is asked.
func TestRestartWhileClaudeAsks(t *testing.T) {
	runner := claudeRunner(t, func(prompt string, step int) []drivetest.Block {
		switch {
		case strings.Contains(prompt, `"tasks"`):
			return oneTask
		case step == 0:
			return bash("echo made > made.txt")
		}
		return handedOver(`{"artifacts":[{"path":"made.txt"}]}`)
	})
	cfg := Config{DataDir: t.TempDir(), Crew: "claude", Staff: staff.Staff{Runners: map[string]staff.Runner{"claude": runner}}}
	r := startRig(t, cfg)
	v := r.dial(cfg.ownerToken(t))
	v.request("Write it")
	first := v.untilEvent(named(contracts.EventDecisionRequested))
	r.stop()
	r = startRig(t, cfg)
	v = r.dial(cfg.ownerToken(t))
	v.n = 100 // command ids must be unique
	open := func() (ids []string) {
		r.view.Look(func(w *world.World) {
			for _, d := range w.Decisions() {
				if d.Status == contracts.DecisionOpen {
					ids = append(ids, d.DecisionID)
				}
			}
		})
		return ids
	}
	for end := time.Now().Add(testTimeout); len(open()) == 0 && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
	}
	ids := open()
	if len(ids) != 1 || ids[0] == first.DecisionID {
		t.Fatalf("open are %q, the first was %s", ids, first.DecisionID)
	}
	v.command(contracts.CmdResolveDecision, contracts.ResolveDecision{DecisionID: ids[0], Choice: contracts.OptionAllow})
	if body := v.approve(r); body != "made\n" {
		t.Errorf("%q", body)
	}
}
