package bridge_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// digest returns a reply that reveals which messages the agent has received.
func digest(list []chatMessage) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, list)))[:16]
}

// memoryDriver is a driver whose agents remember what they receive, one session per conversation.
type memoryDriver struct {
	caps  drive.Capabilities
	fails func() bool // whether a turn fails after the agent has received its prompt

	forgets atomic.Bool // the next turn reports an unknown conversation

	mu   sync.Mutex
	open []*memorySession
	most atomic.Int64 // maximum number of sessions open at the same time
	now  atomic.Int64
}

func (m *memoryDriver) Capabilities() drive.Capabilities { return m.caps }

func (m *memoryDriver) Open(_ context.Context, spec drive.Spec) (drive.Session, error) {
	session := &memorySession{driver: m, id: uuid.NewString(), spec: spec}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open = append(m.open, session)
	if n := m.now.Add(1); n > m.most.Load() {
		m.most.Store(n)
	}
	return session, nil
}

func (m *memoryDriver) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.open)
}

type memorySession struct {
	driver   *memoryDriver
	id       string
	spec     drive.Spec
	messages []chatMessage
	last     drive.Prompt
}

func (m *memorySession) ID() string { return m.id }

func (m *memorySession) Close() error {
	m.driver.now.Add(-1)
	return nil
}

func (m *memorySession) Turn(ctx context.Context, p drive.Prompt, _ drive.Sink) (drive.Answer, error) {
	m.last = p
	if m.driver.caps.Messages {
		m.messages = nil
		for _, msg := range p.Messages {
			text := ""
			for _, part := range msg.Parts {
				text += part.Text
			}
			m.messages = append(m.messages, chatMessage{msg.Role, text})
		}
	} else {
		m.messages = append(m.messages, parsePrompt(p.Text)...)
	}
	if err := ctx.Err(); err != nil {
		return drive.Answer{}, err
	}
	if m.driver.forgets.CompareAndSwap(true, false) {
		return drive.Answer{}, drive.ErrNoConversation
	}
	if m.driver.fails != nil && m.driver.fails() {
		return drive.Answer{}, errors.New("the turn failed")
	}
	reply := digest(m.messages)
	m.messages = append(m.messages, chatMessage{"assistant", reply})
	return drive.Answer{Text: reply}, nil
}

// parsePrompt parses a prompt as an agent would: lines of JSON are earlier messages, followed by
// the new one.
func parsePrompt(text string) (list []chatMessage) {
	const mark = "\nThis is the new message; answer it now:\n\n"
	if strings.HasPrefix(text, "These messages belong to this conversation") {
		earlier, rest, _ := strings.Cut(text, mark)
		for in := bufio.NewScanner(strings.NewReader(earlier)); in.Scan(); {
			var m chatMessage
			if json.Unmarshal(in.Bytes(), &m) == nil && m.Role != "" {
				list = append(list, m)
			}
		}
		text = rest
	}
	return append(list, chatMessage{"user", text})
}

// complete sends a transcript and returns the answer, or "" if there is none.
func (r *rig) complete(list []chatMessage, more string, header ...string) (string, *http.Response) {
	r.t.Helper()
	messages, err := json.Marshal(list)
	if err != nil {
		r.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.url+"/v1/chat/completions", strings.NewReader(`{"model":"bullpen/dev","messages":`+string(messages)+more+`}`))
	if err != nil {
		r.t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := r.client.Do(req)
	if err != nil {
		r.t.Error(err)
		return "", nil
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	text := ""
	for line := range strings.Lines(string(body)) {
		var k struct {
			Choices []struct {
				Delta   chatMessage `json:"delta"`
				Message chatMessage `json:"message"`
			} `json:"choices"`
		}
		if json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &k) == nil && len(k.Choices) > 0 {
			text += k.Choices[0].Delta.Content + k.Choices[0].Message.Content
		}
	}
	if resp.StatusCode != http.StatusOK {
		text = ""
	}
	return text, resp
}

func newMemoryRig(t *testing.T, caps drive.Capabilities) (*rig, *memoryDriver) {
	m := &memoryDriver{caps: caps}
	return newRig(t, config{Program: program(m)}), m
}

// B3: a caller that names no conversation continues the conversation that matches its transcript,
// or starts a new one that receives the whole transcript.
func TestUnnamedConversation(t *testing.T) {
	r, m := newMemoryRig(t, drive.Capabilities{})
	talk := []chatMessage{{"system", "Be brief"}, {"user", "One"}}
	for range 3 {
		reply, _ := r.complete(talk, "")
		if reply != digest(talk) {
			t.Fatalf("the agent does not know the conversation: %q after %v", reply, talk)
		}
		talk = append(talk, chatMessage{"assistant", reply}, chatMessage{"user", "More"})
	}
	if n := m.count(); n != 1 {
		t.Errorf("one conversation became %d", n)
	}
	if !m.open[0].spec.Temporary {
		t.Error("the id of an unnamed conversation is stored")
	}
	other, _ := r.complete([]chatMessage{{"user", "Another caller"}}, "")
	if n := m.count(); n != 2 || other != digest([]chatMessage{{"user", "Another caller"}}) {
		t.Errorf("two callers share a conversation: %d, %s", n, other)
	}
	branch := append(talk[:4:4], chatMessage{"user", "Something else"}) // from the middle
	branch[3] = chatMessage{"user", "Something else"}
	branch = branch[:4]
	if reply, _ := r.complete(branch, ""); reply != digest(branch) || m.count() != 3 {
		t.Errorf("a branch was mixed with its trunk: %d conversations", m.count())
	}
	changed := append([]chatMessage{{"system", "Be long"}}, talk[1:]...)
	if reply, _ := r.complete(changed, ""); reply != digest(changed) {
		t.Error("a changed system prompt did not reach the agent")
	}
}

// B3: a conversation that was reset continues as a new one that receives the whole transcript.
func TestUnnamedConversationContinuesAfterAReset(t *testing.T) {
	r, m := newMemoryRig(t, drive.Capabilities{})
	talk := []chatMessage{{"user", "One"}}
	reply, _ := r.complete(talk, "")
	talk = append(talk, chatMessage{"assistant", reply}, chatMessage{"user", "Two"})
	r.sendOrder("agent_dev", "kill")
	if reply, _ := r.complete(talk, ""); reply != digest(talk) || m.count() != 2 {
		t.Errorf("%q, %d conversations", reply, m.count())
	}
}

// B3: the number of idle unnamed conversations is bounded, because each may keep a program running.
func TestUnnamedConversationsAreBounded(t *testing.T) {
	r, m := newMemoryRig(t, drive.Capabilities{})
	var talks [][]chatMessage
	for i := range 2 * contracts.LimitBridgeUnnamed {
		talk := []chatMessage{{"user", fmt.Sprint("Hello from ", i)}}
		reply, _ := r.complete(talk, "")
		talks = append(talks, append(talk, chatMessage{"assistant", reply}, chatMessage{"user", "Still there?"}))
	}
	if most := m.most.Load(); most > contracts.LimitBridgeUnnamed+2 { // one starts while the oldest ends
		t.Errorf("%d conversations were held", most)
	}
	for i, talk := range talks { // the oldest have ended, and callers do not notice
		if reply, _ := r.complete(talk, ""); reply != digest(talk) {
			t.Errorf("caller %d: %q", i, reply)
		}
	}
}

// B5: a retry finds its turn in an unnamed conversation as well.
func TestRetryJoinsInAnUnnamedConversation(t *testing.T) {
	r, m := newMemoryRig(t, drive.Capabilities{})
	talk := []chatMessage{{"user", "One"}}
	first, _ := r.complete(talk, "", "Idempotency-Key", "k1")
	again, _ := r.complete(talk, `,"stream":true`, "Idempotency-Key", "k1")
	if first == "" || first != again || m.count() != 1 {
		t.Errorf("%q, %q, %d conversations", first, again, m.count())
	}
	if _, resp := r.complete([]chatMessage{{"user", "Two"}}, "", "Idempotency-Key", "k1"); resp.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a key for two requests: %d", resp.StatusCode)
	}
	talk = append(talk, chatMessage{"assistant", first}, chatMessage{"user", "Two"})
	if reply, _ := r.complete(talk, "", "Idempotency-Key", "k2"); reply != digest(talk) || m.count() != 1 {
		t.Errorf("the retry lost the conversation: %d conversations", m.count())
	}
	var same sync.Map
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			reply, _ := r.complete([]chatMessage{{"user", "At the same moment"}}, "", "Idempotency-Key", "k3")
			same.Store(reply, true)
		})
	}
	wg.Wait()
	if n := m.count(); n != 2 {
		t.Errorf("one request became %d conversations", n-1)
	}
}

// B3: in a named conversation the agent receives everything once: the system prompt, changes to it,
// and messages that the agent has not seen.
func TestNamedConversationGetsEveryMessageOnce(t *testing.T) {
	r, m := newMemoryRig(t, drive.Capabilities{})
	ask := func(list []chatMessage, header ...string) (*memorySession, *http.Response) {
		t.Helper()
		reply, resp := r.complete(list, `,"user":"notes"`, header...)
		if reply == "" {
			t.Fatalf("%d", resp.StatusCode)
		}
		return m.open[0], resp
	}
	session, _ := ask([]chatMessage{{"system", "Be brief"}, {"user", "One"}})
	reply := session.messages[len(session.messages)-1]
	session, _ = ask([]chatMessage{{"system", "Be brief"}, {"user", "One"}, reply, {"user", "Two"}})
	if session.last.Text != "Two" {
		t.Errorf("the agent got known messages again: %q", session.last.Text)
	}
	want := []chatMessage{{"system", "Be long"}, {"user", "Three"}}
	session, _ = ask(want)
	if got := fmt.Sprint(parsePrompt(session.last.Text)); got != fmt.Sprint(want) {
		t.Errorf("the new system prompt: %s", got)
	}
	want = []chatMessage{{"system", "Be brief"}, {"user", "Three again"}}
	session, _ = ask(want)
	if got := fmt.Sprint(parsePrompt(session.last.Text)); got != fmt.Sprint(want) {
		t.Errorf("the first system prompt, which is valid again: %s", got)
	}
	want = []chatMessage{{"user", "Asked elsewhere"}, {"assistant", "Answered elsewhere"}, {"user", "Four"}}
	session, _ = ask(append([]chatMessage{{"user", "One"}, reply}, want...))
	if got := fmt.Sprint(parsePrompt(session.last.Text)); got != fmt.Sprint(want) {
		t.Errorf("what was said elsewhere: %s", got)
	}
	if m.count() != 1 {
		t.Errorf("%d conversations", m.count())
	}
	// If a header names the conversation, only the last message is sent, and the response says so.
	reply2, resp := r.complete([]chatMessage{{"system", "Be brief"}, {"user", "One"}, {"assistant", "1"}, {"user", "Five"}}, "", "X-Openclaw-Agent-Id", "dev", "X-Openclaw-Chat-Id", "c")
	if got := m.open[1].last.Text; reply2 == "" || got != "Five" || resp.Header.Get("Bullpen-Ignored") != "messages" {
		t.Errorf("%q, ignored %q", got, resp.Header.Get("Bullpen-Ignored"))
	}
}

// B3: an agent that has no memory of its own receives the whole conversation: the caller's
// transcript, or the history of the named conversation.
func TestModelGetsTheWholeConversation(t *testing.T) {
	r, m := newMemoryRig(t, drive.Capabilities{Messages: true})
	talk := []chatMessage{{"system", "Be brief"}, {"user", "One"}, {"assistant", "1"}, {"user", "Two"}}
	for _, header := range [][]string{nil, {"X-Openclaw-Agent-Id", "dev", "X-Openclaw-Chat-Id", "c"}} {
		if reply, resp := r.complete(talk, "", header...); reply != digest(talk) || resp.Header.Get("Bullpen-Ignored") != "" {
			t.Errorf("%q %q", reply, resp.Header.Get("Bullpen-Ignored"))
		}
	}
	first, _ := r.complete([]chatMessage{{"system", "Be brief"}, {"user", "One"}}, `,"user":"notes"`)
	second, _ := r.complete([]chatMessage{{"user", "Two"}}, `,"user":"notes"`)
	want := []chatMessage{{"system", "Be brief"}, {"user", "One"}, {"assistant", first}, {"user", "Two"}}
	if second != digest(want) {
		t.Errorf("a conversation with a name was not continued: %v", m.open[len(m.open)-1].messages)
	}
	third, _ := r.complete([]chatMessage{{"system", "Be long"}, {"user", "Three"}}, `,"user":"notes"`)
	if want = append([]chatMessage{{"system", "Be long"}}, want[1:]...); third != digest(append(want, chatMessage{"assistant", second}, chatMessage{"user", "Three"})) {
		t.Errorf("%v", m.open[len(m.open)-1].messages)
	}
}

// Parameters that an agent supports are passed on; others are refused by name, before the agent is
// asked.
func TestUnsupportedParametersAreRefused(t *testing.T) {
	r, m := newMemoryRig(t, drive.Capabilities{Messages: true, Parameters: []string{"temperature", "response_format"}})
	hello := []chatMessage{{"user", "Hello"}}
	if reply, resp := r.complete(hello, `,"temperature":0.2,"response_format":{"type":"json_object"},"store":false,"tools":[{"type":"function"}],"tool_choice":"auto","max_completion_tokens":100`); reply == "" || resp.Header.Get("Bullpen-Ignored") != "max_completion_tokens, store, tools" {
		t.Errorf("%d, ignored %q", resp.StatusCode, resp.Header.Get("Bullpen-Ignored"))
	}
	if got := m.open[0].last.Parameters; len(got) != 2 || string(got["temperature"]) != "0.2" || string(got["response_format"]) != `{"type":"json_object"}` {
		t.Errorf("passed on: %v", got)
	}
	for more, param := range map[string]string{
		`,"stop":"x"`: "stop", `,"max_tokens":5`: "max_tokens", `,"n":2`: "n", `,"logprobs":true`: "logprobs", `,"tool_choice":"required"`: "tool_choice", `,"top_k":3`: "top_k",
	} {
		c := r.call(`{"model":"bullpen/dev","messages":[{"role":"user","content":"Hello"}]` + more + `}`)
		if body := c.rest(); c.resp.StatusCode != http.StatusBadRequest || !strings.Contains(body, `"param":"`+param+`"`) || !strings.Contains(body, `"type":"invalid_request_error"`) {
			t.Errorf("%s: %d %s", more, c.resp.StatusCode, body)
		}
	}
	if m.count() != 1 {
		t.Error("an agent was asked with an unsupported parameter")
	}
}

// A peer that connects while a request is waiting does not receive parameters that it does not
// support.
func TestPeerIsNotGivenUnsupportedParameters(t *testing.T) {
	m := &memoryDriver{caps: drive.Capabilities{Messages: true, Parameters: []string{"temperature"}}}
	entered, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	m.fails = func() bool {
		once.Do(func() { close(entered); <-goOn })
		return false
	}
	r := newRig(t, config{Program: program(m)})
	first := r.call(hello)
	<-entered
	second := r.call(strings.Replace(hello, `"stream"`, `"temperature":0.2,"stream"`, 1)) // waits for the first
	r.peer("dev::default")
	close(goOn)
	first.rest()
	if got := second.rest(); !strings.Contains(got, "temperature") || !strings.Contains(got, `"invalid_request_error"`) || !strings.Contains(got, "[DONE]") {
		t.Errorf("%s", got)
	}
}

// No text from one caller ever reaches another caller's conversation, whatever happens
// concurrently: conversations that start the same, retries, branches, parallel requests, agents
// that fail after receiving a prompt, and people who start new sessions. A reply reveals which
// messages the agent has received; they must be exactly those that its caller sent.
func TestConversationsAreNeverMixed(t *testing.T) {
	var dice atomic.Uint64
	m := &memoryDriver{fails: func() bool { return dice.Add(1)%11 == 0 }}
	r := newRig(t, config{Program: program(m)})
	var wg sync.WaitGroup
	answered := atomic.Int64{}
	for caller := range 8 {
		wg.Go(func() {
			roll := rand.New(rand.NewPCG(7, uint64(caller)))
			var past [][]chatMessage // everything that this caller could continue
			for step := range 40 {
				talk := []chatMessage{{"user", "Hello"}} // all callers start like this
				if len(past) > 0 && roll.IntN(4) > 0 {
					from := past[len(past)-1]
					if roll.IntN(3) == 0 {
						from = past[roll.IntN(len(past))] // a branch, or the same conversation again
					}
					talk = append(from[:len(from):len(from)], chatMessage{"user", fmt.Sprintf("caller %d step %d", caller, step)})
					if roll.IntN(3) == 0 {
						talk[len(talk)-1].Content = "Go on" // other callers say this, too
					}
				}
				more, header := "", []string{}
				if roll.IntN(2) == 0 {
					more = `,"stream":true`
				}
				if roll.IntN(4) == 0 {
					header = []string{"Idempotency-Key", fmt.Sprint(caller, "/", step)}
				}
				times := 1 + roll.IntN(3)/2*2
				var parallel sync.WaitGroup
				replies := make([]string, times)
				for i := range times {
					parallel.Go(func() { replies[i], _ = r.complete(talk, more, header...) })
				}
				parallel.Wait()
				for _, reply := range replies {
					if reply == "" {
						continue // the turn failed
					}
					answered.Add(1)
					if reply != digest(talk) {
						t.Errorf("caller %d got an answer from a conversation other than %v", caller, talk)
						return
					}
				}
				if replies[0] != "" {
					past = append(past, append(talk, chatMessage{"assistant", replies[0]}))
				}
				if roll.IntN(30) == 0 {
					r.sendOrder("agent_dev", "kill")
				}
			}
		})
	}
	wg.Wait()
	if answered.Load() < 200 {
		t.Errorf("only %d answers", answered.Load())
	}
	t.Logf("%d answers in %d conversations", answered.Load(), m.count())
}

// A program that takes over a session has no history, so it receives the whole conversation.
func TestAnotherProgramGetsTheWholeConversation(t *testing.T) {
	r := newRig(t, config{})
	a := r.peerOf("dev::*", "c1")
	one := make(chan string)
	ask := func(list []chatMessage) {
		go func() {
			reply, _ := r.complete(list, "")
			one <- reply
		}()
	}
	talk := []chatMessage{{"user", "One"}}
	ask(talk)
	if in := a.must("inbound"); in["content"] != "One" {
		t.Errorf("%v", in)
	}
	a.say(`{"type":"reply","content":"1"}`)
	talk = append(talk, chatMessage{"assistant", <-one}, chatMessage{"user", "Two"})
	a.say(`{"type":"hello","openclaw_session":"dev::*","claude_session":"c2"}`)
	a.must("hello_ack")
	ask(talk)
	if in := a.must("inbound"); fmt.Sprint(parsePrompt(fmt.Sprint(in["content"]))) != fmt.Sprint(talk) {
		t.Errorf("%v", in)
	}
	a.say(`{"type":"reply","content":"2"}`)
	<-one
}

// A caller that sends the whole conversation does not notice that the agent lost it. A caller that
// sends only new messages is told once that the conversation was lost.
func TestLostConversationIsSentAgain(t *testing.T) {
	r, m := newMemoryRig(t, drive.Capabilities{})
	talk := []chatMessage{{"user", "One"}}
	reply, _ := r.complete(talk, `,"user":"notes"`)
	talk = append(talk, chatMessage{"assistant", reply}, chatMessage{"user", "Two"})
	m.forgets.Store(true)
	if reply, _ := r.complete(talk, `,"user":"notes"`); reply != digest(talk) || m.count() != 2 {
		t.Errorf("%q, %d conversations", reply, m.count())
	}
	m.forgets.Store(true)
	reply, _ = r.complete([]chatMessage{{"user", "Three"}}, `,"user":"notes"`)
	if want := "(The earlier conversation could not be resumed. This is a new one.)\n\n" + digest([]chatMessage{{"user", "Three"}}); reply != want || m.count() != 3 {
		t.Errorf("%q, %d conversations", reply, m.count())
	}
}

// The agent may not have received a message whose turn failed, so that message is sent again with
// the next one.
func TestFailedMessageIsSentAgain(t *testing.T) {
	r, m := newMemoryRig(t, drive.Capabilities{})
	fails := true
	m.fails = func() bool { return fails }
	if reply, _ := r.complete([]chatMessage{{"user", "One"}}, `,"user":"notes"`); reply != "" {
		t.Fatalf("%q", reply)
	}
	fails = false
	talk := []chatMessage{{"user", "One"}, {"user", "Two"}}
	r.complete(talk, `,"user":"notes"`)
	if got := m.open[0].last.Text; fmt.Sprint(parsePrompt(got)) != fmt.Sprint(talk) {
		t.Errorf("%q", got)
	}
}

// After a restart the office remembers no unnamed conversation, but the agent still receives
// everything.
func TestUnnamedConversationContinuesAfterARestart(t *testing.T) {
	m := &memoryDriver{}
	cfg := config{Program: program(m)}
	talk := []chatMessage{{"system", "Be brief"}, {"user", "One"}}
	reply, _ := newRig(t, cfg).complete(talk, "")
	talk = append(talk, chatMessage{"assistant", reply}, chatMessage{"user", "Two"})
	if reply, _ := newRig(t, cfg).complete(talk, ""); reply != digest(talk) || m.count() != 2 {
		t.Errorf("%q, %d conversations", reply, m.count())
	}
}
