package bridge_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gobwas/ws"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// ready is an office program that always answers.
type ready struct{}

func (ready) Open(context.Context, drive.Spec) (drive.Session, error) { return ready{}, nil }
func (ready) ID() string                                              { return "" }
func (ready) Close() error                                            { return nil }
func (ready) Turn(context.Context, drive.Prompt, drive.Sink) (drive.Answer, error) {
	return drive.Answer{Text: "ready", Usage: contracts.Usage{TokensIn: 7, CacheRead: 2, TokensOut: 3}}, nil
}

// B1: an answer contains the usage that the agent reports. A streamed answer contains it in a
// separate chunk if the caller requests it.
func TestUsageOfAnAnswer(t *testing.T) {
	r := newRig(t, config{Program: program(ready{})})
	const used = `"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}`
	for body, want := range map[string]string{
		strings.Replace(hello, `"stream":true`, `"stream":false`, 1):                                        used,
		strings.Replace(hello, `"stream":true`, `"stream":true,"stream_options":{"include_usage":true}`, 1): `"choices":[],` + used,
	} {
		if got := r.call(body).rest(); strings.Count(got, want) != 1 {
			t.Errorf("%s: %s", body, got)
		}
	}
	if got := r.call(hello).rest(); strings.Contains(got, "usage") {
		t.Errorf("usage was sent without being requested: %s", got)
	}
}

// B1: the error for an invalid request names the member and the expected JSON type.
func TestInvalidRequestsAreRefused(t *testing.T) {
	r := newRig(t, config{})
	for body, want := range map[string][]string{
		`[1]`:                                   {`got an array, want an object`},
		`{"messages":"x"}`:                      {`"param":"messages"`, `got a string, want an array`},
		`{"messages":[{"role":7}]}`:             {`"param":"messages.0.role"`, `got a number, want a string`},
		`{"messages":[],"stream":"yes"}`:        {`"param":"stream"`, `want a boolean`},
		`{"n":1.5,"messages":[]}`:               {`"param":"n"`, `must be an integer`},
		`{"messages":[{}],"n":3}`:               {`"param":"n"`, `one answer`},
		`{"messages":[`:                         {`unexpected end`},
		`What?`:                                 {`at byte 0`},
		`{"model":"a","model":"b"}`:             {`duplicate`},
		`{"messages":[{"role":"user"}],"n":{}}`: {`"param":"n"`, `got an object`},
	} {
		got := r.call(body)
		text := got.rest()
		if got.resp.StatusCode != http.StatusBadRequest || strings.Contains(text, "Go ") || strings.Contains(text, "bridge.") || strings.Contains(text, "json") {
			t.Errorf("%s: %d %s", body, got.resp.StatusCode, text)
		}
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s: %q is missing from %s", body, part, text)
			}
		}
	}
	a := r.peer("dev::default")
	a.say(`{"type":"reply","content":[]}`)
	if refusal := a.must("error"); refusal["message"] != "invalid bridge frame: got an array, want a string" {
		t.Errorf("%v", refusal)
	}
}

// B1: an answer names its model, even if the request did not.
func TestAnswerNamesItsModel(t *testing.T) {
	r := newRig(t, config{DefaultAgent: "boss", Program: program(ready{})})
	ask := `{"messages":[{"role":"user","content":"Hello"}]}`
	if got := r.call(ask).rest(); !strings.Contains(got, `"model":"bullpen/boss"`) {
		t.Error(got)
	}
	if got := r.call(ask, "X-Openclaw-Agent-Id", "dev").rest(); !strings.Contains(got, `"model":"bullpen/dev"`) {
		t.Error(got)
	}
}

// B3: a workspace is checked whenever a request names it, even in an open session and while a
// connected peer serves the session; an open session has one workspace.
func TestWorkspaceIsCheckedInAnOpenSession(t *testing.T) {
	confine := func(dir string) (root, path string, err error) {
		if !strings.HasPrefix(dir, "/home/") {
			return "", "", fmt.Errorf("%q is outside bridge.roots", dir)
		}
		return "/home", strings.TrimSuffix(dir, "/"), nil
	}
	r := newRig(t, config{Confine: confine, Program: program(ready{}, "dev")})
	ask := func(dir string) int {
		c := r.call(strings.Replace(hello, `"stream":true`, `"stream":false`, 1), "X-Openclaw-Workspace", dir)
		c.rest()
		return c.resp.StatusCode
	}
	for _, c := range []struct {
		dir    string
		status int
	}{{"/home/dev", 200}, {"/etc", 400}, {"relative", 400}, {"/home/other", 400}, {"/home/dev/", 200}, {"", 200}} {
		if got := ask(c.dir); got != c.status {
			t.Errorf("%q: %d", c.dir, got)
		}
	}
	r.peer("dev::default")
	if got := ask("/etc"); got != http.StatusBadRequest {
		t.Errorf("with a peer: %d", got)
	}
	a := r.peer("scout::default") // the office has no program for this agent
	c := r.call(strings.Replace(hello, "bullpen/dev", "scout", 1), "X-Openclaw-Workspace", "/anywhere")
	a.must("inbound")
	a.say(`{"type":"reply","content":"fine"}`)
	if got := c.content(); got != "fine" {
		t.Errorf("%q", got)
	}
}

// A hello without a valid session is answered with an error and closes the connection, regardless
// of the agent that the token is bound to.
func TestHelloWithoutASessionIsClosed(t *testing.T) {
	r := newRig(t, config{})
	bound, _ := r.gate.Issue("dev")
	for _, token := range []string{r.token, bound} {
		for _, session := range []string{"", "dev", "dev::", "dev::a\u0007"} {
			a, err := r.dial(token)
			if err != nil {
				t.Fatal(err)
			}
			a.say(fmt.Sprintf(`{"type":"hello","openclaw_session":"%s"}`, strings.ReplaceAll(session, "\u0007", `\u0007`)))
			if refusal := a.must("error"); !strings.Contains(fmt.Sprint(refusal["message"]), "<agent>::<chat>") {
				t.Errorf("%q: %v", session, refusal)
			}
			if code := a.closedWith(); code != contracts.ClosePolicy {
				t.Errorf("%q: closed with %d", session, code)
			}
		}
	}
}

// A frame that is too large is read to its end, so that the peer can still read the close reason,
// which would be lost if the connection were cut.
func TestCloseReasonAfterATooLargeFrame(t *testing.T) {
	inTime(t, config{}, func(t *testing.T, r *rig) {
		a, written := r.peer("dev::default"), make(chan error, 1)
		go func() {
			_, err := a.conn.Write(ws.MustCompileFrame(ws.MaskFrame(ws.NewTextFrame(make([]byte, 5*contracts.LimitFrame)))))
			written <- err
		}()
		if code := a.closedWith(); code != contracts.CloseTooBig {
			t.Errorf("closed with %d", code)
		}
		if err := <-written; err != nil {
			t.Error(err)
		}
	})
}

// A peer that sends endless hellos is disconnected for flooding, not as a slow reader.
func TestEndlessHellosAreAFlood(t *testing.T) {
	inTime(t, config{}, func(t *testing.T, r *rig) {
		a := r.peer("dev::default")
		go a.flood(ws.NewTextFrame([]byte(`{"type":"hello","openclaw_session":"dev::default","claude_session":"c1"}`)))
		if code := a.closedWith(); code != contracts.CloseViolations {
			t.Errorf("closed with %d", code)
		}
	})
}
