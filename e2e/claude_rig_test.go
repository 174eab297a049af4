//go:build unix

package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// claudeProgram installs Claude Code once, from its npm package, and returns its path.
var claudeProgram = sync.OnceValues(func() (string, error) { return installed("claude", ".bin", "claude") })

// desk is a machine where a person works with Claude Code: a home directory, a project, a model,
// and an office that may be running.
type desk struct {
	t                   *testing.T
	claude, bullpen     string
	home, project, data string
	model               *model
	addr                string
	office              *exec.Cmd
	extra               []string // additional environment variables
	source              string   // source of its guests; default claude
}

func newDesk(t *testing.T, scripts map[string][]reply) *desk {
	t.Helper()
	claude, err := claudeProgram()
	if err != nil {
		t.Skipf("not checked: real Claude Code cannot be installed here: %v", err)
	}
	bullpen, err := bullpenProgram()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{
		t: t, claude: claude, bullpen: bullpen, model: newModel(t, scripts),
		home: filepath.Join(dir, "home"), project: filepath.Join(dir, "shop"), data: filepath.Join(dir, "home", ".bullpen"),
	}
	d.file("shop/notes.txt", "first line\nsecond line\n")
	d.file("home/.claude.json", fmt.Sprintf(`{"hasCompletedOnboarding":true,"theme":"dark","customApiKeyResponses":{"approved":[%q],"rejected":[]},"projects":{%q:{"hasTrustDialogAccepted":true,"hasCompletedProjectOnboarding":true}}}`, stubKey[len(stubKey)-20:], d.project))
	return d
}

// stubKey is a fake key, which the stub ignores.
const stubKey = "sk-ant-stub-000000000000000000000000"

func (d *desk) file(path, text string) {
	d.t.Helper()
	path = filepath.Join(filepath.Dir(d.home), path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// environment returns the environment for programs, without the real home directory and its
// credentials.
func (d *desk) environment() []string {
	return append([]string{
		"HOME=" + d.home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8", "GORACE=atexit_sleep_ms=0",
		"ANTHROPIC_BASE_URL=" + d.model.url, "ANTHROPIC_API_KEY=" + stubKey,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
		"BULLPEN_HOOK_TIMEOUT=" + testTimeout.String(), // a busy machine must not cause hooks to be spooled
	}, d.extra...)
}

func (d *desk) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Dir = d.environment(), d.project
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // signals must not reach the test's own process group
	return cmd
}

func (d *desk) run(args ...string) string {
	d.t.Helper()
	out, err := d.command(d.bullpen, args...).CombinedOutput()
	if err != nil {
		d.t.Fatalf("bullpen %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (d *desk) install(args ...string) {
	d.t.Helper()
	d.run(append([]string{"hooks", "install", "claude", "--claude", d.claude}, args...)...)
}

// open starts the office and waits until it responds.
func (d *desk) open(args ...string) {
	d.t.Helper()
	log, err := os.OpenFile(filepath.Join(d.home, "office.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		d.t.Fatal(err)
	}
	defer log.Close()
	d.office = d.command(d.bullpen, append([]string{"serve", "--addr", "127.0.0.1:0", "--crew", "none", "--no-open", "--log-level", "debug"}, args...)...)
	d.office.Stdout, d.office.Stderr = log, log
	if err := d.office.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(d.close)
	until(d.t, "the office answers", func() bool {
		var in struct {
			Addr string
			PID  int
		}
		b, err := os.ReadFile(filepath.Join(d.data, "server.json"))
		if err != nil || json.Unmarshal(b, &in, json.MatchCaseInsensitiveNames(true)) != nil || in.PID != d.office.Process.Pid {
			return false // not started yet, or a killed office left the file and another program may use its port
		}
		d.addr = in.Addr
		resp, err := quickClient.Get("http://" + d.addr + "/readyz")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

// quickClient is an HTTP client that keeps no idle connections.
var quickClient = http.Client{Timeout: testTimeout, Transport: &http.Transport{DisableKeepAlives: true}}

// close stops the office with SIGTERM and waits until it exits.
func (d *desk) close() {
	if d.office == nil {
		return
	}
	_ = d.office.Process.Signal(syscall.SIGTERM)
	if err := d.office.Wait(); err != nil {
		d.t.Errorf("the office ended with %v", err)
	}
	d.office = nil
	if d.t.Failed() {
		log, _ := os.ReadFile(filepath.Join(d.home, "office.log"))
		d.t.Logf("the office said:\n%s\nthe model was asked for: %s", log, d.model.log())
	}
}

// ask runs one prompt headlessly and returns Claude Code's output.
func (d *desk) ask(prompt string, args ...string) string {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), testTimeout)
	defer cancel()
	cmd := d.command(d.claude, append([]string{"-p", prompt, "--output-format", "stream-json", "--verbose"}, args...)...)
	context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.t.Fatalf("claude -p %q: %v\n%s\nthe model was asked for: %s", prompt, err, out, d.model.log())
	}
	return string(out)
}

func (d *desk) get(path string) message {
	d.t.Helper()
	return get(d.t, d.addr, path)
}

func until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(testTimeout); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if cond() {
			return
		}
	}
	t.Fatalf("timed out waiting until %s", what)
}

// session is a running Claude Code process that reads its input line by line.
type session struct {
	cmd *exec.Cmd
	in  io.WriteCloser

	mu  sync.Mutex
	out bytes.Buffer
}

// Write records Claude Code's output.
func (s *session) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(p)
}

func (s *session) printed() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

// start begins a session that accepts one prompt after another and asks for permission.
func (d *desk) start(args ...string) *session {
	d.t.Helper()
	s := &session{}
	s.cmd = d.command(d.claude, append([]string{"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--permission-prompt-tool", "stdio"}, args...)...)
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		d.t.Fatal(err)
	}
	s.cmd.Stdout, s.cmd.Stderr = s, s
	if err := s.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { s.kill() })
	return s
}

func (s *session) prompt(text string) {
	s.send(message{"type": "user", "message": message{"role": "user", "content": text}})
}

func (s *session) send(m message) {
	_, _ = s.in.Write([]byte(jsonText(m) + "\n"))
}

// turns returns the number of turns that have ended.
func (s *session) turns() int { return strings.Count(s.printed(), `"type":"result"`) }

// end closes the input, waits until the process exits, and returns its output.
func (s *session) end(t *testing.T) string {
	t.Helper()
	_ = s.in.Close()
	timer := time.AfterFunc(testTimeout, func() { _ = s.cmd.Process.Kill() })
	defer timer.Stop()
	if err := s.cmd.Wait(); err != nil {
		t.Fatalf("claude: %v\n%s", err, s.printed())
	}
	return s.printed()
}

// kill ends the process with SIGKILL and waits until it has exited.
func (s *session) kill() {
	if s.cmd.ProcessState == nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	}
}
