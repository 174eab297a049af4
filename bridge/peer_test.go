package bridge_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
)

// closedWith reads until the connection ends and returns the close code, or 0 if there was none.
func (a *agent) closedWith() contracts.CloseCode {
	a.t.Helper()
	for {
		_, err := a.receive()
		var closed wsutil.ClosedError
		switch {
		case err == nil:
		case errors.As(err, &closed):
			return contracts.CloseCode(closed.Code)
		case errors.Is(err, os.ErrDeadlineExceeded):
			a.t.Fatal("the connection was not closed")
		default:
			return 0
		}
	}
}

// B7: claiming a session requires a token, and a bound token claims only sessions of its agent.
func TestSocketNeedsAToken(t *testing.T) {
	r := newRig(t, config{})
	tokens, err := gate.OpenTokens(r.data)
	if err != nil {
		t.Fatal(err)
	}
	_, viewer, err := tokens.Create(gate.Token{Role: contracts.AccessViewer})
	if err != nil {
		t.Fatal(err)
	}
	for secret, want := range map[string]ws.StatusError{"": 401, "bullpen_wrong": 401, viewer: 403} {
		if _, err := r.dial(secret); !errors.Is(err, want) {
			t.Errorf("with the token %q: %v, want %d", secret, err, want)
		}
	}
	bound, revoke := r.gate.Issue("dev")
	a, err := r.dial(bound)
	if err != nil {
		t.Fatal(err)
	}
	a.say(`{"type":"hello","openclaw_session":"other::x"}`)
	if code := a.closedWith(); code != contracts.ClosePolicy {
		t.Errorf("closed with %d", code)
	}
	revoke()
	if _, err := r.dial(bound); err == nil {
		t.Error("a revoked token was accepted")
	}
}

// processes looks up the credentials of started programs in the rig's gate.
type processes struct{ rig **rig }

func (l processes) HasProcesses() bool { return (*l.rig).gate.HasProcesses() }
func (l processes) Identify(c gate.Process) (contracts.Principal, bool) {
	return (*l.rig).gate.Identify(c)
}

// B7: a program that the office started needs no token. Its hello proves its identity, but only for
// its own session and only until its credential is revoked.
func TestSocketOfAStartedProgram(t *testing.T) {
	var r *rig
	inTime(t, config{Processes: processes{&r}}, func(t *testing.T, made *rig) {
		r = made
		if _, err := r.dial(""); err == nil {
			t.Error("an open office accepted a program that it did not start")
		}
		_, revoke := r.gate.Issue("dev", gate.Process{Session: "dev::default", Program: "secret"})
		hi := func(session, program string) *agent {
			a, err := r.dial("")
			if err != nil {
				t.Fatal(err)
			}
			a.say(fmt.Sprintf(`{"type":"hello","openclaw_session":%q,"claude_session":%q,"pid":1}`, session, program))
			return a
		}
		for _, wrong := range [][2]string{{"dev::default", ""}, {"dev::default", "guess"}, {"dev::other", "secret"}, {"other::default", "secret"}, {"dev::*", "secret"}} {
			if code := hi(wrong[0], wrong[1]).closedWith(); code != contracts.ClosePolicy {
				t.Errorf("%v: closed with %d", wrong, code)
			}
		}
		a := hi("dev::default", "secret")
		a.must("hello_ack")
		r.usable(a)
		a.conn.Close()
		a = hi("dev::default", "secret") // the program reconnects
		a.must("hello_ack")
		r.usable(a)
		a.say(`{"type":"hello","openclaw_session":"other::default","claude_session":"secret"}`)
		if code := a.closedWith(); code != contracts.ClosePolicy {
			t.Errorf("the program claims another agent's session: %d", code)
		}
		a = hi("dev::default", "secret")
		a.must("hello_ack")
		revoke()
		if code := a.closedWith(); code != contracts.CloseRevoked {
			t.Errorf("closed with %d", code)
		}
		if _, err := r.dial(""); err == nil {
			t.Error("the program's secret is still valid")
		}
	})
}

// B7: sockets without a credential do not take capacity from sockets with one.
func TestSocketsWithoutCredentialAreLimited(t *testing.T) {
	var r *rig
	inTime(t, config{Processes: processes{&r}}, func(t *testing.T, made *rig) {
		r = made
		r.gate.Issue("dev", gate.Process{Session: "dev::default", Program: "secret"})
		oldest, err := r.dial("")
		if err != nil {
			t.Fatal(err)
		}
		newest := oldest
		for range contracts.LimitPeersUnproven {
			synctest.Wait()
			if newest, err = r.dial(""); err != nil {
				t.Fatal(err)
			}
		}
		if code := oldest.closedWith(); code != contracts.CloseOverloaded {
			t.Errorf("the oldest is closed with %d", code)
		}
		if code := newest.closedWith(); code != contracts.CloseHelloTimeout {
			t.Errorf("the newest is closed with %d", code)
		}
		r.usable(r.peer("dev::default"))
	})
}

// B7: trust_loopback admits programs that the office did not start, even without a token.
func TestTrustLoopbackAdmitsAnySession(t *testing.T) {
	inTime(t, config{TrustLocal: true}, func(t *testing.T, r *rig) {
		r.token = ""
		r.usable(r.peer("dev::default"))
	})
}

// B7: revoking a token closes only the connections that were opened with it, and frees their
// sessions immediately.
func TestRevokedTokenClosesItsConnections(t *testing.T) {
	r := newRig(t, config{})
	stays := r.peer("other::default")
	secret, revoke := r.gate.Issue("dev")
	a, err := r.dial(secret)
	if err != nil {
		t.Fatal(err)
	}
	a.say(`{"type":"hello","openclaw_session":"dev::default","claude_session":"c1"}`)
	a.must("hello_ack")
	revoke()
	if got := r.call(hello); got.resp.StatusCode != http.StatusNotFound {
		t.Errorf("the session of a revoked token answers %d", got.resp.StatusCode)
	}
	if code := a.closedWith(); code != contracts.CloseRevoked {
		t.Errorf("closed with %d", code)
	}
	stays.say(`{"type":"ping"}`)
	stays.must("pong")
}

// B10, H7: if the same program claims its session on another connection, during or between turns,
// that is a reconnect; a second hello, another program or another session is not.
func TestReconnectIsReported(t *testing.T) {
	inTime(t, config{}, func(t *testing.T, r *rig) {
		a := r.peerOf("dev::default", "c1")
		a.say(`{"type":"hello","openclaw_session":"dev::default","claude_session":"c1"}`)
		a.must("hello_ack")
		r.peerOf("dev::other", "c1")
		c := r.call(hello)
		a.must("inbound")
		a.conn.Close()
		synctest.Wait()
		a = r.peerOf("dev::default", "c1") // during its turn
		a.say(`{"type":"reply","content":"fine"}`)
		c.content()
		b := r.peerOf("dev::default", "c1") // replaces its own connection
		b.conn.Close()
		synctest.Wait()
		b = r.peerOf("dev::default", "c1") // between turns
		b.conn.Close()
		synctest.Wait()
		r.peerOf("dev::default", "c2").conn.Close()
		synctest.Wait()
		got := 0
		for _, line := range r.notes.all() {
			if line == "again agent_dev dev::default" {
				got++
			} else if strings.HasPrefix(line, "again") {
				t.Error(line)
			}
		}
		if got != 3 {
			t.Errorf("%d reconnects were reported of 3", got)
		}
	})
}

// B10: a program that the office started does not reconnect once it has exited, so its turn ends as
// soon as everything that it sent has been read.
func TestExitedProgramEndsItsTurn(t *testing.T) {
	inTime(t, config{}, func(t *testing.T, r *rig) {
		for _, first := range []string{"exit", "hang-up"} {
			a := r.peer("dev::default")
			c, began := r.call(hello), time.Now()
			a.must("inbound")
			a.say(`{"type":"reply","content":"half","final":false}`)
			if got := c.content(); got != "half" {
				t.Errorf("%q", got)
			}
			if first == "exit" {
				r.peers.Exited("dev::default", "another program")
				r.peers.Exited("dev::default", "c1")
			}
			a.conn.Close()
			synctest.Wait()
			if first == "hang-up" {
				r.peers.Exited("dev::default", "c1")
			}
			c.failed("agent_disconnected")
			if took := time.Since(began); took != 0 {
				t.Errorf("after the %s the caller waited %v", first, took)
			}
		}
		a := r.peer("dev::default")
		c := r.call(hello)
		a.must("inbound")
		r.peers.Exited("dev::default", "c1")
		a.say(`{"type":"reply","content":"whole"}`)
		a.conn.Close()
		if got := c.content(); got != "whole" {
			t.Errorf("the last text is lost: %q", got)
		}
	})
}

// B8: hello must come first; an unknown frame is answered with an error and changes nothing.
func TestUnknownFramesAreRefused(t *testing.T) {
	r := newRig(t, config{})
	early, err := r.dial(r.token)
	if err != nil {
		t.Fatal(err)
	}
	early.say(`{"type":"reply","content":"x"}`)
	if code := early.closedWith(); code != contracts.ClosePolicy {
		t.Errorf("closed with %d", code)
	}
	a := r.peer("dev::default")
	for _, bad := range []string{`nonsense`, `{"type":"dance"}`, `{"type":"reply","final":true}`, `{"type":"reply","content":"for no turn"}`, `{"type":"hello","openclaw_session":"nobody"}`} {
		a.say(bad)
		a.must("error")
	}
	a.say(`{"type":"ping"}`)
	a.must("pong")
	c := r.call(hello)
	a.must("inbound")
	a.say(`{"type":"reply","content":"fine"}`)
	if c.content() != "fine" {
		t.Error("the session is no longer usable")
	}
	a.say(`{"type":"reply","content":"after the final one"}`)
	a.must("error")
}

// B9: a connection ends after two unanswered pings; an answer keeps it open.
func TestUnansweredPingsEndTheConnection(t *testing.T) {
	inTime(t, config{}, func(t *testing.T, r *rig) {
		silent, began := r.peer("dev::silent"), time.Now()
		if code := silent.closedWith(); code != contracts.CloseHeartbeat || time.Since(began) != (contracts.BridgeMisses+1)*contracts.BridgePing {
			t.Errorf("closed with %d after %v", code, time.Since(began))
		}
		lively := r.peer("dev::lively")
		_ = lively.conn.SetReadDeadline(time.Time{})
		for range 2 * (contracts.BridgeMisses + 1) {
			if body, err := wsutil.ReadServerText(lively.conn); err != nil || !strings.Contains(string(body), "ping") {
				t.Fatalf("received %s %v", body, err)
			}
			lively.say(`{"type":"pong"}`)
		}
	})
}

// B10: a reconnect within the grace period continues the turn; a new connection replaces the old
// one.
func TestReconnectContinuesTheTurn(t *testing.T) {
	r := newRig(t, config{Grace: testTimeout})
	first := r.peer("dev::default")
	c := r.call(hello)
	first.must("inbound")
	first.say(`{"type":"reply","content":"one","final":false}`)
	if c.content() != "one" {
		t.Fatal("nothing came")
	}
	second := r.peer("dev::default")
	if code := first.closedWith(); code != contracts.CloseReplaced {
		t.Errorf("the first was closed with %d", code)
	}
	second.conn.Close()
	third := r.peer("dev::default")
	third.say(`{"type":"reply","content":" two","final":true}`)
	if got := c.content(); got != " two" {
		t.Errorf("%q", got)
	}
}

// B10: after the grace period the caller receives an error chunk and [DONE], and the next turn goes
// to a peer that has reconnected.
func TestTurnEndsAfterTheGracePeriod(t *testing.T) {
	r := newRig(t, config{Grace: time.Millisecond})
	a := r.peer("dev::default")
	c := r.call(hello)
	a.must("inbound")
	a.conn.Close()
	if rest := c.rest(); !strings.Contains(rest, `"code":"agent_disconnected"`) || !strings.HasSuffix(strings.TrimSpace(rest), "data: [DONE]") {
		t.Errorf("%s", rest)
	}
	for r.call(hello).resp.StatusCode != http.StatusNotFound { // until the peer is forgotten
	}
	a = r.peer("dev::default")
	again := r.call(hello)
	a.must("inbound")
	a.say(`{"type":"reply","content":"back"}`)
	if again.content() != "back" {
		t.Error("the session is no longer usable")
	}
}

// A process that claims a session during another process's turn cannot answer that turn: the caller
// receives an error.
func TestAnotherProgramEndsTheTurn(t *testing.T) {
	r := newRig(t, config{})
	a := r.peer("dev::default")
	c := r.call(hello)
	a.must("inbound")
	b, err := r.dial(r.token)
	if err != nil {
		t.Fatal(err)
	}
	b.say(`{"type":"hello","openclaw_session":"dev::default","claude_session":"c2"}`)
	b.must("hello_ack")
	if rest := c.rest(); !strings.Contains(rest, "agent_disconnected") {
		t.Errorf("%s", rest)
	}
}

// A late answer to an abandoned turn is not delivered as the answer to the next question.
func TestLateReplyIsNotTheNextAnswer(t *testing.T) {
	r := newRig(t, config{})
	a := r.peer("dev::default")
	given := r.call(hello)
	first := a.must("inbound")["meta"].(map[string]any)["message_id"]
	r.sendOrder("agent_dev", "stop")
	given.failed("turn_stopped")
	if a.must("cancel")["message_id"] != first {
		t.Error("another turn was cancelled")
	}
	c := r.call(hello)
	second := a.must("inbound")["meta"].(map[string]any)["message_id"]
	a.say(`{"type":"reply","content":"late"}`)
	a.say(fmt.Sprintf(`{"type":"reply","content":"late too","message_id":%q}`, first))
	a.must("error")
	a.say(fmt.Sprintf(`{"type":"reply","content":"right","message_id":%q}`, second))
	a.must("error") // for the late reply
	if got := c.rest(); !strings.Contains(got, "right") || strings.Contains(got, "late") {
		t.Errorf("%s", got)
	}
}

// flood sends more frames in one second than a peer is allowed to send.
func (a *agent) flood(f ws.Frame) {
	frame := ws.MustCompileFrame(ws.MaskFrame(f))
	for range 3 * contracts.LimitPeerFrames {
		if _, err := a.conn.Write(frame); err != nil {
			return
		}
	}
}

// A peer that sends too many frames outside a turn is disconnected.
func TestFloodEndsTheConnection(t *testing.T) {
	inTime(t, config{}, func(t *testing.T, r *rig) {
		a := r.peer("dev::default")
		go a.flood(ws.NewTextFrame([]byte(`{"type":"pong"}`)))
		if code := a.closedWith(); code != contracts.CloseViolations {
			t.Errorf("closed with %d", code)
		}
	})
}

// A peer may serve every chat of its agent.
func TestPeerServesEveryChat(t *testing.T) {
	r := newRig(t, config{})
	a := r.peer("dev::*")
	for _, chat := range []string{"one", "two"} {
		c := r.call(strings.Replace(hello, `"user":"default"`, `"user":"`+chat+`"`, 1))
		if got := a.must("inbound")["meta"].(map[string]any)["chat_id"]; got != chat {
			t.Errorf("chat %v", got)
		}
		a.say(`{"type":"reply","content":"x"}`)
		c.rest()
	}
}

// If a person stops a turn, the caller receives an error, and the next turn works.
func TestCallerSeesThatAPersonStoppedTheTurn(t *testing.T) {
	r := newRig(t, config{})
	a := r.peer("dev::default")
	c := r.call(hello)
	a.must("inbound")
	r.sendOrder("agent_dev", "stop")
	if rest := c.rest(); !strings.Contains(rest, "turn_stopped") {
		t.Errorf("%s", rest)
	}
	a.must("cancel")
	again := r.call(hello)
	id := a.must("inbound")["meta"].(map[string]any)["message_id"]
	a.say(fmt.Sprintf(`{"type":"reply","content":"fine","message_id":%q}`, id))
	if again.content() != "fine" {
		t.Error("the session is no longer usable")
	}
	r.sendOrder("agent_dev", "kill")
}

// B13: the office tracks which agents are connected, regardless of the order in which connections
// open and close.
func TestOfficeKnowsWhoIsConnected(t *testing.T) {
	r := newRig(t, config{Grace: time.Millisecond})
	knows := func(here bool) {
		t.Helper()
		for end := time.Now().Add(testTimeout); ; time.Sleep(time.Millisecond) {
			r.notes.mu.Lock()
			got, known := r.notes.here["agent_dev"]
			r.notes.mu.Unlock()
			if known && got == here {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("presence of dev in the office: %v", got)
			}
		}
	}
	first := r.peer("dev::default")
	knows(true)
	second := r.peer("dev::default") // replaces the first
	first.conn.Close()
	third := r.peer("dev::other")
	second.conn.Close()
	for r.call(hello).resp.StatusCode != http.StatusNotFound { // until the peer is forgotten
	}
	r.say("agent_dev", "still there?")
	if in := third.must("inbound"); in["content"] != "still there?" {
		t.Errorf("%v", in)
	}
	knows(true)
	third.conn.Close()
	knows(false)
}

// An agent that connects during a shutdown is told that the office is shutting down.
func TestConnectAtShutdown(t *testing.T) {
	inTime(t, config{}, func(t *testing.T, r *rig) {
		r.peers.Close()
		a, err := r.dial(r.token)
		if err != nil {
			t.Fatal(err)
		}
		if code := a.closedWith(); code != contracts.CloseGoingAway {
			t.Errorf("closed with %d", code)
		}
	})
}
