package bridge_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// A turn remembered for retries does not keep the caller's images.
func TestRememberedTurnsAreSmall(t *testing.T) {
	const size, turns = 1 << 20, contracts.LimitBridgeRecent
	r, _ := newMemoryRig(t, drive.Capabilities{Images: true})
	image := base64.StdEncoding.EncodeToString(make([]byte, size))
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	for i := range turns {
		body := fmt.Sprintf(`{"model":"bullpen/dev","user":"me","messages":[{"role":"user","content":[{"type":"text","text":"%d"},{"type":"image_url","image_url":{"url":"data:image/png;base64,%s"}}]}]}`, i, image)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url+"/v1/chat/completions", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Idempotency-Key", fmt.Sprint(i))
		resp, err := r.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		if resp.Body.Close(); resp.StatusCode != http.StatusOK {
			t.Fatal(resp.Status)
		}
	}
	if grown := heap() - before; grown > size*turns/2 {
		t.Errorf("%d bytes are kept of %d", grown, size*turns)
	}
}

// usable asserts that a session answers its next question.
func (r *rig) usable(a *agent) {
	r.t.Helper()
	c := r.call(hello)
	in := a.must("inbound")
	a.say(fmt.Sprintf(`{"type":"reply","content":"fine","message_id":%q}`, in["meta"].(map[string]any)["message_id"]))
	if got := c.rest(); !strings.Contains(got, `"content":"fine"`) || !strings.HasSuffix(strings.TrimSpace(got), "data: [DONE]") {
		r.t.Errorf("the session is no longer usable: %s", got)
	}
}

// failed asserts that a stream ended with this error and [DONE].
func (c *caller) failed(code string) {
	c.t.Helper()
	if got := c.rest(); !strings.Contains(got, `"code":"`+code+`"`) || !strings.HasSuffix(strings.TrimSpace(got), "data: [DONE]") {
		c.t.Errorf("the stream ended with %s", got)
	}
}

// A body of ten megabytes is rejected, and so is a message that fits into a body but not into a
// turn.
func TestHugePromptsAreRejected(t *testing.T) {
	inTime(t, config{}, func(t *testing.T, r *rig) {
		a := r.peer("dev::default")
		for size, status := range map[int]int{10 << 20: http.StatusRequestEntityTooLarge, contracts.LimitPrompt + 1: http.StatusBadRequest} {
			got := r.call(`{"model":"dev","user":"default","stream":true,"messages":[{"role":"user","content":"` + strings.Repeat("x", size) + `"}]}`)
			if body := got.rest(); got.resp.StatusCode != status || !strings.Contains(body, `"type":"invalid_request_error"`) {
				t.Errorf("%d bytes: %d %.200s", size, got.resp.StatusCode, body)
			}
		}
		c := r.call(`{"model":"dev","user":"default","stream":true,"messages":[{"role":"user","content":"` + strings.Repeat("x", contracts.LimitPrompt) + `"}]}`)
		if in := a.must("inbound"); len(in["content"].(string)) != contracts.LimitPrompt {
			t.Error("the longest prompt was cut")
		}
		a.say(`{"type":"reply","content":"read"}`)
		if c.content() != "read" {
			t.Error("the longest prompt was not answered")
		}
		r.usable(a)
	})
}

// Peers that are silent or stop halfway are abandoned after the turn timeout; callers keep the text
// that they received.
func TestStalledPeerIsAbandoned(t *testing.T) {
	inTime(t, config{Ping: 24 * time.Hour}, func(t *testing.T, r *rig) {
		a := r.peer("dev::default")
		c := r.call(hello)
		began := time.Now()
		first := a.must("inbound")["meta"].(map[string]any)["message_id"]
		c.failed("agent_error")
		if took := time.Since(began); took != contracts.BridgeTurnTimeout {
			t.Errorf("abandoned after %v", took)
		}
		if a.must("cancel")["message_id"] != first {
			t.Error("another turn was cancelled")
		}
		c = r.call(hello)
		second := a.must("inbound")["meta"].(map[string]any)["message_id"]
		a.say(fmt.Sprintf(`{"type":"reply","content":"We","final":false,"message_id":%q}`, second))
		if got := c.content(); got != "We" {
			t.Errorf("%q", got)
		}
		c.failed("agent_error")
		a.must("cancel")
		r.usable(a)
	})
}

// If two processes claim one session, the newer process gets it. The older process's turn ends with
// an error, and its connection is closed with the reason.
func TestNewerProcessTakesTheSession(t *testing.T) {
	r := newRig(t, config{})
	a := r.peer("dev::default")
	c := r.call(hello)
	a.must("inbound")
	b := r.peerOf("dev::default", "c2")
	c.failed("agent_disconnected")
	if code := a.closedWith(); code != contracts.CloseReplaced {
		t.Errorf("the older was closed with %d", code)
	}
	r.usable(b)
}

// A second hello keeps the connection. If it names another session, that session replaces the
// first.
func TestSecondHelloKeepsItsConnection(t *testing.T) {
	r := newRig(t, config{})
	a := r.peer("dev::default")
	a.say(`{"type":"hello","openclaw_session":"dev::default","claude_session":"c1"}`)
	a.must("hello_ack")
	r.usable(a)
	a.say(`{"type":"hello","openclaw_session":"other::default","claude_session":"c1"}`)
	a.must("hello_ack")
	if got := r.call(hello); got.resp.StatusCode != http.StatusNotFound {
		t.Errorf("the released session answers %d", got.resp.StatusCode)
	}
	c := r.call(strings.Replace(hello, "bullpen/dev", "other", 1))
	a.must("inbound")
	a.say(`{"type":"reply","content":"here"}`)
	if c.content() != "here" {
		t.Error("the new session is not routed")
	}
}

// Replies without a turn, and replies after the final reply, are refused individually and reach no
// caller.
func TestRepliesWithoutATurnAreRefused(t *testing.T) {
	r := newRig(t, config{})
	a := r.peer("dev::default")
	a.say(`{"type":"reply","content":"for nobody"}`)
	if code := a.must("error")["code"]; code != string(contracts.CodeConflict) {
		t.Errorf("%v", code)
	}
	c := r.call(hello)
	a.must("inbound")
	a.say(`{"type":"reply","content":"final","final":true}`)
	a.say(`{"type":"reply","content":"and more","final":true}`)
	a.must("error")
	if got := c.rest(); strings.Contains(got, "more") || strings.Contains(got, "nobody") || !strings.Contains(got, "final") {
		t.Errorf("%s", got)
	}
	r.usable(a)
}

// A peer that sends too many frames during a turn is disconnected, and its turn ends; the peer may
// reconnect.
func TestFloodEndsTheTurn(t *testing.T) {
	inTime(t, config{}, func(t *testing.T, r *rig) {
		a := r.peer("dev::default")
		c := r.call(hello)
		a.must("inbound")
		go a.flood(ws.NewTextFrame([]byte(`{"type":"reply","content":"x","final":false}`)))
		if code := a.closedWith(); code != contracts.CloseViolations {
			t.Errorf("closed with %d", code)
		}
		a = r.peer("dev::default")
		c.failed("agent_disconnected")
		r.usable(a)
	})
}

// An endless answer is cut off at the limit.
func TestEndlessAnswerIsCutOff(t *testing.T) {
	r := newRig(t, config{})
	a := r.peer("dev::default")
	c := r.call(hello)
	a.must("inbound")
	piece := fmt.Sprintf(`{"type":"reply","content":%q,"final":false}`, strings.Repeat("x", contracts.LimitFrame/2))
	for range contracts.LimitReply/(contracts.LimitFrame/2) + 1 {
		a.say(piece)
	}
	c.failed("agent_error")
	a.must("error")
	r.usable(a)
}

// broken is an office program that fails in every way that a driver can fail.
type broken struct{ turns int }

func (b *broken) Open(context.Context, drive.Spec) (drive.Session, error) {
	b.turns++
	switch b.turns {
	case 1:
		return nil, errors.New("it cannot be started: no such program")
	case 2:
		return nil, drive.ErrUnreachable
	}
	return b, nil
}
func (b *broken) ID() string   { return "" }
func (b *broken) Close() error { return errors.New("close failed") }
func (b *broken) Turn(_ context.Context, _ drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	switch b.turns {
	case 3:
		sink.Delta("token", "We")
		return drive.Answer{}, drive.ErrGone // the next turn opens the program again
	case 4:
		b.turns++
		panic("a driver bug")
	}
	return drive.Answer{Text: "at last"}, nil
}

// If a program cannot be started, is not connected, disconnects or panics, the turn ends with an
// error and the next turn tries again.
func TestTurnAfterADriverFailureTriesAgain(t *testing.T) {
	d := &broken{}
	r := newRig(t, config{Program: program(d, "dev")})
	for _, code := range []string{"agent_error", "agent_unavailable", "agent_disconnected", "agent_error"} {
		r.call(hello).failed(code)
	}
	if got := r.call(hello).rest(); !strings.Contains(got, "at last") {
		t.Errorf("%s", got)
	}
}

// A disallowed workspace is rejected before anything is started; the error names the header.
func TestWorkspaceOutsideTheRoots(t *testing.T) {
	d := &broken{turns: 4}
	confine := func(dir string) (root, path string, err error) {
		if dir != "/home/dev" {
			return "", "", fmt.Errorf("%q is outside bridge.roots", dir)
		}
		return "/home", dir, nil
	}
	driver := program(d)
	for _, cfg := range []config{{Program: driver, Confine: confine}, {Program: driver}} {
		r := newRig(t, cfg)
		got := r.call(hello, "X-Openclaw-Workspace", "/etc")
		if body := got.rest(); got.resp.StatusCode != http.StatusBadRequest || !strings.Contains(body, `"param":"X-Openclaw-Workspace"`) {
			t.Errorf("%d %s", got.resp.StatusCode, body)
		}
		if n := r.notes.all(); len(n) != 0 {
			t.Errorf("a turn was started: %q", n)
		}
		if got := r.call(hello).rest(); !strings.Contains(got, "at last") {
			t.Errorf("the session is no longer usable: %s", got)
		}
	}
	r := newRig(t, config{Program: driver, Confine: confine})
	if got := r.call(hello, "X-Openclaw-Workspace", "/home/dev").rest(); !strings.Contains(got, "at last") {
		t.Errorf("a workspace inside the roots: %s", got)
	}
}

// Connections with invalid WebSocket frames are closed with the right code. Pings count towards the
// limit on frames.
func TestInvalidFramesAreClosed(t *testing.T) {
	inTime(t, config{}, func(t *testing.T, r *rig) {
		for name, c := range map[string]struct {
			raw  []byte
			code contracts.CloseCode
		}{
			"unmasked":    {[]byte{0x81, 0x00}, contracts.CloseFraming},
			"reserved":    {[]byte{0xf1, 0x80, 1, 2, 3, 4}, contracts.CloseFraming},
			"no such op":  {[]byte{0x83, 0x80, 1, 2, 3, 4}, contracts.CloseFraming},
			"out of line": {[]byte{0x80, 0x80, 1, 2, 3, 4}, contracts.CloseFraming},
			"endless":     {[]byte{0x81, 0xff, 0, 0, 1, 0, 0, 0, 0, 0, 1, 2, 3, 4}, contracts.CloseTooBig},
		} {
			a := r.peer("dev::default")
			go a.conn.Write(c.raw)
			if code := a.closedWith(); code != c.code {
				t.Errorf("%s: closed with %d", name, code)
			}
		}
		a := r.peer("dev::default")
		go a.flood(ws.NewPingFrame(nil))
		if code := a.closedWith(); code != contracts.CloseViolations {
			t.Errorf("closed with %d", code)
		}
	})
}

// The number of permission requests that are waiting for a person is limited.
func TestPermissionsHaveALimit(t *testing.T) {
	r := newRig(t, config{})
	a := r.peer("dev::default")
	c := r.call(hello)
	a.must("inbound")
	for i := range contracts.LimitPeerAsks + 1 {
		a.say(fmt.Sprintf(`{"type":"permission_request","request_id":"r%d","tool_name":"Bash"}`, i))
	}
	if refusal := a.must("error"); refusal["code"] != string(contracts.CodeRateLimited) {
		t.Errorf("%v", refusal)
	}
	close(r.notes.decided)
	for range contracts.LimitPeerAsks {
		a.must("permission")
	}
	a.say(`{"type":"reply","content":"done"}`)
	if got := c.content(); got != "done" {
		t.Errorf("%q", got)
	}
}
