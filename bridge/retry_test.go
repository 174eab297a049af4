package bridge_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// clawBody returns a request as OpenClaw 2026.9.6 sends it.
func clawBody(said string) string {
	return `{"model":"dev","stream":true,"messages":[{"role":"user","content":"[Sun 2026-11-15 21:02 UTC] ` + said +
		`\n\nRuntime: agent=main | session=agent:main:main | sessionId=x"},{"role":"user","content":[{"type":"text","text":"<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nx\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"}]}]}`
}

// clawAgain returns OpenClaw's retry of the same request.
func clawAgain(said string) string {
	return clawBody(`[Queued user message from a previous active turn; preserved as context only. Continue with the active prompt below.]\n` + said +
		`\n\nContinue the current task from the existing transcript, preserving completed work. Do not restart the task or repeat completed actions.`)
}

func trace(id string) []string {
	return []string{"Traceparent", "00-" + strings.Repeat(id, 32) + "-b7ad6b7169203331-01"}
}

// B5: OpenClaw gives every attempt its own trace (seen with --local) and rewords the prompt. Its
// retry still joins the same turn, whether that turn is running or has ended. Sending the same
// message again starts another turn.
func TestOpenClawRetryJoins(t *testing.T) {
	r := newRig(t, config{})
	a := r.peer("dev::*")
	first := r.call(clawBody("Fix it"), trace("a")...)
	a.must("inbound")
	second := r.call(clawAgain("Fix it"), trace("b")...)
	a.say(`{"type":"reply","content":"fixed"}`)
	third := r.call(clawAgain("Fix it"), trace("c")...)
	for _, c := range []*caller{first, second, third} {
		if got := c.content(); got != "fixed" {
			t.Errorf("%q", got)
		}
	}
	r.call(clawBody("Fix it"), trace("d")...)
	if in := a.must("inbound"); in["content"] != "Fix it" {
		t.Errorf("%v", in)
	}
	a.say(`{"type":"reply","content":"again"}`)
	other := r.call(clawAgain("Something else"), trace("e")...)
	if in := a.must("inbound"); in["content"] != "Something else" {
		t.Errorf("OpenClaw's own text reached the agent: %v", in)
	}
	a.say(`{"type":"reply","content":"done"}`)
	other.rest()
}

// B5: a retry runs a failed turn again instead of returning the remembered failure.
func TestRetryRunsAFailedTurnAgain(t *testing.T) {
	r := newRig(t, config{})
	a := r.peer("dev::default")
	c := r.call(hello, trace("a")...)
	a.must("inbound")
	b := r.peerOf("dev::default", "c2")
	c.failed("agent_disconnected")
	c = r.call(hello, trace("a")...)
	b.must("inbound")
	b.say(`{"type":"reply","content":"at last"}`)
	if got := c.content(); got != "at last" {
		t.Errorf("%q", got)
	}
}

// B11: a turn that a person stopped stays stopped, however often the client retries: every retry
// receives the same error, with a status that no client retries automatically.
func TestRetryDoesNotRunAStoppedTurn(t *testing.T) {
	r := newRig(t, config{})
	a := r.peer("dev::default")
	c := r.call(hello, trace("a")...)
	a.must("inbound")
	r.sendOrder("agent_dev", "stop")
	c.failed("turn_stopped")
	again := r.call(strings.Replace(hello, `"stream":true`, `"stream":false`, 1), trace("a")...)
	if body := again.rest(); again.resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, `"type":"invalid_request_error"`) || !strings.Contains(body, "turn_stopped") {
		t.Errorf("%d %s", again.resp.StatusCode, body)
	}
	a.must("cancel")
	r.usable(a)
}

// B5: only a retry joins a turn. Several requests in one trace get one turn each, and an
// idempotency key is valid for one request only.
func TestAnotherRequestDoesNotJoin(t *testing.T) {
	r := newRig(t, config{})
	a := r.peer("dev::default")
	for name, header := range map[string][]string{"trace": trace("a"), "key": {"Idempotency-Key", "k"}} {
		first := r.call(hello, header...)
		a.must("inbound")
		a.say(`{"type":"reply","content":"one"}`)
		first.rest()
		other := r.call(strings.Replace(hello, "Hello", "Something else", 1), header...)
		if name == "key" {
			if body := other.rest(); other.resp.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(body, "idempotency_key_reused") {
				t.Errorf("%d %s", other.resp.StatusCode, body)
			}
			continue
		}
		if in := a.must("inbound"); in["content"] != "Something else" {
			t.Errorf("%v", in)
		}
		a.say(`{"type":"reply","content":"two"}`)
		if got := other.content(); got != "two" {
			t.Errorf("%s: another request got %q", name, got)
		}
	}
}

// A caller that joins an ended turn receives everything in one write: role, text, finish and [DONE]
// are not flushed one by one.
func TestEndedTurnIsSentInOneWrite(t *testing.T) {
	r := newRig(t, config{})
	a := r.peer("dev::default")
	first := r.call(hello, trace("a")...)
	a.must("inbound")
	a.say(`{"type":"reply","content":"fixed"}`)
	first.rest()
	again := httptest.NewRequest(http.MethodPost, r.url+"/v1/chat/completions", strings.NewReader(hello))
	again.RemoteAddr = "127.0.0.1:1"
	again.Header.Set("Content-Type", "application/json")
	again.Header.Set("Traceparent", trace("a")[1])
	out := httptest.NewRecorder()
	r.doors.ServeHTTP(out, again)
	if body := out.Body.String(); out.Flushed || !strings.Contains(body, `"role":"assistant"`) || !strings.Contains(body, "fixed") || !strings.HasSuffix(body, "data: [DONE]\n\n") {
		t.Errorf("flushed %t: %s", out.Flushed, body)
	}
}
