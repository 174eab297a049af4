package chaos_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/instance"
)

// outpost is another machine, whose agents join the office through one of its nodes. It keeps its
// name and its home directory when it is started again.
type outpost struct {
	t       *testing.T
	bullpen string // path of the program
	home    string
	link    *link // connection to the node
	process *exec.Cmd
	log     bytes.Buffer
}

const outpostName = "laptop"

// buildBullpen builds the program in the background. The returned function waits for the build and
// returns the program's path.
func buildBullpen(t *testing.T) (path func() string) {
	t.Helper()
	file, err := filepath.Abs("../../.cache/chaos/bullpen")
	if err != nil {
		t.Fatal(err)
	}
	built := make(chan error, 1)
	go func() {
		out, err := exec.Command("go", "build", "-o", file, "../../cmd/bullpen").CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
		built <- err
	}()
	return func() string {
		t.Helper()
		if err := <-built; err != nil {
			t.Fatal(err)
		}
		return file
	}
}

// startOutpost creates a token and starts the outpost, which joins the office through a node.
func startOutpost(t *testing.T, c *cluster, bullpen string, n *node) *outpost {
	t.Helper()
	o := &outpost{t: t, bullpen: bullpen, home: t.TempDir(), link: n.door}
	made, err := o.command("token", "create", "--nats", c.servers.URL(), "--role", "outpost", "--name", outpostName, "--json").Output()
	if err != nil {
		t.Fatalf("create a token: %v", err)
	}
	var token struct {
		Token string `json:"token"`
	}
	if err := json.Unmarshal(made, &token); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(o.tokenFile(), []byte(token.Token), 0o600); err != nil {
		t.Fatal(err)
	}
	o.start()
	t.Cleanup(func() {
		o.kill()
		if t.Failed() || *logs {
			t.Logf("log of outpost %s:\n%s", outpostName, o.log.String())
		}
	})
	o.awaitConnected(c)
	return o
}

func (o *outpost) tokenFile() string { return filepath.Join(o.home, "token") }

// command returns a command that runs on the outpost.
func (o *outpost) command(args ...string) *exec.Cmd {
	cmd := exec.Command(o.bullpen, args...)
	cmd.Env = []string{"HOME=" + o.home, "PATH=" + os.Getenv("PATH")}
	return cmd
}

func (o *outpost) start() {
	o.t.Helper()
	o.process = o.command("join", "http://"+o.link.addr(), "--token-file", o.tokenFile())
	o.process.Stdout, o.process.Stderr = &o.log, &o.log
	if err := o.process.Start(); err != nil {
		o.t.Fatal(err)
	}
}

func (o *outpost) kill() {
	_ = o.process.Process.Signal(syscall.SIGKILL)
	_ = o.process.Wait() // Wait returns an error for a killed process
}

// awaitConnected waits until the outpost's process has joined, and all nodes show it as connected.
func (o *outpost) awaitConnected(c *cluster) {
	o.t.Helper()
	until(o.t, "the outpost has joined", func() (bool, string) {
		in, err := instance.Read(filepath.Join(o.home, ".bullpen"))
		if err != nil || in.PID != o.process.Process.Pid {
			return false, fmt.Sprint(in, err)
		}
		local := client.New(client.Config{URL: in.Local})
		defer local.Close()
		err = local.Get(o.t.Context(), "/readyz", nil)
		return err == nil, fmt.Sprint(err)
	})
	until(o.t, "all nodes show the outpost as connected", func() (bool, string) {
		for _, n := range c.nodes {
			r, err := n.ready(o.t.Context())
			if err != nil || len(r.Outposts) != 1 || r.Outposts[0].State != contracts.OutpostLinkUp {
				return false, fmt.Sprint(n.name, r.Outposts, err)
			}
		}
		return true, ""
	})
}

const (
	outpostSession = "5d1f6a52-0f8e-4c5a-9a57-0d6f6f0f2f11"
	outpostFolder  = "/src/shop"
)

// hook runs the command that Claude Code runs for each hook.
func (o *outpost) hook(event, turn, rest string) error {
	cmd := o.command("hook", "claude")
	cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"session_id":%q,"cwd":%q,"hook_event_name":%q,"prompt_id":%q%s}`, outpostSession, outpostFolder, event, turn, rest))
	out, err := cmd.CombinedOutput()
	if err == nil && len(out) > 0 {
		err = errors.New("it printed " + string(out))
	}
	if err != nil {
		return fmt.Errorf("hook %s of %s: %w", event, turn, err)
	}
	return nil
}

// work has the outpost's agent run turns, with one tool call each, until the load ends.
func (l *load) work(t *testing.T, o *outpost) {
	send := func(event, turn, rest string) {
		if err := o.hook(event, turn, rest); err != nil {
			t.Error(err)
		}
	}
	for i := 0; l.pause(200 * time.Millisecond); i++ {
		turn := fmt.Sprintf("turn-%d", i)
		call := fmt.Sprintf(`,"tool_name":"Bash","tool_use_id":"call-%d","tool_input":{"command":"make"}`, i)
		send("UserPromptSubmit", turn, `,"prompt":"Build it"`)
		send("PreToolUse", turn, call)
		send("PostToolUse", turn, call+`,"tool_response":{"stdout":"ok"}`)
		send("Stop", turn, "")
		l.mu.Lock()
		l.worked++
		l.mu.Unlock()
	}
}

// outpost returns the activity records of the outpost's agent, and a line about each, in order.
func (h *history) outpost() (list []string, recs []contracts.Record) {
	for i := range h.recs {
		head, ok := h.recs[i].Head()
		if ok && strings.HasSuffix(head.Session, outpostSession) && head.Event != contracts.HUDReceived {
			list = append(list, fmt.Sprintf("%s %s", head.Event, head.CorrelationID))
			recs = append(recs, h.recs[i])
		}
	}
	return list, recs
}

func turnEnd(i int) string { return fmt.Sprintf("turn_end turn-%d", i) }

// outpostOnce checks that each hook of the outpost's agent is recorded exactly once, in the order
// in which the agent ran them.
func (h *history) outpostOnce(turns int) {
	h.t.Helper()
	var want []string
	for i := range turns {
		want = append(want, fmt.Sprintf("turn_start turn-%d", i), fmt.Sprintf("tool_start call-%d", i), fmt.Sprintf("tool_end call-%d", i), turnEnd(i))
	}
	got, recs := h.outpost()
	h.t.Logf("%d turns of the outpost's agent", turns)
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i] != got[i] {
			h.t.Errorf("the outpost's agent did\n%s\nand the ledger has\n%s", around(want, i), around(got, i))
			for _, r := range recs[max(i-3, 0):min(i+5, len(recs))] {
				h.t.Logf("record %d at %d: %s", r.Seq, r.TS, r.Body)
			}
			return
		}
	}
}

// around returns the entries of a list near an index.
func around(list []string, i int) string {
	from, to := min(max(i-3, 0), len(list)), min(i+5, len(list))
	return fmt.Sprintf("from %d of %d: %q", from, len(list), list[from:to])
}

// outpostIdle checks that all nodes show the outpost's agent as idle, in its folder.
func outpostIdle(t *testing.T, c *cluster) {
	t.Helper()
	until(t, "all nodes show the outpost's agent as idle", func() (bool, string) {
		for _, n := range c.nodes {
			shown := map[string]any{}
			for _, a := range state(t, n)["agents"].([]any) {
				if agent := a.(map[string]any); agent["outpost"] == outpostName {
					shown = agent
				}
			}
			if shown["activity"] != string(contracts.ActivityIdle) || shown["place"] != outpostName+":"+outpostFolder {
				return false, fmt.Sprint(n.name, " shows ", shown)
			}
		}
		return true, ""
	})
}
