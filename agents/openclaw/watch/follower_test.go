package watch

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

const (
	runStart = `{"runId":"r1","seq":1,"stream":"lifecycle","ts":1000,"sessionKey":"agent:main:main","agentId":"main","data":{"phase":"start"}}`
	runTool  = `{"runId":"r1","seq":2,"stream":"tool","ts":1100,"sessionKey":"agent:main:main","agentId":"main","data":{"phase":"start","name":"exec","toolCallId":"call_1","args":{"command":"make"}}}`
	active   = `{"subscribed":true,"list":{"sessions":[{"key":"agent:main:main","agentId":"main","updatedAt":946684800000,"hasActiveRun":true}]}}`
	past     = `{"sessionKey":"agent:main:main","sessionInfo":{"agentId":"main","hasActiveRun":false,"activeRunIds":[]},"messages":[` +
		`{"role":"user","content":"do it","timestamp":900,"__openclaw":{"id":"m1"}},` +
		`{"role":"assistant","content":[{"type":"toolCall","id":"call_1","name":"exec","arguments":{"command":"make"}}],"timestamp":1000,"usage":{"input":5,"output":5},"__openclaw":{"id":"m2","runId":"r1"}},` +
		`{"role":"toolResult","toolCallId":"call_1","toolName":"exec","content":"built","timestamp":1200,"__openclaw":{"id":"m3","runId":"r1"}},` +
		`{"role":"assistant","content":"done","stopReason":"stop","timestamp":1300,"__openclaw":{"id":"m4","runId":"r1"}}]}`
)

func TestFollowerReportsAgentsAndActivity(t *testing.T) {
	follow(t, nil, func(t *testing.T, g *fakeGateway, o *fakeOffice, f *Follower) {
		if p := o.recorded().people["agent_openclaw_main"]; p.Name != "Clawdia" || p.Source != "openclaw" || p.Session != "openclaw:agent:main:main" {
			t.Errorf("people %+v", o.recorded().people)
		}
		g.push("agent", runStart)
		g.push("session.tool", runTool)
		g.push("agent", runTool) // the same step in another kind of event
		settle()
		if want := []string{"turn_start r1 a turn", "tool_start call_1 ⚡ make"}; !slices.Equal(o.recorded().facts, want) || o.recorded().double != 0 {
			t.Errorf("facts %q, %d recorded twice", o.recorded().facts, o.recorded().double)
		}
		if o.countEvidence("turn_ended: gateway 127.0.0.1:18789 reports no active run") != 1 {
			t.Errorf("evidence %q", o.recorded().evidence)
		}
		if s := f.State(); !s.Connected || s.Version != "2026.9.6" || s.People != 1 || s.Problem != "" {
			t.Errorf("state %+v", s)
		}
	})
}

// If the connection breaks inside a frame, the follower reconnects, records the reconnection, and
// reads the missed events from the history; nothing is recorded twice.
func TestReconnectReadsTheHistory(t *testing.T) {
	follow(t, nil, func(t *testing.T, g *fakeGateway, o *fakeOffice, f *Follower) {
		g.push("agent", runStart)
		g.push("session.tool", runTool)
		settle()
		g.set("sessions.subscribe", active)
		g.set("chat.history", past)
		g.raw([]byte{0x81, 0x7e, 0xff, 0xff, '{'}) // a frame of 65535 bytes, but only one byte arrives
		g.hang(false)
		time.Sleep(2 * contracts.GatewayRetryFirst)
		settle()
		want := []string{
			"turn_start r1 a turn", "tool_start call_1 ⚡ make", "received  reconnect reconnected — replaying history",
			"received  message message received", "tool_end call_1 ⚡ make", "turn_end r1 ",
		}
		if !slices.Equal(o.recorded().facts, want) {
			t.Errorf("facts %q, want %q", o.recorded().facts, want)
		}
		if o.countEvidence("gone") != 0 {
			t.Errorf("a short break made an agent leave: %q", o.recorded().evidence)
		}
		repeated := o.recorded().double
		g.hang(false)
		time.Sleep(10 * time.Second)
		settle()
		if len(o.recorded().facts) != len(want)+1 || o.recorded().double <= repeated { // only the reconnect is new
			t.Errorf("facts %q", o.recorded().facts)
		}
	})
}

// After three intervals without a tick, the connection counts as dead, and all agents are reported
// as gone, with a reason. The follower retries forever with growing delays.
func TestSilentGatewayIsRetriedWithBackoff(t *testing.T) {
	follow(t, nil, func(t *testing.T, g *fakeGateway, o *fakeOffice, f *Follower) {
		time.Sleep(80 * time.Second)
		g.push("tick", `{"ts":1}`)
		settle()
		if o.countEvidence("alive: heartbeat from gateway 127.0.0.1:18789") != 1 {
			t.Errorf("evidence %q", o.recorded().evidence)
		}
		time.Sleep(80 * time.Second)
		if !f.State().Connected {
			t.Fatal("the gateway was abandoned while it ticked")
		}
		g.mu.Lock()
		g.down = true
		g.mu.Unlock()
		time.Sleep(10*time.Second + 2*contracts.GatewayRetryFirst)
		settle()
		if s := f.State(); s.Connected || !strings.Contains(s.Problem, "is not reachable") || s.Do == "" {
			t.Errorf("state %+v", s)
		}
		if o.countEvidence("gone: the gateway 127.0.0.1:18789 is not reachable") != 1 {
			t.Errorf("evidence %q", o.recorded().evidence)
		}
		before := g.dialed()
		time.Sleep(time.Hour)
		if n := g.dialed() - before; n < 110 || n > 130 { // one attempt every 30 s
			t.Errorf("%d attempts in an hour", n)
		}
		g.mu.Lock()
		g.down = false
		g.mu.Unlock()
		time.Sleep(contracts.GatewayRetryMax)
		settle()
		if !f.State().Connected || o.countEvidence("present") != 2 {
			t.Errorf("state %+v, evidence %q", f.State(), o.recorded().evidence)
		}
	})
}

func TestRejectedConnectionsSayWhatToDo(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(*fakeGateway, *Config)
		saw, do string
	}{
		"bad token":      {func(g *fakeGateway, c *Config) { c.Token = "wrong" }, "rejected the token", "--openclaw-token-file"},
		"no token":       {func(g *fakeGateway, c *Config) { c.Token = "" }, "requires a token", "--openclaw-token-file"},
		"other protocol": {func(g *fakeGateway, c *Config) { g.protocol = 5 }, "uses protocol version 5, but Bullpen supports version 4", "update"},
		"their protocol": {func(g *fakeGateway, c *Config) {
			g.refuse = `{"code":"INVALID_REQUEST","message":"protocol mismatch","details":{"code":"PROTOCOL_MISMATCH","expectedProtocol":9}}`
		}, "uses protocol version 9, but Bullpen supports version 4", "update"},
		"pairing": {func(g *fakeGateway, c *Config) {
			g.refuse = `{"code":"NOT_PAIRED","message":"pairing required","details":{"code":"PAIRING_REQUIRED","requestId":"req-7"}}`
		}, "requires this device to be paired", "openclaw devices approve req-7"},
	} {
		t.Run(name, func(t *testing.T) {
			follow(t, c.change, func(t *testing.T, g *fakeGateway, o *fakeOffice, f *Follower) {
				s := f.State()
				if s.Connected || !strings.Contains(s.Problem, c.saw) || !strings.Contains(s.Do, c.do) {
					t.Errorf("state %+v", s)
				}
				if strings.Contains(s.Problem+s.Do, "secret") || strings.Contains(s.Problem+s.Do, "wrong") {
					t.Errorf("the token is in %+v", s)
				}
				time.Sleep(5 * time.Minute)
				if g.dialed() > 12 {
					t.Errorf("%d attempts in five minutes, though only a person can help", g.dialed())
				}
			})
		})
	}
}

// A gateway that is starting is retried after the delay that it specifies.
func TestStartingGatewayIsRetriedWhenItAsks(t *testing.T) {
	starting := func(g *fakeGateway, _ *Config) {
		g.refuse = `{"code":"UNAVAILABLE","message":"gateway starting; retry shortly","retryable":true,"retryAfterMs":500,"details":{"reason":"startup-sidecars"}}`
	}
	follow(t, starting, func(t *testing.T, g *fakeGateway, o *fakeOffice, f *Follower) {
		g.mu.Lock()
		g.refuse = ""
		g.mu.Unlock()
		time.Sleep(time.Second)
		settle()
		if !f.State().Connected {
			t.Errorf("state %+v", f.State())
		}
	})
}

// Invalid messages are logged and skipped; too many in a row end only the connection.
func TestInvalidMessagesAreSkipped(t *testing.T) {
	follow(t, nil, func(t *testing.T, g *fakeGateway, o *fakeOffice, f *Follower) {
		for range limitBad - 1 {
			g.push("agent", `{"runId":7}`)
		}
		g.push("agent", runStart)
		settle()
		if !f.State().Connected || !o.has("turn_start r1") {
			t.Errorf("state %+v, facts %q", f.State(), o.recorded().facts)
		}
		for range limitBad {
			if g.write(g.last(), "{oops") != nil {
				break
			}
		}
		settle()
		if s := f.State(); s.Connected || !strings.Contains(s.Problem, "is not an OpenClaw gateway") {
			t.Errorf("state %+v", s)
		}
	})
	for name, bytes := range map[string][]byte{
		"not a frame":     []byte("HTTP/1.1 400 Bad Request\r\n\r\n"),
		"masked":          {0x81, 0x81, 1, 2, 3, 4, 5},
		"endless":         append([]byte{0x81, 0x7f}, binary.BigEndian.AppendUint64(nil, 1<<62)...),
		"long ping":       {0x89, 0x7e, 0x01, 0x00},
		"reserved bits":   {0xf1, 0x00},
		"early close":     {0x88, 0x02, 0x03, 0xe8},
		"broken close":    {0x88, 0x01, 0x03},
		"negative length": append([]byte{0x81, 0x7f}, binary.BigEndian.AppendUint64(nil, 1<<63)...),
	} {
		t.Run(name, func(t *testing.T) {
			follow(t, nil, func(t *testing.T, g *fakeGateway, o *fakeOffice, f *Follower) {
				g.raw(bytes)
				settle()
				if f.State().Connected {
					t.Error("still connected")
				}
				time.Sleep(contracts.GatewayRetryMax)
				settle()
				if !f.State().Connected {
					t.Errorf("the follower did not reconnect: %+v", f.State())
				}
			})
		})
	}
}

// A message that is too large is skipped; the follower reads the missing events from the history.
func TestHugeMessageIsSkipped(t *testing.T) {
	follow(t, nil, func(t *testing.T, g *fakeGateway, o *fakeOffice, f *Follower) {
		g.push("agent", runStart)
		settle()
		g.set("chat.history", past)
		g.push("session.message", `"`+strings.Repeat("x", contracts.LimitGatewayFrame)+`"`)
		settle()
		if !f.State().Connected || !o.has("turn_end r1") {
			t.Errorf("state %+v, facts %q", f.State(), o.recorded().facts)
		}
	})
}

// Nothing is lost while the ledger is down.
func TestLedgerOutageLosesNothing(t *testing.T) {
	follow(t, nil, func(t *testing.T, g *fakeGateway, o *fakeOffice, f *Follower) {
		o.mu.Lock()
		o.full = 3
		o.mu.Unlock()
		g.push("agent", runStart)
		settle()
		if len(o.recorded().facts) != 0 {
			t.Errorf("facts %q", o.recorded().facts)
		}
		time.Sleep(5 * time.Second)
		if !o.has("turn_start r1") {
			t.Errorf("facts %q", o.recorded().facts)
		}
	})
}

// Only the owner can read the device key and the gateway's token, and both are reused.
func TestDeviceFilesArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "openclaw")
	var first string
	with := func(token string) func(*fakeGateway, *Config) {
		return func(_ *fakeGateway, c *Config) { c.Dir, c.Token = dir, token }
	}
	follow(t, with("secret"), func(t *testing.T, _ *fakeGateway, _ *fakeOffice, f *Follower) { first = f.device.id() })
	for _, name := range []string{keyName, tokenName("ws://127.0.0.1:18789/")} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
	for _, token := range []string{"", "outdated"} { // the stored token is used
		follow(t, with(token), func(t *testing.T, _ *fakeGateway, _ *fakeOffice, f *Follower) {
			if !f.State().Connected || f.device.id() != first {
				t.Errorf("token %q: state %+v", token, f.State())
			}
		})
	}
	if err := os.WriteFile(filepath.Join(dir, keyName), []byte("oops"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Config{URL: "ws://x", Dir: dir}); err == nil || !strings.Contains(err.Error(), "is not a device key") {
		t.Errorf("a broken key: %v", err)
	}
}

// `bullpen doctor` never pairs a device: Check authenticates only if the device key exists.
func TestCheckPairsNothing(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		change    func(*fakeGateway, *Config)
		pair      bool
		want, not string
	}{
		"new":         {nil, false, "is a gateway; this device will be paired when the office first connects", ""},
		"known":       {nil, true, "runs OpenClaw 2026.9.6 and allows operator.admin", ""},
		"token":       {func(_ *fakeGateway, c *Config) { c.Token = "wrong" }, true, "", "rejected the token"},
		"unreachable": {func(g *fakeGateway, _ *Config) { g.down = true }, true, "", "is not reachable"},
	} {
		g := newFake(t)
		cfg := Config{URL: "ws://127.0.0.1:18789/", Token: "secret", Dir: filepath.Join(dir, name), Dial: g.dial}
		if c.pair {
			if _, err := openDevice(cfg.Dir); err != nil {
				t.Fatal(err)
			}
		}
		if c.change != nil {
			c.change(g, &cfg)
		}
		saw, err := Check(t.Context(), cfg)
		if !strings.Contains(saw, c.want) || (err == nil) != (c.not == "") || err != nil && !strings.Contains(err.Error(), c.not) {
			t.Errorf("%s: %q, %v", name, saw, err)
		}
		if hasDeviceKey(cfg.Dir) != c.pair {
			t.Errorf("%s: the doctor created a key", name)
		}
		g.hang(true)
	}
}
