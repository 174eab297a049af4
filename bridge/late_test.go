package bridge_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// leave disconnects the caller and waits until the peer is told to cancel the turn.
func (c *caller) leave(a *agent) {
	c.t.Helper()
	c.resp.Body.Close()
	a.must("cancel")
}

// asked sends a question and returns its caller once the question has reached the peer.
func (r *rig) asked(a *agent) *caller {
	r.t.Helper()
	c := r.call(hello)
	a.must("inbound")
	return c
}

// pieces returns the pieces of the answer as they arrive. A caller that does not read would be
// disconnected.
func (c *caller) pieces() <-chan string {
	pieces := make(chan string, 16)
	go func() {
		defer close(pieces)
		for piece := c.content(); piece != ""; piece = c.content() {
			pieces <- piece
		}
	}()
	return pieces
}

// answered asserts the complete answer and the time between the question and the answer.
func (c *caller) answered(want string, asked time.Time, after time.Duration) {
	c.t.Helper()
	assertAnswer(c.t, c.pieces(), want, asked, after)
}

func assertAnswer(t *testing.T, pieces <-chan string, want string, asked time.Time, after time.Duration) {
	t.Helper()
	var got strings.Builder
	for piece := range pieces {
		got.WriteString(piece)
	}
	if got.String() != want || time.Since(asked) != after {
		t.Errorf("got %q after %v, want %q after %v", got.String(), time.Since(asked), want, after)
	}
}

// B8: if a peer skips an answer, its next answer is delayed once, because it might be the late one.
// After that, answers are no longer delayed. No answer is lost.
func TestPeerInStepAfterASkippedTurn(t *testing.T) {
	inTime(t, config{Ping: time.Hour}, func(t *testing.T, r *rig) {
		a := r.peer("dev::default")
		r.asked(a).leave(a)
		for turn, wait := range []time.Duration{contracts.BridgeLateWait, 0, 0} {
			c, asked := r.asked(a), time.Now()
			a.say(fmt.Sprintf(`{"type":"reply","content":"answer %d"}`, turn))
			c.answered(fmt.Sprintf("answer %d", turn), asked, wait)
		}
	})
}

// B8: a late answer that arrives after the next question, whole or in pieces, is recognized when
// another answer follows it, and the peer is told that the late answer was discarded.
func TestLateAnswersAreRecognized(t *testing.T) {
	inTime(t, config{Ping: time.Hour}, func(t *testing.T, r *rig) {
		a := r.peer("dev::default")
		for range 2 {
			r.asked(a).leave(a)
		}
		c, asked := r.asked(a), time.Now()
		pieces := c.pieces()
		refused := func() {
			t.Helper()
			if refusal := a.must("error"); refusal["code"] != string(contracts.CodeConflict) {
				t.Errorf("%v", refusal)
			}
		}
		for i, late := range []string{"one", "two"} {
			a.say(fmt.Sprintf(`{"type":"reply","content":%q,"final":false}`, late))
			if i > 0 {
				refused()
			}
			a.say(`{"type":"reply","content":", late"}`)
			time.Sleep(contracts.BridgeLateWait - time.Second)
		}
		a.say(`{"type":"reply","content":"th","final":false}`)
		refused()
		if got := <-pieces; got != "th" { // certain to be this turn's answer, so its text is streamed
			t.Errorf("%q", got)
		}
		a.say(`{"type":"reply","content":"ree"}`)
		assertAnswer(t, pieces, "ree", asked, 2*(contracts.BridgeLateWait-time.Second))
		c, asked = r.asked(a), time.Now()
		a.say(`{"type":"reply","content":"four"}`)
		c.answered("four", asked, 0)
	})
}

// B8: a permission request shows that the peer is working on this turn, so any text that
// preceded the request was late.
func TestPermissionShowsALateAnswer(t *testing.T) {
	inTime(t, config{Ping: time.Hour}, func(t *testing.T, r *rig) {
		a := r.peer("dev::default")
		r.asked(a).leave(a)
		c, asked := r.asked(a), time.Now()
		pieces := c.pieces()
		a.say(`{"type":"reply","content":"late"}`)
		a.say(`{"type":"permission_request","request_id":"q","tool_name":"Bash"}`)
		a.must("error")
		time.Sleep(2 * contracts.BridgeLateWait)
		a.say(`{"type":"reply","content":"in time"}`)
		assertAnswer(t, pieces, "in time", asked, 2*contracts.BridgeLateWait)
	})
}

// B8: a late answer that arrives before the next question is discarded, and later answers are not
// delayed.
func TestLateAnswerBetweenTurnsIsDiscarded(t *testing.T) {
	inTime(t, config{Ping: time.Hour}, func(t *testing.T, r *rig) {
		a := r.peer("dev::default")
		r.asked(a).leave(a)
		a.say(`{"type":"reply","content":"la","final":false}`)
		a.must("error")
		a.say(`{"type":"reply","content":"te"}`)
		a.must("error")
		c, asked := r.asked(a), time.Now()
		a.say(`{"type":"reply","content":"in time"}`)
		c.answered("in time", asked, 0)
	})
}

// B8: callers that disconnect while their answer is delayed do not block the session.
func TestCallersThatLeaveDoNotBlockTheSession(t *testing.T) {
	inTime(t, config{Ping: time.Hour}, func(t *testing.T, r *rig) {
		a := r.peer("dev::default")
		r.asked(a).leave(a)
		for range 3 {
			c := r.asked(a)
			a.say(`{"type":"reply","content":"unheard"}`)
			c.leave(a)
		}
		c, asked := r.asked(a), time.Now()
		a.say(`{"type":"reply","content":"heard"}`)
		c.answered("heard", asked, contracts.BridgeLateWait)
	})
}

// The rest of an answer that was too long is not mistaken for the next answer.
func TestRestOfAnEndlessAnswerIsDiscarded(t *testing.T) {
	inTime(t, config{Ping: time.Hour}, func(t *testing.T, r *rig) {
		a := r.peer("dev::default")
		c := r.asked(a)
		piece := fmt.Sprintf(`{"type":"reply","content":%q,"final":false}`, strings.Repeat("x", contracts.LimitFrame/2))
		for range contracts.LimitReply/(contracts.LimitFrame/2) + 1 {
			a.say(piece)
		}
		c.failed("agent_error")
		a.must("error")
		c, asked := r.asked(a), time.Now()
		a.say(`{"type":"reply","content":"the rest of it"}`)
		a.say(`{"type":"reply","content":"short"}`)
		c.answered("short", asked, 0)
	})
}
