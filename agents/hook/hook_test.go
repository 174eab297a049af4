//go:build unix

package hook

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// send runs one hook over the socket.
func send(t *testing.T, c Config, in io.Reader, out io.Writer) {
	t.Helper()
	post, ok := Socket(c.URL)
	if !ok {
		t.Fatalf("no socket for %s", c.URL)
	}
	Run(c, post, in, out)
}

// frozen returns the address of an office that accepts connections and never answers, like a
// stopped process.
func frozen(t *testing.T) (url string) {
	release := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { close(release); srv.Close() })
	return srv.URL
}

func spooledIn(t *testing.T, data string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(data, "spool", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

// A frozen office is tried once; later hooks are stored without contacting it. After the pause, the
// office is tried again.
func TestFrozenOfficeIsTriedOnce(t *testing.T) {
	url := frozen(t)
	data := t.TempDir()
	c := Config{Name: "claude", Data: data, URL: url, Timeout: 20 * time.Millisecond}
	socket, ok := Socket(url)
	if !ok {
		t.Fatalf("no socket for %s", url)
	}
	tried := 0
	post := func(c Config, base string, body []byte) ([]byte, bool, bool) {
		tried++
		return socket(c, base, body)
	}
	for range 6 {
		Run(c, post, strings.NewReader(`{"hook_event_name":"PreToolUse"}`), io.Discard)
	}
	if tried != 1 {
		t.Errorf("the frozen office was tried %d times, want 1", tried)
	}
	if n := spooledIn(t, data); n != 6 {
		t.Errorf("%d hooks are stored, want 6", n)
	}
	past := time.Now().Add(-BreakerPause)
	if err := os.Chtimes(filepath.Join(data, "spool", ".breaker"), past, past); err != nil {
		t.Fatal(err)
	}
	Run(c, post, strings.NewReader(`{"hook_event_name":"Stop"}`), io.Discard)
	if tried != 2 {
		t.Errorf("after the pause it was tried %d times in all, want 2", tried)
	}
}

// After the pause, hooks are sent to an office that has started answering again, and none is
// stored.
func TestBreakerCloses(t *testing.T) {
	calls := 0
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls++ }))
	defer srv.Close()
	data := t.TempDir()
	b := newBreaker(data, srv.URL)
	b.trip()
	past := time.Now().Add(-BreakerPause)
	if err := os.Chtimes(b.path, past, past); err != nil {
		t.Fatal(err)
	}
	c := Config{Name: "claude", Data: data, URL: srv.URL, Timeout: time.Minute}
	for range 3 {
		send(t, c, strings.NewReader(`{}`), io.Discard)
	}
	if calls != 3 || spooledIn(t, data) != 0 {
		t.Errorf("%d calls, %d stored; want 3 and 0", calls, spooledIn(t, data))
	}
}

// One office's breaker does not affect another office, and a clock that was set back does not keep
// a breaker open.
func TestBreakerAllows(t *testing.T) {
	data, now := t.TempDir(), time.Now()
	b := newBreaker(data, "http://a")
	b.trip()
	for name, tt := range map[string]struct {
		b    breaker
		at   time.Time
		want bool
	}{
		"open":            {b, now, false},
		"another office":  {newBreaker(data, "http://b"), now, true},
		"clock set back":  {b, now.Add(-time.Hour), true},
		"after the pause": {b, now.Add(BreakerPause + time.Second), true},
	} {
		b.trip()
		if err := os.Chtimes(b.path, now, now); err != nil {
			t.Fatal(err)
		}
		if got := tt.b.allow(tt.at); got != tt.want {
			t.Errorf("%s: allow = %v, want %v", name, got, tt.want)
		}
	}
}

// A hook does not time out while the office is waiting for a person, and the answer is printed.
func TestHeartbeatKeepsTheHookWaiting(t *testing.T) {
	const answer = `{"hookSpecificOutput":{"hookEventName":"PermissionRequest"}}`
	timeout := 50 * time.Millisecond
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(HeartbeatHeader) == "" {
			t.Error("the hook does not ask for a heartbeat")
		}
		w.WriteHeader(http.StatusProcessing)
		time.Sleep(4 * timeout)
		_, _ = io.WriteString(w, answer)
	}))
	defer srv.Close()
	var out bytes.Buffer
	data := t.TempDir()
	send(t, Config{Name: "claude", Data: data, URL: srv.URL, Timeout: timeout}, strings.NewReader(`{"hook_event_name":"PermissionRequest"}`), &out)
	if spooledIn(t, data) != 0 || out.String() != answer {
		t.Errorf("printed %q, %d stored", out.String(), spooledIn(t, data))
	}
}

// A permission request that a frozen office does not accept is left to the terminal: nothing is
// printed or stored, because a late answer would be useless.
func TestFrozenOfficeLeavesPermissionsToTheTerminal(t *testing.T) {
	url := frozen(t)
	data := t.TempDir()
	var out bytes.Buffer
	send(t, Config{Name: "claude", Data: data, URL: url, Timeout: 20 * time.Millisecond}, strings.NewReader(`{"hook_event_name":"PermissionRequest"}`), &out)
	if out.Len() > 0 || spooledIn(t, data) != 0 {
		t.Errorf("printed %q, %d stored", out.String(), spooledIn(t, data))
	}
}

// The answer arrives complete, whatever framing the office uses.
func TestSocketReadsEveryFraming(t *testing.T) {
	answer := `"` + strings.Repeat("x", 100<<10) + `"`
	for name, serve := range map[string]http.HandlerFunc{
		"length": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
			_, _ = io.WriteString(w, answer)
		},
		"chunked": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) },
	} {
		srv := httptest.NewServer(serve)
		var out bytes.Buffer
		send(t, Config{Name: "claude", Data: t.TempDir(), URL: srv.URL, Timeout: time.Minute}, strings.NewReader(`{}`), &out)
		srv.Close()
		if out.String() != answer {
			t.Errorf("%s: %d bytes of %d arrived", name, out.Len(), len(answer))
		}
	}
}

// After an invalid response or an error status, a hook prints nothing, and is stored if it can be
// sent again.
func TestSocketSurvivesInvalidResponses(t *testing.T) {
	for name, tt := range map[string]struct {
		says string
		kept int
	}{
		"not HTTP":        {"SSH-2.0-OpenSSH_9.2\r\n", 1},
		"nothing":         {"", 1},
		"cut in the head": {"HTTP/1.1 200 OK\r\nContent-", 1},
		"bad length":      {"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", 1},
		"endless headers": {"HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", 2*limitHeaders), 1},
		"bad chunk":       {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 0},
		"huge chunk":      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n", 0},
		"refusal":         {"HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\n{}", 0},
		"busy":            {"HTTP/1.1 503 Busy\r\nContent-Length: 2\r\n\r\n{}", 1},
		"not JSON":        {"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\noops", 0},
	} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			_, _ = http.ReadRequest(bufio.NewReader(conn))
			_, _ = io.WriteString(conn, tt.says)
			_ = conn.Close()
		}()
		data := t.TempDir()
		var out bytes.Buffer
		send(t, Config{Name: "claude", Data: data, URL: "http://" + ln.Addr().String(), Timeout: time.Minute}, strings.NewReader(`{"hook_event_name":"Stop"}`), &out)
		_ = ln.Close()
		if out.Len() > 0 || spooledIn(t, data) != tt.kept {
			t.Errorf("%s: printed %q, %d stored, want %d", name, out.String(), spooledIn(t, data), tt.kept)
		}
	}
}

// A token cannot inject a header, and Socket rejects addresses that it does not support.
func TestTokenCannotInjectAHeader(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secretX-Evil: 1" || r.Header.Get("X-Evil") != "" {
			t.Errorf("headers %v", r.Header)
		}
	}))
	defer srv.Close()
	send(t, Config{Name: "claude", Data: t.TempDir(), URL: srv.URL, Token: "secret\r\nX-Evil: 1", Timeout: time.Minute}, strings.NewReader(`{}`), io.Discard)
	for _, base := range []string{"https://127.0.0.1:1", "http://office.example:80", "http://127.0.0.1", "http://127.0.0.1:1/path", ""} {
		if _, ok := Socket(base); ok {
			t.Errorf("%q was accepted", base)
		}
	}
	if _, ok := Socket("http://[::1]:4777"); !ok {
		t.Error("IPv6 was not accepted")
	}
}

func TestFromProcess(t *testing.T) {
	t.Setenv("BULLPEN_DATA_DIR", "/env")
	t.Setenv("BULLPEN_HOOK_TIMEOUT", "nonsense")
	for name, tt := range map[string]struct {
		args    []string
		data    string
		timeout time.Duration
	}{
		"environment":   {nil, "/env", 0},
		"flags":         {[]string{"--data", "/d", "--timeout=3s"}, "/d", 3 * time.Second},
		"unknown flags": {[]string{"--later", "x", "--data=/d"}, "/d", 0},
		"no value":      {[]string{"--timeout", "soon"}, "/env", 0},
	} {
		if c, ok := FromProcess("claude", tt.args); !ok || c.Data != tt.data || c.Timeout != tt.timeout {
			t.Errorf("%s: %+v, %v", name, c, ok)
		}
	}
}

// An endless response is abandoned, and the hook is stored.
func TestEndlessResponseIsAbandoned(t *testing.T) {
	for name, text := range map[string]string{"line": "x", "heartbeats": "HTTP/1.1 102 Processing\r\n\r\n"} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		served := make(chan struct{})
		go func() {
			defer close(served)
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			for block := []byte(strings.Repeat(text, 1024)); err == nil; _, err = conn.Write(block) {
			}
		}()
		data := t.TempDir()
		send(t, Config{Name: "claude", Data: data, URL: "http://" + listener.Addr().String(), Timeout: time.Minute}, strings.NewReader(`{}`), io.Discard)
		listener.Close()
		<-served
		if n := spooledIn(t, data); n != 1 {
			t.Errorf("%s: %d hooks are stored, want 1", name, n)
		}
	}
}

// The limits that hooks and the office share have the same values in both packages.
func TestLimitsAgreeWithTheOffice(t *testing.T) {
	if LimitBody != contracts.LimitHookBody || AnswerWait != contracts.PermissionWait || DefaultTimeout <= contracts.HookAnswer {
		t.Error("the hook's limits and the office's differ")
	}
}

// Another vendor's hooks go to their own endpoint and have their own spool.
func TestHooksOfAnotherVendorHaveTheirOwnSpool(t *testing.T) {
	asked := make(chan string, 1)
	office := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.URL.Path }))
	defer office.Close()
	data := t.TempDir()
	send(t, Config{Name: "toy", Data: data, URL: office.URL, Timeout: time.Minute}, strings.NewReader(`{}`), io.Discard)
	if path := <-asked; path != "/hooks/toy" {
		t.Errorf("the hook went to %s", path)
	}
	office.Close()
	send(t, Config{Name: "toy", Data: data, URL: office.URL}, strings.NewReader(`{}`), io.Discard)
	if n := spooledIn(t, data); n != 0 {
		t.Errorf("%d hooks are spooled for Claude Code", n)
	}
	if list, err := SpoolOf(data, "toy").list(); err != nil || len(list) != 1 {
		t.Errorf("%d spooled, %v", len(list), err)
	}
}
