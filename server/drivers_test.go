package server

import (
	"bufio"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/staff"
	"github.com/bullpen-office/bullpen/world"
)

var fakePeer = sync.OnceValues(func() (string, error) {
	path, err := filepath.Abs(filepath.Join("..", ".cache", "e2e", "fakepeer-server"))
	if err == nil {
		var out []byte
		if out, err = exec.Command("go", "build", "-o", path, "../e2e/fakepeer").CombinedOutput(); err != nil {
			err = errors.New(string(out))
		}
	}
	return path, err
})

func peerProgram(t *testing.T) string {
	t.Helper()
	path, err := fakePeer()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// dialIn starts a peer program outside the office's control, and waits until it is connected.
func (r *rig) dialIn(session, script string) {
	r.t.Helper()
	token, revoke := r.gate.Issue("")
	cmd := exec.Command(peerProgram(r.t), "-url", r.address, "-session", session, "-token", token, "-script", script)
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { revoke(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if err := r.peers.Await(r.t.Context(), session); err != nil {
		r.t.Fatal(err)
	}
}

// on returns a staff whose agents all run on r.
func on(r staff.Runner) staff.Staff {
	return staff.Staff{Default: "program", Runners: map[string]staff.Runner{"program": r}}
}

func named(name contracts.EventName) func(contracts.Event) bool {
	return func(e contracts.Event) bool { return e.Name == name }
}

// deliver submits a request, approves the result and returns the result's content.
func (v *viewer) deliver(r *rig, text string) string {
	v.t.Helper()
	v.request(text)
	return v.approve(r)
}

// request submits a request, waits for its tasks and has them assigned.
func (v *viewer) request(text string) {
	v.t.Helper()
	v.command(contracts.CmdSubmitRequest, contracts.SubmitRequest{Text: text})
	made := v.untilEvent(named(contracts.EventTasksCreated))
	v.command(contracts.CmdAutoAssign, contracts.AutoAssign{ProjectID: made.ProjectID})
}

func (v *viewer) approve(r *rig) string {
	v.t.Helper()
	review := v.untilEvent(named(contracts.EventReviewRequested))
	_, body, _ := r.get("/v1/artifacts/"+review.ArtifactID+"/content", r.cfg.ownerToken(v.t))
	v.command(contracts.CmdApproveArtifact, contracts.ApproveArtifact{ArtifactID: review.ArtifactID})
	v.untilEvent(named(contracts.EventTaskDone))
	return body
}

// A program that the office did not start plans, works and chats for the crew; while it is
// disconnected, the task is blocked with that reason and can be retried.
func TestPeerWorksForTheCrew(t *testing.T) {
	r := startRig(t, Config{Staff: on(staff.Runner{Kind: "peer"})})
	v := r.dial("")
	v.request("Write it")
	blocked := v.untilEvent(named(contracts.EventTaskBlocked))
	if !strings.Contains(blocked.Reason, "is not connected: start its program") {
		t.Errorf("%+v", blocked)
	}
	asked := v.untilEvent(named(contracts.EventDecisionRequested))
	r.dialIn(blocked.AgentID+"::*", "work")
	v.command(contracts.CmdResolveDecision, contracts.ResolveDecision{DecisionID: asked.DecisionID, Choice: asked.Decision.Options[0]})
	if body := v.approve(r); !strings.Contains(body, "Written by a peer.") {
		t.Errorf("%q", body)
	}
}

// A model that returns prose instead of structured output is asked once more; then the
// task is blocked with the reason.
func TestProseBlocksTheTask(t *testing.T) {
	r := startRig(t, Config{Staff: on(staff.Runner{Kind: "peer", Command: peerProgram(t), Args: []string{"-script", "prose"}})})
	v := r.dial("")
	v.request("Write it")
	if e := v.untilEvent(named(contracts.EventTaskBlocked)); !strings.Contains(e.Reason, "returned an invalid answer twice") {
		t.Errorf("%+v", e)
	}
}

// A peer that the office starts finds the bridge and its session in its environment,
// works in its own directory, and exits with the office.
func TestSpawnedPeerWorksForTheCrew(t *testing.T) {
	r := startRig(t, Config{DataDir: t.TempDir(), Staff: on(staff.Runner{Kind: "peer", Command: peerProgram(t), Args: []string{"-script", "work"}})})
	token := r.cfg.ownerToken(t)
	v := r.dial(token)
	if body := v.deliver(r, "Write it"); !strings.Contains(body, "Written by a peer.") {
		t.Errorf("%q", body)
	}
	dirs, err := os.ReadDir(filepath.Join(r.cfg.DataDir, "workspaces"))
	if err != nil || len(dirs) < 2 {
		t.Errorf("%v %v", dirs, err)
	}
	// Callers of the bridge reach the same program, in their own conversation.
	if status, body := r.post("/v1/chat/completions", `{"model":"bullpen/agent_eng_1","messages":[{"role":"user","content":"How are you?"}]}`); status != 200 || !strings.Contains(body, "I am well") {
		t.Errorf("%d %s", status, body)
	}
	r.view.Look(func(w *world.World) {
		if n := len(w.Guests()); n != 0 {
			t.Errorf("%d guests", n)
		}
	})
}

// counting returns a counter of the conversations that a runner's worker has open.
func (r *rig) counting(runner string) *atomic.Int32 {
	held, w := &atomic.Int32{}, r.crew.Workers[runner]
	acquire := w.Acquire
	w.Acquire = func(spec *drive.Spec) (func(), error) {
		release, err := acquire(spec)
		if err != nil {
			return nil, err
		}
		held.Add(1)
		return func() { release(); held.Add(-1) }, nil
	}
	r.crew.Workers[runner] = w
	return held
}

// Killing a crew member ends its process and its answer, and the chat reports this; the message is
// not retried (B11).
func TestKillEndsTheProgram(t *testing.T) {
	r := startRig(t, Config{Staff: on(staff.Runner{Kind: "peer", Command: peerProgram(t), Args: []string{"-script", "slow", "-pause", "1h"}})})
	held := r.counting("program")
	v := r.dial("")
	v.command(contracts.CmdChat, contracts.Say{To: "agent_eng_1", Text: "Hello"})
	v.until("ack")
	r.untilTrue("the program runs", func() bool { return held.Load() == 1 })
	v.command(contracts.CmdKillAgent, map[string]string{"agent_id": "agent_eng_1"})
	v.until("ack")
	r.untilTrue("the program has ended", func() bool { return held.Load() == 0 })
	if work := r.office.Work(); len(work) != 0 {
		t.Errorf("the message is retried: %+v", work)
	}
	if _, body, _ := r.get("/v1/events?kind=chat", ""); !strings.Contains(body, "I was killed before I could answer.") {
		t.Errorf("the chat does not say so: %s", body)
	}
	v.command(contracts.CmdKillAgent, map[string]string{"agent_id": "agent_eng_1"})
	if text := v.untilError(); !strings.Contains(text, "has no work to kill") {
		t.Error(text)
	}
}

func (r *rig) untilTrue(what string, so func() bool) {
	r.t.Helper()
	for end := time.Now().Add(testTimeout); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("timed out; expected: %s", what)
		}
	}
}

// H7: an agent that connects again is recorded as reconnected.
func TestReconnectIsRecorded(t *testing.T) {
	r := startRig(t, Config{Crew: CrewNone})
	token, revoke := r.gate.Issue("")
	defer revoke()
	for range 2 {
		conn, err := socket.Dial(t.Context(), socket.Config{URL: r.address, Token: token})
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.Write([]byte(`{"type":"hello","openclaw_session":"scout::c","claude_session":"c1"}`)); err != nil {
			t.Fatal(err)
		}
		if ack, err := conn.Read(); err != nil || !strings.Contains(string(ack), "hello_ack") {
			t.Fatal(string(ack), err)
		}
		r.untilTrue("the agent is in the office", func() bool { _, ok := r.view.Profile("agent_scout"); return ok })
		conn.Close()
	}
	r.untilTrue("the reconnect is recorded", func() bool {
		facts := r.facts("agent_scout")
		return len(facts) == 1 && facts[0].Subtype == "reconnect" && facts[0].Session == "bridge:scout::c" && string(facts[0].Payload) == `{"sessionKey":"scout::c"}`
	})
}

// A program is started for callers of unknown agents, one per conversation, in the workspace that
// the caller names. The workspace must be inside the bridge's roots.
func TestProgramIsStartedForGuests(t *testing.T) {
	root := t.TempDir()
	r := startRig(t, Config{Staff: staff.Staff{Bridge: staff.Bridge{Spawn: []string{peerProgram(t), "-script", "echo"}, Roots: []string{root}}}})
	for _, agent := range []string{"scout", "Bob the builder", "scout", "scout"} { // the program answers a second turn
		status, body := r.post("/v1/chat/completions", `{"model":"`+agent+`","messages":[{"role":"user","content":"Hello"}]}`)
		if status != 200 || !strings.Contains(body, "echo: Hello") {
			t.Errorf("%d %s", status, body)
		}
	}
	r.untilTrue("two guests are shown", func() (so bool) {
		r.view.Look(func(w *world.World) { so = len(w.Guests()) == 2 })
		return so
	})
}

// B7, B12: a program that uses only the bridge protocol's three environment variables works if the
// office started it, even if every request needs a token; no other program is admitted that way.
func TestStartedProgramNeedsNoToken(t *testing.T) {
	data := t.TempDir()
	bare := staff.Bridge{Spawn: []string{peerProgram(t), "-script", "echo", "-token", ""}}
	r := startRig(t, Config{DataDir: data, RequireToken: true, Crew: CrewNone, Staff: staff.Staff{Bridge: bare}})
	auth := "Authorization: Bearer " + r.cfg.ownerToken(t)
	if status, body := r.post("/v1/chat/completions", `{"model":"scout","user":"c","messages":[{"role":"user","content":"Hello"}]}`, auth); status != http.StatusOK || !strings.Contains(body, "echo: Hello") {
		t.Errorf("%d %s", status, body)
	}
	cmd := exec.Command(peerProgram(t), "-url", r.address, "-session", "scout::c", "-program", "guess", "-token", "")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if !strings.HasPrefix(line, "closed") {
		t.Errorf("another program got in: %s", line)
	}
	if status, _, _ := r.get("/v1/state", ""); status != http.StatusUnauthorized {
		t.Errorf("another endpoint is open: %d", status)
	}
}

// B12: every agent id that a caller names gets its own directory; an invalid id is
// refused before anything is created or started.
func TestStartedAgentsHaveSeparateDirectories(t *testing.T) {
	data := t.TempDir()
	r := startRig(t, Config{DataDir: data, Crew: CrewNone, Staff: staff.Staff{
		Runners: map[string]staff.Runner{"helper": {Kind: "peer", Command: peerProgram(t), Args: []string{"-script", "echo"}}}, Bridge: staff.Bridge{Runner: "helper"},
	}})
	ask := func(agent string) (int, string) {
		return r.post("/v1/chat/completions", `{"model":"bullpen","messages":[{"role":"user","content":"Hello"}]}`, "X-Openclaw-Agent-Id: "+agent, "X-Openclaw-Chat-Id: c")
	}
	ids := []string{"tester", "Tester", "agent_tester", "te-ster", "te_ster", "te ster", "te.ster", "tester.1", "a..b", "Z\u00fcrich"}
	for _, id := range ids {
		if status, body := ask(id); status != http.StatusOK || !strings.Contains(body, "echo: Hello") {
			t.Errorf("%q: %d %s", id, status, body)
		}
	}
	for _, id := range []string{"$(id)", "../../root", "..", ".", "/etc", "a/b", `a\b`, "-rf", "a;b", "`id`", "~root", "a\u202eb", "*", strings.Repeat("x", 200)} {
		if status, body := ask(id); status != http.StatusBadRequest || !strings.Contains(body, "invalid_request_error") {
			t.Errorf("%q: %d %s", id, status, body)
		}
	}
	seen := map[string]bool{}
	dirs, err := os.ReadDir(filepath.Join(data, "workspaces"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		seen[strings.ToLower(d.Name())] = d.IsDir()
	}
	if len(dirs) != len(ids) || len(seen) != len(ids) {
		t.Errorf("%d agents work in %v", len(ids), dirs)
	}
	if err := os.Symlink(filepath.Join(data, "workspaces", "agent_tester"), filepath.Join(data, "workspaces", "agent_thief")); err != nil {
		t.Fatal(err)
	}
	if status, body := ask("thief"); status == http.StatusOK || !strings.Contains(body, "not a directory") {
		t.Errorf("the agent works in another agent's directory: %d %s", status, body)
	}
}

// A program that exits mid-turn fails the caller's request with its exit code, and the next request
// starts it again. Its stderr goes to the log, not into the response.
func TestExitCodeReachesTheCaller(t *testing.T) {
	dying := filepath.Join(t.TempDir(), "claude")
	if err := os.WriteFile(dying, []byte("#!/bin/sh\nread line\necho out of credit >&2\nexit 7\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		runner staff.Runner
		says   string
	}{
		{staff.Runner{Kind: "claude", Command: dying}, "exit status 7. "},
		{staff.Runner{Kind: "peer", Command: peerProgram(t), Args: []string{"-script", "die"}}, "exit status 3. "},
	} {
		var log lines
		r := startRig(t, Config{Log: slog.New(slog.NewTextHandler(&log, nil)), Staff: staff.Staff{Runners: map[string]staff.Runner{"helper": c.runner}, Bridge: staff.Bridge{Runner: "helper"}}})
		for range 2 {
			status, body := r.post("/v1/chat/completions", `{"model":"scout","user":"c","messages":[{"role":"user","content":"Hello"}]}`)
			if status != http.StatusBadGateway || !strings.Contains(body, c.says) || !strings.Contains(body, "agent_disconnected") {
				t.Errorf("%d %s", status, body)
			}
			if strings.Contains(body, "out of credit") {
				t.Errorf("the caller got the program's stderr: %s", body)
			}
		}
		if c.runner.Kind == "claude" && log.with(`stderr="out of credit"`) != 2 {
			t.Error("the log does not have the program's stderr")
		}
	}
}

// A program that keeps crashing blocks the task with its exit status.
func TestCrashingPeerBlocksTheTask(t *testing.T) {
	r := startRig(t, Config{Staff: on(staff.Runner{Kind: "peer", Command: peerProgram(t), Args: []string{"-script", "no such script"}})})
	v := r.dial("")
	v.request("Write it")
	if e := v.untilEvent(named(contracts.EventTaskBlocked)); !strings.Contains(e.Reason, "exit status 2") || !strings.Contains(e.Reason, "known -script") {
		t.Errorf("%+v", e)
	}
}

func TestBridgeAddress(t *testing.T) {
	for addr, want := range map[string]string{"127.0.0.1:4777": "ws://127.0.0.1:4777/bridge", "0.0.0.0:80": "ws://127.0.0.1:80/bridge", "[::]:80": "ws://[::1]:80/bridge", "[::1]:9": "ws://[::1]:9/bridge"} {
		at, err := net.ResolveTCPAddr("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if got := gate.BridgeURL(at, false); got != want {
			t.Errorf("%s: %s", addr, got)
		}
	}
	if got := gate.BridgeURL(&net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 1}, true); got != "wss://10.0.0.1:1/bridge" {
		t.Error(got)
	}
}
