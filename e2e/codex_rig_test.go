//go:build unix

package e2e_test

import (
	"bufio"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/drive/drivetest"
)

// newCodexDesk returns a machine where a person works with real Codex and a scripted model.
func newCodexDesk(t *testing.T, script func(prompt string, step int) []drivetest.Block) (d *desk, codex string) {
	t.Helper()
	codex, err := codexProgram()
	if err != nil {
		t.Skipf("not checked: real Codex cannot be installed here: %v", err)
	}
	bullpen, err := bullpenProgram()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d = &desk{
		t: t, bullpen: bullpen, model: newModel(t, nil), source: "codex",
		home: filepath.Join(dir, "home"), project: filepath.Join(dir, "shop"), data: filepath.Join(dir, "home", ".bullpen"),
	}
	model := httptest.NewServer(&drivetest.Responses{Script: script})
	t.Cleanup(func() {
		model.CloseClientConnections()
		model.Close()
	})
	d.file("shop/notes.txt", "first line\n")
	d.file("home/.codex/config.toml", fmt.Sprintf("model = \"stub-model\"\nmodel_provider = \"stub\"\n\n[model_providers.stub]\nname = \"Stub\"\nbase_url = %q\nwire_api = \"responses\"\nenv_key = \"STUB_KEY\"\n"+
		// Otherwise Codex creates an empty .git, which its sandbox protects, in the system's temporary
		// directory.
		"\n[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n", model.URL+"/v1"))
	d.extra = []string{"STUB_KEY=any"}
	return d, codex
}

// codexSession is a running Codex that another program controls, as editors do. Like a terminal, it
// asks for permission.
type codexSession struct {
	t   *testing.T
	cmd *exec.Cmd
	say func(message)

	mu      sync.Mutex
	changed *sync.Cond
	got     []message
	ended   bool
	id      int
	thread  string
}

// newCodexSession returns a Codex that has not been started.
func (d *desk) newCodexSession(codex string, args ...string) *codexSession {
	s := &codexSession{t: d.t, cmd: d.command(codex, append([]string{"app-server"}, args...)...)}
	s.changed = sync.NewCond(&s.mu)
	return s
}

// startCodex starts Codex, and starts or resumes a thread in it.
func (d *desk) startCodex(codex, thread string) *codexSession {
	d.t.Helper()
	s := d.newCodexSession(codex)
	in, err := s.cmd.StdinPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(s.kill)
	s.say = func(m message) { _, _ = in.Write([]byte(jsonText(m) + "\n")) }
	lines := bufio.NewReader(out)
	go s.read(func() ([]byte, error) { return lines.ReadBytes('\n') })
	s.open(d.project, thread)
	return s
}

// open starts or resumes a thread. Hooks run without a review; only tests may allow this.
func (s *codexSession) open(project, thread string) {
	s.t.Helper()
	s.call("initialize", message{"clientInfo": message{"name": "e2e", "version": "0"}})
	s.say(message{"method": "initialized"})
	params := message{"cwd": project, "approvalPolicy": "on-request", "sandbox": "read-only", "config": message{"bypass_hook_trust": true}}
	method := "thread/start"
	if thread != "" {
		method, params["threadId"] = "thread/resume", thread
	}
	s.thread, _ = s.call(method, params).at("result.thread.id").(string)
}

// read records messages until next fails.
func (s *codexSession) read(next func() ([]byte, error)) {
	for {
		text, err := next()
		s.mu.Lock()
		var m message
		if json.Unmarshal(text, &m) == nil {
			s.got = append(s.got, m)
		}
		s.ended = err != nil
		s.changed.Broadcast()
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (s *codexSession) await(what string, is func(message) bool) message {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for seen := 0; ; {
		for ; seen < len(s.got); seen++ {
			if is(s.got[seen]) {
				return s.got[seen]
			}
		}
		if s.ended {
			s.t.Fatalf("Codex ended before %s: %v", what, s.got)
		}
		s.changed.Wait()
	}
}

func (s *codexSession) call(method string, params message) message {
	s.t.Helper()
	s.id++
	id := float64(s.id)
	s.say(message{"id": id, "method": method, "params": params})
	return s.await(method, func(m message) bool { return m["id"] == id && m["method"] == nil })
}

// turn starts a turn and returns its id.
func (s *codexSession) turn(prompt string) string {
	s.t.Helper()
	m := s.call("turn/start", message{"threadId": s.thread, "input": []any{message{"type": "text", "text": prompt}}})
	id, _ := m.at("result.turn.id").(string)
	return id
}

// completed waits until a turn has ended and returns its status.
func (s *codexSession) completed(turn string) string {
	s.t.Helper()
	m := s.await("the turn ends", func(m message) bool {
		return m.str("method") == "turn/completed" && m.at("params.turn.id") == turn
	})
	status, _ := m.at("params.turn.status").(string)
	return status
}

// kill sends SIGKILL to Codex and to everything that it started.
func (s *codexSession) kill() {
	if s.cmd.ProcessState == nil {
		_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
		_ = s.cmd.Wait()
	}
}

// shows reports whether a fact with this event contains text.
func shows(facts []message, event, text string) bool {
	for _, f := range facts {
		if f.str("event") == event && strings.Contains(jsonText(f), text) {
			return true
		}
	}
	return false
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
