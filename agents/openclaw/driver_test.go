package openclaw

import (
	"bufio"
	"context"
	"errors"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	reader "github.com/bullpen-office/bullpen/agents/openclaw/translate"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// gate is a fake gateway on a real socket. After chat.send, it replays frames that were recorded
// from OpenClaw 2026.9.6.
type gate struct {
	t      *testing.T
	url    string
	frames []string // recorded frames
	run    string   // id of the recorded run
	key    string   // key of the recorded session
	wait   string   // method to wait for before sending the frame that contains `at`
	at     string   // text in the frame to delay; see wait
	busy   bool     // the session was busy: the run's id differs from the idempotency key
	hang   int      // number of frames after which the connection is closed; 0 means never

	mu    sync.Mutex
	asked []string
}

func play(t *testing.T, file, run, key string) *gate {
	t.Helper()
	g := &gate{t: t, run: run, key: key}
	if file != "" {
		f, err := os.Open("translate/testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			g.frames = append(g.frames, lines.Text())
		}
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g.url = "ws://" + ln.Addr().String() + "/"
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { defer conn.Close(); g.serve(conn) })
		}
	})
	t.Cleanup(func() { ln.Close(); serving.Wait() })
	return g
}

type request struct {
	ID     string         `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
}

func (g *gate) serve(conn net.Conn) {
	if _, err := ws.Upgrade(conn); err != nil {
		return
	}
	say := func(text string) bool { return wsutil.WriteServerText(conn, []byte(text)) == nil }
	say(`{"type":"event","event":"connect.challenge","payload":{"nonce":"n","ts":1700000000000}}`)
	awaited := make(chan struct{}, 8)
	var playing sync.WaitGroup
	defer playing.Wait()
	defer close(awaited)
	for {
		data, err := wsutil.ReadClientText(conn)
		if err != nil {
			return
		}
		var r request
		if err := json.Unmarshal(data, &r); err != nil {
			g.t.Error(err)
			return
		}
		g.mu.Lock()
		g.asked = append(g.asked, r.Method+" "+string(r.Params))
		g.mu.Unlock()
		switch r.Method {
		case "connect":
			say(`{"type":"res","id":"` + r.ID + `","ok":true,"payload":{"type":"hello-ok","protocol":4,"server":{"version":"2026.9.6"},"auth":{"deviceToken":"d","scopes":[]},"policy":{"tickIntervalMs":30000}}}`)
		case "chat.send":
			if g.frames == nil {
				say(`{"type":"res","id":"` + r.ID + `","ok":false,"error":{"code":"FORBIDDEN","message":"missing scope","details":{"code":"MISSING_SCOPE"}}}`)
				continue
			}
			say(`{"type":"res","id":"` + r.ID + `","ok":true,"payload":{"status":"started"}}`)
			playing.Go(func() { g.play(conn, r, say, awaited) })
		default:
			say(`{"type":"res","id":"` + r.ID + `","ok":true,"payload":{}}`)
			if r.Method == g.wait {
				awaited <- struct{}{}
			}
		}
	}
}

// play sends the recorded frames, rewritten for the session and run of this message.
func (g *gate) play(conn net.Conn, r request, say func(string) bool, awaited <-chan struct{}) {
	var p struct {
		SessionKey     string `json:"sessionKey"`
		IdempotencyKey string `json:"idempotencyKey"`
	}
	if err := json.Unmarshal(r.Params, &p); err != nil {
		g.t.Error(err)
	}
	name := p.IdempotencyKey
	if g.busy {
		name = "another-name"
		say(`{"type":"event","event":"chat","payload":{"runId":"` + p.IdempotencyKey + `","sessionKey":"` + p.SessionKey + `","seq":1,"state":"final"}}`)
	}
	for i, f := range g.frames {
		if g.hang > 0 && i == g.hang {
			conn.Close()
			return
		}
		if g.at != "" && strings.Contains(f, g.at) {
			if _, ok := <-awaited; !ok {
				return
			}
			g.at = ""
		}
		f = strings.ReplaceAll(strings.ReplaceAll(f, `"`+g.run+`"`, `"`+name+`"`), `"`+g.key+`"`, `"`+p.SessionKey+`"`)
		if !say(f) {
			return
		}
	}
}

func (g *gate) requests(method string) (list []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, a := range g.asked {
		if params, ok := strings.CutPrefix(a, method+" "); ok {
			list = append(list, params)
		}
	}
	return list
}

func (g *gate) open(resume string) drive.Session {
	g.t.Helper()
	s, err := New(Config{URL: g.url, Token: "t"}).Open(g.t.Context(), drive.Spec{Key: "agent_eng_1::crew", AgentID: "agent_eng_1", Resume: resume})
	if err != nil {
		g.t.Fatal(err)
	}
	return s
}

// A turn shows the thinking, tool calls and text of its run and reports the run's usage, even if
// the session was busy and the run's id is not the idempotency key.
func TestTurnShowsItsRun(t *testing.T) {
	for _, busy := range []bool{false, true} {
		g := play(t, "tools.jsonl", "key-1", "agent:main:demo")
		g.busy = busy
		s := g.open("")
		sink := &drivetest.Sink{}
		answer, err := s.Turn(t.Context(), drive.Prompt{Text: "go"}, sink)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Text != "Done: all well." || sink.Text() != answer.Text {
			t.Errorf("%q, streamed %q", answer.Text, sink.Text())
		}
		for _, want := range []string{"thinks", "has thought", "start exec", "start read", "start write", "end exec jsontext.Value", "end read jsontext.Value"} {
			if !slices.Contains(sink.Lines(), want) {
				t.Errorf("%q did not happen: %q", want, sink.Lines())
			}
		}
		if u := answer.Usage; u.TokensIn != 200 || u.TokensOut != 40 || u.CostUSD == nil || u.Model != "mock/mock" {
			t.Errorf("used %+v", u)
		}
		sent := g.requests("chat.send")
		if len(sent) != 1 || !strings.Contains(sent[0], s.ID()) || !strings.HasPrefix(s.ID(), "agent:main:bullpen-agent_eng_1-") {
			t.Errorf("%q in %q", sent, s.ID())
		}
		if again := g.open(s.ID()); again.ID() != s.ID() {
			t.Errorf("%q is not resumed: %q", s.ID(), again.ID())
		}
	}
}

// A follower ignores the office's own sessions at a gateway.
func TestFollowersIgnoreOwnSessions(t *testing.T) {
	g := play(t, "tools.jsonl", "key-1", "agent:main:demo")
	r := reader.NewReader(reader.Gateway{Name: "x"})
	for _, f := range g.frames {
		f = strings.ReplaceAll(f, "agent:main:demo", reader.OwnSession("main", "agent_eng_1-1"))
		frame, err := reader.ParseFrame([]byte(f))
		if err != nil {
			t.Fatal(err)
		}
		if found, err := r.Event(frame.Event, frame.Payload, 1); err != nil || len(found) > 0 {
			t.Fatalf("%+v %v in %s", found, err, f)
		}
	}
}

func TestApprovalIsAnsweredAtTheGateway(t *testing.T) {
	for allow, want := range map[bool]string{true: "allow-once", false: "deny"} {
		g := play(t, "approval.jsonl", "y-ap", "agent:main:main")
		g.wait, g.at = "exec.approval.resolve", "approval.resolved"
		var asked contracts.Permission
		sink := &drivetest.Sink{Verdict: func(p contracts.Permission) (drive.Verdict, error) {
			asked = p
			return drive.Verdict{Allow: allow}, nil
		}}
		answer, err := g.open("").Turn(t.Context(), drive.Prompt{Text: "go"}, sink)
		if err != nil || answer.Text == "" {
			t.Errorf("%+v %v", answer, err)
		}
		if asked.Tool != "exec" || !strings.Contains(string(asked.Args), "approve-me") || asked.Grants != "" {
			t.Errorf("%+v", asked)
		}
		if got := g.requests("exec.approval.resolve"); len(got) != 1 || !strings.Contains(got[0], want) || !strings.Contains(got[0], "1d513f18") {
			t.Errorf("%q, want %s", got, want)
		}
	}
}

// A stopped turn is aborted on the gateway.
func TestStoppedTurnIsAborted(t *testing.T) {
	g := play(t, "abort.jsonl", "w-slow", "agent:main:main")
	g.wait, g.at = "chat.abort", `"state":"aborted"`
	ctx, cancel := context.WithCancel(t.Context())
	sink := &stopping{cancel: cancel}
	if _, err := g.open("").Turn(ctx, drive.Prompt{Text: "SLOW"}, sink); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if got := g.requests("chat.abort"); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

// stopping stops the turn at the first thought.
type stopping struct {
	drivetest.Sink
	cancel func()
}

func (s *stopping) Think() func() {
	s.cancel()
	return s.Sink.Think()
}

// A failed turn returns an error that reports what happened.
func TestFailedTurnReportsTheReason(t *testing.T) {
	failed := play(t, "fail.jsonl", "k-fail", "agent:scout:main")
	hung := play(t, "tools.jsonl", "key-1", "agent:main:demo")
	hung.hang = 12
	refused := play(t, "", "", "")
	for name, c := range map[string]struct {
		url  string
		want string
		is   error
	}{
		"the run fails":       {failed.url, "the run failed on the gateway", nil},
		"the connection ends": {hung.url, "the connection to the gateway ended", drive.ErrGone},
		"it is refused":       {refused.url, "missing scope", nil},
		"unreachable":         {"ws://127.0.0.1:1/", "is not reachable", drive.ErrUnreachable},
	} {
		s, err := New(Config{URL: c.url, Token: "t"}).Open(t.Context(), drive.Spec{AgentID: "agent_eng_1"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Turn(t.Context(), drive.Prompt{Text: "go"}, &drivetest.Sink{})
		if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
