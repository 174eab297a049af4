package e2e_test

import (
	"bufio"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/drive/drivetest"
)

var officeLine = regexp.MustCompile(`Office\s+http://(\S+)`)

// bullpenProgram builds bullpen once, and returns its path.
var bullpenProgram = sync.OnceValues(func() (string, error) {
	path, err := filepath.Abs("../.cache/e2e/bullpen")
	if err != nil {
		return "", err
	}
	if out, err := exec.Command("go", "build", "-o", path, "../cmd/bullpen").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// startBullpen starts bullpen and returns it once its address is known.
func startBullpen(t *testing.T, dir string, env []string, args ...string) *child {
	t.Helper()
	program, err := bullpenProgram()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, append([]string{"serve", "--addr", "127.0.0.1:0", "--data", dir, "--claude-dir", "off"}, args...)...)
	cmd.Env = append(append(os.Environ(), "HOME="+dir), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: cmd}
	lines := bufio.NewScanner(out)
	for c.addr == "" && lines.Scan() {
		if m := officeLine.FindStringSubmatch(lines.Text()); m != nil {
			c.addr = strings.TrimSuffix(m[1], "/")
		}
	}
	if c.addr == "" {
		t.Fatal("the office did not print its address")
	}
	return c
}

// The first minute works with a model that is configured only through the environment, even with a kill
// -9 during an answer: the turn is resumed, every acknowledged command takes effect once, and nothing
// is marked as a rehearsal.
func TestFirstMinuteOnAModel(t *testing.T) {
	m := &drivetest.Completions{Key: "sk-test", Pause: 10 * time.Millisecond}
	endpoint := httptest.NewServer(m)
	defer endpoint.Close()
	dir := t.TempDir()
	env := []string{"OPENAI_BASE_URL=" + endpoint.URL + "/v1", "OPENAI_API_KEY=sk-test", "BULLPEN_MODEL=model-a"}
	args := []string{"--crew", "openai", "--pace", "60"}

	c := startBullpen(t, dir, env, args...)
	p := newPerson("modeller")
	if _, err := p.arrive(c.addr); err != nil {
		t.Fatal(err)
	}
	if err := p.give("submit_request", message{"text": request}); err != nil {
		t.Fatal(err)
	}
	bombed := make(chan struct{})
	go func() { // while the model answers the first tasks
		defer close(bombed)
		for end := time.Now().Add(testTimeout); len(m.Calls()) < 3 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		}
		_ = c.cmd.Process.Kill()
	}()
	err := p.watch()
	<-bombed
	p.v.close()
	c.kill()
	if err == nil || !errors.Is(err, errCut) {
		t.Fatalf("before the kill: %v", err)
	}
	before := len(m.Calls())

	c = startBullpen(t, dir, env, args...)
	defer c.kill()
	ack, err := p.arrive(c.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer p.v.close()
	if got := ack.at("payload.resume.reason"); got != "CURSOR_OK" {
		t.Errorf("resume %v", ack.at("payload.resume"))
	}
	if err := p.watch(); err != nil {
		t.Fatal(err)
	}
	if after := len(m.Calls()); !p.trophy || after <= before {
		t.Errorf("trophy %v, %d calls before the kill, %d in all", p.trophy, before, after)
	}
	state := get(t, c.addr, "/v1/state")
	artifacts, _ := state["artifacts"].([]any)
	for _, a := range artifacts {
		row := message(a.(map[string]any))
		if text := content(t, c.addr, row.str("artifact_id")); row["rehearsal"] != nil || strings.Contains(strings.ToLower(text), "rehearsal") || !strings.Contains(text, "note app") {
			t.Errorf("%s: %.120q", row.str("title"), text)
		}
	}
	usage := get(t, c.addr, "/v1/usage")
	if cost, priced := usage.at("lifetime.cost_usd"), usage.at("lifetime.priced"); len(artifacts) < 4 || cost != nil || priced != 0.0 || usage.at("lifetime.tokens_in").(float64) < 5000 {
		t.Errorf("%d artifacts, usage %v", len(artifacts), usage["lifetime"])
	}
	p.v.close()
	_ = c.cmd.Process.Signal(os.Interrupt)
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("the program ended with %v", err)
	}
	verify(t, p, filepath.Join(dir, "ledger.db"))
}
