//go:build linux || darwin

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/process"
)

// recorder is a fake office that only receives events.
type recorder struct {
	*httptest.Server
	mu       sync.Mutex
	received []report
}

func newRecorder(t *testing.T) *recorder {
	e := &recorder{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var batch []report
		if err := json.Unmarshal(body, &batch); err != nil {
			t.Error(err)
		}
		e.mu.Lock()
		e.received = append(e.received, batch...)
		e.mu.Unlock()
		_, _ = w.Write([]byte(`{"results":[]}`))
	}))
	t.Cleanup(func() { e.CloseClientConnections(); e.Close() })
	return e
}

func (e *recorder) names() (names []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range e.received {
		names = append(names, r.Name)
	}
	return names
}

// program returns a command that runs bullpen in its own session, so that the terminal of the test
// run has no effect. This test binary acts as bullpen when it is called by that name (see
// TestMain).
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("bullpen", args...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "GORACE=atexit_sleep_ms=0", "BULLPEN_FLUSH="+testTimeout.String())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// Every signal is forwarded to the command.
func TestExecForwardsSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1} {
		if signal.Ignored(sig) { // as with nohup: a shell started here cannot trap it
			continue
		}
		office := newRecorder(t)
		cmd := program(t, "exec", "--url", office.URL, "--", "sh", "-c", fmt.Sprintf(`trap "echo caught; exit 9" %d; echo ready; while :; do sleep 0.02; done`, sig))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ready := make([]byte, len("ready\n"))
		if _, err := io.ReadFull(out, ready); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Process.Signal(sig)
		rest, _ := io.ReadAll(out)
		if code := codeOf(cmd.Wait()); code != 9 || string(rest) != "caught\n" {
			t.Errorf("%v: code %d, output %q", sig, code, rest)
		}
		if got := office.names(); len(got) != 3 || got[1] != "abstract.tool_result" {
			t.Errorf("%v: the office received %v", sig, got)
		}
	}
}

// For a command killed by a signal, exec returns the exit code that shells use.
func TestExecEndedBySignal(t *testing.T) {
	cmd := program(t, "exec", "--", "sh", "-c", "kill -TERM $$")
	if code := codeOf(cmd.Run()); code != 128+int(syscall.SIGTERM) {
		t.Errorf("code %d", code)
	}
}

// An office that does not respond delays the exit only briefly; an unreachable office does not
// delay it at all.
func TestExecDoesNotWaitForTheOffice(t *testing.T) {
	office := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer office.Close()
	for _, url := range []string{office.URL, "http://127.0.0.1:1"} {
		out, err := program(t, "exec", "--url", url, "--flush", "10ms", "--", "echo", "done").Output()
		if err != nil || string(out) != "done\n" {
			t.Errorf("%s: %q %v", url, out, err)
		}
	}
}

// A slow reader receives all output, even after the command has exited, and even if the command left
// processes behind.
func TestExecLosesNoOutput(t *testing.T) {
	const size = 100_000 // more than the buffer of one pipe, less than two
	cmd := program(t, "exec", "--", "sh", "-c", fmt.Sprintf(`head -c %d /dev/zero; sleep 600 & echo $! >&2; exit 4`, size))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	left, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscan(left, &pid); err != nil { // the command is about to exit
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
	time.Sleep(2 * contracts.ExecDrain) // the reader must be slower than any drain timeout
	n, err := io.Copy(io.Discard, out)
	if err != nil || n != size {
		t.Errorf("%d bytes of %d arrived: %v", n, size, err)
	}
	if code := codeOf(cmd.Wait()); code != 4 {
		t.Errorf("code %d", code)
	}
}

// Output is passed through unchanged, and markers are found however the output is split.
func TestOutputPassesThroughUnchanged(t *testing.T) {
	text := "one\n::abstract.status::two\r\n::abstract.message::{\"text\":\"x\"}\n ::abstract.no::\n::abstract::no\n::abstractcode.status::old\n::abstract.status::last"
	long := "::abstract.status::" + strings.Repeat("y", contracts.LimitMarkerLine) + "\n" + text
	for _, size := range []int{1, 2, 3, 7, 64, 1 << 20} {
		var out bytes.Buffer
		var found []string
		tp := &tap{to: &out, tail: &process.Tail{Limit: 64}, mark: func(name, payload string) { found = append(found, name+"="+payload) }}
		for rest := []byte(long); len(rest) > 0; {
			n := min(size, len(rest))
			if _, err := tp.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		tp.end()
		if out.String() != long {
			t.Fatalf("in parts of %d the output is changed", size)
		}
		want := `abstract.status=two abstract.message={"text":"x"} abstractcode.status=old abstract.status=last`
		if got := strings.Join(found, " "); got != want {
			t.Errorf("in parts of %d: events %s", size, got)
		}
		if got := lastOutput(tp.tail); !strings.HasPrefix(got, "…\n") || !strings.HasSuffix(got, "::last") || len(got) > 64+4 {
			t.Errorf("in parts of %d the end is %q", size, got)
		}
	}
}

// Reporting never blocks: events that do not fit are counted, and the final event always fits.
func TestReporterIsBounded(t *testing.T) {
	r := newReporter(testTimeout, func() (*client, error) { return nil, errors.New("not running") })
	r.start()
	for range contracts.LimitExecQueue + 10 {
		r.enqueue(report{})
	}
	r.enqueueFinal(report{Name: "end"})
	if lost := r.close(); !strings.Contains(lost, fmt.Sprint(contracts.LimitExecQueue+11)) {
		t.Errorf("it says %q", lost)
	}
	if n := len(r.queue); n != contracts.LimitExecQueue+1 || r.queue[n-1].Name != "end" {
		t.Errorf("%d events are queued", n)
	}
}
