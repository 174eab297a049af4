//go:build unix

package e2e_test

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/e2e/freeport"
)

// machines is an office and an outpost, each a real process with a home directory of its own.
type machines struct {
	t             *testing.T
	bullpen, dir  string
	homes         map[string]string // home directories by machine; by default, a directory in dir
	addr          string            // address of the office, the same after a restart
	office, joins *exec.Cmd
}

func newMachines(t *testing.T) *machines {
	t.Helper()
	bullpen, err := bullpenProgram()
	if err != nil {
		t.Fatal(err)
	}
	m := &machines{t: t, bullpen: bullpen, dir: t.TempDir(), addr: freeport.Addr(t)}
	t.Cleanup(func() {
		if t.Failed() {
			for _, name := range []string{"office.log", "laptop.log"} {
				log, _ := os.ReadFile(filepath.Join(m.dir, name))
				t.Logf("%s:\n%s", name, log)
			}
		}
	})
	return m
}

func (m *machines) home(machine string) string {
	return cmp.Or(m.homes[machine], filepath.Join(m.dir, machine))
}

// command returns a command that runs on a machine, with that machine's home directory.
func (m *machines) command(machine string, args ...string) *exec.Cmd {
	cmd := exec.Command(m.bullpen, args...)
	cmd.Env = []string{"HOME=" + m.home(machine), "PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0", "BULLPEN_HOOK_TIMEOUT=" + testTimeout.String()}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // signals must not reach the test's own process group
	return cmd
}

// start starts a program that runs until it is stopped.
func (m *machines) start(machine string, args ...string) *exec.Cmd {
	m.t.Helper()
	if err := os.MkdirAll(m.home(machine), 0o700); err != nil {
		m.t.Fatal(err)
	}
	log, err := os.OpenFile(filepath.Join(m.dir, machine+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		m.t.Fatal(err)
	}
	defer log.Close()
	cmd := m.command(machine, args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // a second call returns an error, which does not matter
	})
	return cmd
}

func (m *machines) run(machine string, args ...string) string {
	m.t.Helper()
	out, err := m.command(machine, args...).CombinedOutput()
	if err != nil {
		m.t.Fatalf("bullpen %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (m *machines) openOffice() {
	m.t.Helper()
	m.office = m.start("office", "serve", "--addr", m.addr, "--crew", "none", "--no-open", "--claude-dir", "off")
	until(m.t, "the office is ready", func() bool { return answers("http://" + m.addr + "/readyz") })
}

func answers(url string) bool {
	resp, err := quickClient.Get(url)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// killOffice ends the office without giving it a chance to clean up.
func (m *machines) killOffice() {
	m.t.Helper()
	_ = m.office.Process.Kill()
	_ = m.office.Wait()
}

// join creates a token and starts the outpost.
func (m *machines) join() (token string) {
	m.t.Helper()
	var made struct{ ID, Token string }
	if err := json.Unmarshal([]byte(m.run("office", "token", "create", "--role", "outpost", "--name", "laptop", "--json")), &made, json.MatchCaseInsensitiveNames(true)); err != nil {
		m.t.Fatal(err)
	}
	file := filepath.Join(m.dir, "laptop.token")
	if err := os.WriteFile(file, []byte(made.Token+"\n"), 0o600); err != nil {
		m.t.Fatal(err)
	}
	m.joins = m.start("laptop", "join", "http://"+m.addr, "--token-file", file)
	until(m.t, "the outpost has joined", m.connected)
	return made.ID
}

// connected reports whether the office shows the outpost as connected.
func (m *machines) connected() bool {
	var ready struct {
		Outposts []contracts.OutpostHealth `json:"outposts"`
	}
	resp, err := quickClient.Get("http://" + m.addr + "/readyz")
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	err = json.UnmarshalRead(resp.Body, &ready)
	return err == nil && len(ready.Outposts) == 1 && ready.Outposts[0].State == contracts.OutpostLinkUp
}

// hook runs Claude Code's hook command on the outpost and returns its output.
func (m *machines) hook(event, rest string) (string, error) {
	cmd := m.command("laptop", "hook", "claude")
	cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"session_id":"5d1f6a52-0f8e-4c5a-9a57-0d6f6f0f2f11","prompt_id":"p","cwd":"/src/shop","hook_event_name":%q%s}`, event, rest))
	out, err := cmd.Output()
	return string(out), err
}

func (m *machines) report(event, rest string) {
	m.t.Helper()
	if _, err := m.hook(event, rest); err != nil {
		m.t.Fatalf("hook %s: %v", event, err)
	}
}

// call returns the members of a hook that describe a tool call, as JSON.
func call(id, command string) string {
	return fmt.Sprintf(`,"tool_name":"Bash","tool_use_id":%q,"tool_input":{"command":%q}`, id, command)
}

// guest returns the outpost's session, as the office shows it.
func (m *machines) guest() message {
	for _, a := range list(get(m.t, m.addr, "/v1/state")["agents"]) {
		if a.str("outpost") == "laptop" {
			return a
		}
	}
	return nil
}

// activity counts activity records by event and tool call.
func (m *machines) activity() map[string]int {
	count := map[string]int{}
	for _, e := range list(get(m.t, m.addr, "/v1/events?kind=hud&limit=1000")["events"]) {
		count[e.payload().str("event")+" "+e.payload().str("correlationId")]++
	}
	return count
}

// A Claude Code session on another machine appears in the office, its permission request is
// answered there, and the hook receives the answer.
func TestOutpostSessionAsksInTheOffice(t *testing.T) {
	t.Parallel()
	m := newMachines(t)
	m.openOffice()
	token := m.join()
	m.report("SessionStart", `,"source":"startup"`)
	m.report("UserPromptSubmit", `,"prompt":"Build it"`)
	until(t, "the session is in the office and works", func() bool { a := m.guest(); return a != nil && a["activity"] == "working" })
	if a := m.guest(); a["place"] != "laptop:/src/shop" || a["name"] != "shop" {
		t.Errorf("shown as %v", a)
	}
	if out := m.run("laptop", "status"); !strings.Contains(out, "outpost   laptop of the office at http://"+m.addr+": connected") {
		t.Errorf("status on the outpost:\n%s", out)
	}
	if out := m.run("office", "status"); !strings.Contains(out, "outpost   laptop: connected, 1 agent · Bullpen ") {
		t.Errorf("status of the office:\n%s", out)
	}
	answer := make(chan string, 1)
	go func() {
		out, err := m.hook("PermissionRequest", call("toolu_1", "make"))
		answer <- fmt.Sprint(out, err)
	}()
	id := ""
	until(t, "the office asks", func() bool {
		for _, n := range list(get(t, m.addr, "/v1/needs")["needs"]) {
			if n.str("kind") == "permission" { // before the question arrives, only the session's report is known
				id = n.str("ref")
			}
		}
		return id != ""
	})
	m.run("office", "decide", id, contracts.OptionAllow)
	if out := <-answer; !strings.Contains(out, `"behavior":"allow"`) {
		t.Errorf("the hook got %s", out)
	}
	m.run("office", "token", "revoke", token)
	if err := m.joins.Wait(); m.joins.ProcessState.ExitCode() != 6 {
		t.Errorf("with a revoked token the outpost ended with %v", err)
	}
	if log, _ := os.ReadFile(filepath.Join(m.dir, "laptop.log")); !strings.Contains(string(log), "bullpen token create --role outpost --name NAME") {
		t.Errorf("it does not say what to do:\n%s", log)
	}
}

// Activity while the office is down is reported exactly once when the office is back, even if the
// outpost was restarted in the meantime.
func TestOutpostReportsOnceAfterAnOutage(t *testing.T) {
	t.Parallel()
	m := newMachines(t)
	m.openOffice()
	m.join()
	m.report("SessionStart", `,"source":"startup"`)
	m.report("UserPromptSubmit", `,"prompt":"Build it"`)
	until(t, "the turn has started", func() bool { a := m.guest(); return a != nil && a["activity"] == "working" })
	m.killOffice()
	for i := range 5 {
		id := fmt.Sprint("toolu_", i)
		m.report("PreToolUse", call(id, "make"))
		m.report("PostToolUse", call(id, "make")+`,"tool_response":{"stdout":"ok"}`)
	}
	if out, err := m.hook("PermissionRequest", call("toolu_5", "make")); err != nil || out != "" {
		t.Errorf("without the office the hook decided: %q, %v", out, err)
	}
	until(t, "the outpost has stored its reports", func() bool {
		files, _ := filepath.Glob(filepath.Join(m.dir, "laptop", ".bullpen", "outpost", "*", "spool", "*.json"))
		return len(files) > 0
	})
	_ = m.joins.Process.Kill()
	_ = m.joins.Wait()
	m.openOffice()
	m.join()
	m.report("Stop", "")
	until(t, "the turn has ended", func() bool { a := m.guest(); return a != nil && a["activity"] == "idle" })
	count := m.activity()
	for i := range 5 {
		for _, event := range []string{"tool_start", "tool_end"} {
			if n := count[fmt.Sprintf("%s toolu_%d", event, i)]; n != 1 {
				t.Errorf("%s of call %d was recorded %d times: %v", event, i, n, count)
			}
		}
	}
	m.run("office", "verify")
}
