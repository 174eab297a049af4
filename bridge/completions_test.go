package bridge_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const hello = `{"model":"bullpen/dev","user":"default","stream":true,"messages":[{"role":"user","content":"Hello"}]}`

// B1: the stream sends the role immediately, content as it arrives, then stop and [DONE]; the turn
// is recorded.
func TestStreamedTurn(t *testing.T) {
	r := newRig(t, config{})
	a := r.peer("dev::default")
	c := r.call(hello)
	if first := c.next(); !strings.Contains(first, `"role":"assistant"`) || !strings.Contains(first, `"object":"chat.completion.chunk"`) {
		t.Fatalf("the first chunk is %s", first)
	}
	in := a.must("inbound")
	if in["content"] != "Hello" || in["meta"].(map[string]any)["chat_id"] != "default" {
		t.Fatalf("inbound %v", in)
	}
	a.say(`{"type":"reply","content":"Hi","final":false}`)
	if got := c.content(); got != "Hi" {
		t.Fatalf("%q", got)
	}
	a.say(`{"type":"reply","content":" there","final":true}`)
	if got := c.content(); got != " there" {
		t.Fatalf("%q", got)
	}
	if stop, done := c.next(), c.next(); !strings.Contains(stop, `"finish_reason":"stop"`) || done != "[DONE]" {
		t.Fatalf("%s, %s", stop, done)
	}
	want := []string{"begin agent_dev: Hello", `token "Hi"`, `token " there"`, `end "Hi there" <nil>`}
	if diff := cmp.Diff(want, r.notes.all()); diff != "" {
		t.Error(diff)
	}
}

// B1: an answer can be sent whole, either without streaming or buffered in one delta. A peer
// reports no usage, so the answer contains none.
func TestWholeAnswers(t *testing.T) {
	r := newRig(t, config{})
	a := r.peer("dev::default")
	go func() {
		for range 2 {
			a.must("inbound")
			a.say(`{"type":"reply","content":"Hi","final":false}`)
			a.say(`{"type":"reply","content":" there"}`)
		}
	}()
	c := r.call(strings.Replace(hello, `"stream":true`, `"stream":false`, 1))
	if got := c.rest(); !strings.Contains(got, `"message":{"role":"assistant","content":"Hi there"}`) || strings.Contains(got, "usage") {
		t.Errorf("%s", got)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.url+"/v1/chat/completions?buffer=1",
		strings.NewReader(strings.Replace(hello, `"stream":true`, `"stream":true,"stream_options":{"include_usage":true}`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	whole := (&caller{t: t, resp: resp}).rest()
	resp.Body.Close()
	if strings.Count(whole, `"content":"Hi there"`) != 1 || strings.Contains(whole, `"content":"Hi"`) || strings.Contains(whole, "usage") {
		t.Errorf("%s", whole)
	}
}

// B2: a waiting caller receives an empty delta at every heartbeat.
func TestHeartbeat(t *testing.T) {
	r := newRig(t, config{Heartbeat: 5 * time.Millisecond})
	a := r.peer("dev::default")
	c := r.call(hello)
	a.must("inbound")
	for range 3 {
		if got := c.next(); !strings.Contains(got, `"content":""`) {
			t.Fatalf("%s", got)
		}
	}
	a.say(`{"type":"reply","content":"x","final":true}`)
	if got := c.content(); got != "x" {
		t.Errorf("%q", got)
	}
}

// B3: headers decide first, then the user field, then the model, then the defaults.
func TestSessionKey(t *testing.T) {
	r := newRig(t, config{DefaultAgent: "boss"})
	for _, c := range []struct {
		body, key string
		header    []string
	}{
		{`"model":"bullpen/m","user":"u::x"`, "h::c", []string{"X-Openclaw-Agent-Id", "h", "X-Openclaw-Chat-Id", "c"}},
		{`"model":"bullpen/m","user":"u::x:1"`, "u::x:1", nil},
		{`"model":"bullpen/m","user":"x"`, "m::x", nil},
		{`"model":"m"`, "m::*", nil},
		{`"model":"bullpen"`, "boss::*", nil},
		{`"user":"x"`, "h::x", []string{"X-Openclaw-Agent-Id", "h"}},
		{`"model":"m","user":"y"`, "m::x", []string{"X-Openclaw-Session-Key", "x"}},
		{`"model":"m","user":"y"`, "k::x", []string{"X-Openclaw-Session-Key", "k::x"}},
	} {
		a := r.peer(c.key)
		call := r.call(`{"stream":true,"messages":[{"role":"user","content":"Hello"}],`+c.body+`}`, c.header...)
		a.must("inbound")
		a.say(fmt.Sprintf(`{"type":"reply","content":%q}`, c.key))
		if got := call.content(); got != c.key {
			t.Errorf("%s reached %q", c.body, got)
		}
		a.conn.Close()
	}
}

// B4: the text that OpenClaw adds to a person's message does not reach the agent.
func TestOpenClawEnvelopes(t *testing.T) {
	r := newRig(t, config{})
	a := r.peer("dev::*")
	context := `{"role":"user","content":"<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nsecret\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"}`
	for said, want := range map[string]string{
		`[Sun 2026-11-15 00:43 UTC] Fix it\n\nRuntime: agent=main | session=x | channel=y`: "Fix it",
		`[Sun 2026-11-15 00:43 UTC] [1] stays`:                                             "[1] stays",
	} {
		c := r.call(`{"model":"dev","stream":true,"messages":[{"role":"user","content":"` + said + `"},` + context + `]}`)
		if got := a.must("inbound")["content"]; got != want {
			t.Errorf("%q became %q", said, got)
		}
		a.say(`{"type":"reply","content":"ok"}`)
		c.rest()
	}
	c := r.call(`{"model":"dev","stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"[Sun 2026-11-15 00:43 UTC] as it is"}]}]}`)
	if got := a.must("inbound")["content"]; got != "[Sun 2026-11-15 00:43 UTC] as it is" {
		t.Errorf("the text of another client was changed: %q", got)
	}
	a.say(`{"type":"reply","content":"ok"}`)
	c.rest()
}

// B5: a retry with the same trace or key joins the turn, even shortly after it ended: the peer
// receives one message, and both callers receive its answer.
func TestRetriesJoin(t *testing.T) {
	r := newRig(t, config{})
	a := r.peer("dev::default")
	trace := []string{"Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
	first := r.call(hello, trace...)
	a.must("inbound")
	a.say(`{"type":"reply","content":"one","final":false}`)
	if got := first.content(); got != "one" {
		t.Fatalf("%q", got)
	}
	second := r.call(hello, trace...)
	if got := second.content(); got != "one" {
		t.Errorf("the retry missed what was said: %q", got)
	}
	first.resp.Body.Close()
	a.say(`{"type":"reply","content":" two"}`)
	if got := second.content(); got != " two" {
		t.Errorf("%q", got)
	}
	if third := r.call(hello, trace...); third.content() != "one two" {
		t.Error("a late retry did not get the answer")
	}
	other := r.call(hello, "Idempotency-Key", "k")
	a.must("inbound")
	a.say(`{"type":"reply","content":"x"}`)
	other.rest()
	if n := len(r.notes.all()); n != 7 {
		t.Errorf("%d notes: %q", n, r.notes.all())
	}
}

// B6: one turn runs at a time, further turns are queued, and a turn above the limit is rejected
// with status 429.
func TestFullQueueIsRejected(t *testing.T) {
	r := newRig(t, config{})
	a := r.peer("dev::default")
	var calls []*caller
	for range 9 {
		calls = append(calls, r.call(hello))
	}
	full := r.call(hello)
	if full.resp.StatusCode != http.StatusTooManyRequests || full.resp.Header.Get("Retry-After") == "" || !strings.Contains(full.rest(), `"rate_limit_error"`) {
		t.Errorf("the tenth got %d", full.resp.StatusCode)
	}
	for i, c := range calls {
		a.must("inbound")
		a.say(fmt.Sprintf(`{"type":"reply","content":"%d"}`, i))
		if got := c.content(); got != fmt.Sprint(i) {
			t.Fatalf("caller %d got %q", i, got)
		}
	}
}

// Every error has OpenAI's format and the right HTTP status.
func TestRefusals(t *testing.T) {
	inTime(t, config{}, func(t *testing.T, r *rig) {
		for _, c := range []struct {
			name, body string
			status     int
			says       string
		}{
			{"no JSON", `hello`, 400, "not a chat completion"},
			{"no messages", `{"model":"dev"}`, 400, "messages is empty"},
			{"no user message", `{"model":"dev","messages":[{"role":"system","content":"x"}]}`, 400, "role user"},
			{"invalid content", `{"model":"dev","messages":[{"role":"user","content":7}]}`, 400, "must be a string"},
			{"unknown model", hello, 404, "model_not_found"},
			{"not connected", `{"user":"x::y","messages":[{"role":"user","content":"x"}]}`, 503, "not connected"},
			{"invalid ids", `{"user":"a\u0000::y","messages":[{"role":"user","content":"x"}]}`, 400, "plain text"},
			{"every chat", `{"user":"x::*","messages":[{"role":"user","content":"x"}]}`, 400, "every chat"},
			{"the office's own chat", `{"user":"x::crew","messages":[{"role":"user","content":"x"}]}`, 400, "reserved for the office"},
			{"the office's own chats", `{"user":"x::~y","messages":[{"role":"user","content":"x"}]}`, 400, "must not start"},
			{"another agent's key", `{"model":"x:","user":"y","messages":[{"role":"user","content":"x"}]}`, 400, "colon"},
			{"a long prompt", `{"model":"dev","messages":[{"role":"user","content":"` + strings.Repeat("x", 5<<20) + `"}]}`, 400, "bytes"},
			{"a huge body", strings.Repeat("x", 9<<20), 413, "limit 8388608"},
		} {
			got := r.call(c.body)
			if body := got.rest(); got.resp.StatusCode != c.status || !strings.Contains(body, c.says) || !strings.HasPrefix(body, `{"error":{`) {
				t.Errorf("%s: %d %.200s", c.name, got.resp.StatusCode, body)
			}
		}
		if got := r.call(hello, "Authorization", "Bearer bullpen_wrong"); got.resp.StatusCode != http.StatusUnauthorized || !strings.Contains(got.rest(), `"error"`) {
			t.Errorf("a wrong token: %d", got.resp.StatusCode)
		}
		a := r.peer("dev::default")
		c := r.call(hello, "Authorization", "Bearer sk-anything")
		a.must("inbound")
		a.say(`{"type":"reply","content":"x"}`)
		if c.content() != "x" {
			t.Error("an API key that clients require was rejected on loopback")
		}
	})
}
