package hub

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobwas/ws/wsutil"

	"github.com/bullpen-office/bullpen/contracts"
)

// virtual runs a test in virtual time, with a hub behind a real HTTP server.
func virtual(t *testing.T, fn func(t *testing.T, r *rig), opts ...rigOption) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, opts...)
		defer r.stop()
		fn(t, r)
	})
}

func TestW8_ColdSubscribeGetsSnapshotThenLive(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		c := r.connect(t)
		snap := c.join()
		if snap.Seq != r.ledger.Head() {
			t.Errorf("snapshot is as of %d, want %d", snap.Seq, r.ledger.Head())
		}
		seq := r.append(note("one"))
		if m := c.expect(contracts.TypeEvent); m.Seq != seq || m.Note != "one" {
			t.Errorf("got %s", m.raw)
		}
	})
}

func TestW6_HelloTimeoutCloses4001(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		start := time.Now()
		c := r.connect(t)
		if code := c.awaitClose(); code != contracts.CloseHelloTimeout {
			t.Errorf("code %d", code)
		}
		if d := time.Since(start); d != contracts.HelloTimeout {
			t.Errorf("closed after %v", d)
		}
	})
}

func TestW18_SilenceCloses4000(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		c := r.connect(t)
		ack := c.hello(helloPlain)
		if ack.Heartbeat.IntervalMS != 15_000 || ack.Heartbeat.TimeoutMS != 45_000 {
			t.Errorf("heartbeat %+v", ack.Heartbeat)
		}
		for range 10 { // pings keep the connection open
			time.Sleep(contracts.HeartbeatInterval)
			id := c.send(contracts.TypePing, `{}`)
			if m := c.expect(contracts.TypePong); m.InReplyTo != id {
				t.Errorf("pong %s", m.raw)
			}
		}
		last := time.Now()
		if code := c.awaitClose(); code != contracts.CloseHeartbeat {
			t.Errorf("code %d", code)
		}
		if d := time.Since(last); d != contracts.HeartbeatTimeout {
			t.Errorf("closed %v after the last ping", d)
		}
	})
}

func TestW6_HelloAckIdentifiesSessionAndPlayer(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		c := r.connect(t)
		ack := c.hello(`{"client":{"name":"test"},"supported_versions":[7,1]}`)
		if ack.ProtocolVersion != 1 || ack.ProtocolV != 1 || ack.Epoch != r.ledger.ID() || ack.Resume != nil {
			t.Errorf("ack %+v", ack)
		}
		if !contracts.HasPrefix(ack.SessionID, contracts.PrefixSession) || !contracts.HasPrefix(ack.PlayerID, contracts.PrefixPlayer) {
			t.Errorf("ids %q %q", ack.SessionID, ack.PlayerID)
		}
		if ack.Server.Name != "bullpen" || ack.Access != contracts.AccessOperator || len(ack.Features) == 0 {
			t.Errorf("ack %+v", ack)
		}
		c.close()
		synctest.Wait()
		if got := r.office.left; len(got) != 1 || got[0] != ack.PlayerID {
			t.Errorf("left: %v", got)
		}
	})
}

func TestW6_NoCommonVersionCloses4002(t *testing.T) {
	for name, msg := range map[string]string{
		"supported_versions": `{"type":"hello","id":"h1","ts":1,"v":1,"payload":{"client":{"name":"x"},"supported_versions":[2,3]}}`,
		"envelope":           `{"type":"hello","id":"h1","ts":1,"v":2,"payload":{"client":{"name":"x"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, r *rig) {
				c := r.connect(t)
				c.write(msg)
				m := c.expect(contracts.TypeError)
				if m.Code != string(contracts.CodeVersionUnsupported) || m.InReplyTo != "h1" {
					t.Errorf("got %s", m.raw)
				}
				if code := c.awaitClose(); code != contracts.CloseVersion {
					t.Errorf("code %d", code)
				}
			})
		})
	}
}

func TestW6_OnlyHelloFirstAndOnce(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		c := r.connect(t)
		for _, typ := range []contracts.MessageType{"subscribe", "command", "chat", "ping"} {
			id := c.send(typ, `{}`)
			if m := c.expect(contracts.TypeError); m.Code != "NOT_ALLOWED" || m.InReplyTo != id {
				t.Errorf("%s before hello: %s", typ, m.raw)
			}
		}
		c.hello(helloPlain)
		id := c.send(contracts.TypeHello, helloPlain)
		if m := c.expect(contracts.TypeError); m.Code != "NOT_ALLOWED" || m.InReplyTo != id {
			t.Errorf("second hello: %s", m.raw)
		}
		c.submit() // the session still works; commands need no subscription
		c.expect(contracts.TypeAck)
	})
}

func TestW18_RoleComesBeforeRateAndShape(t *testing.T) {
	for _, role := range []contracts.AccessRole{contracts.AccessViewer, contracts.AccessAgent} {
		principal := withConfig(func(c *Config) {
			c.Principal = func(*http.Request) contracts.Principal { return contracts.Principal{ID: "p", Access: role} }
		})
		virtual(t, func(t *testing.T, r *rig) {
			c := r.connect(t)
			if ack := c.hello(helloPlain); ack.Access != role {
				t.Errorf("access %q", ack.Access)
			}
			head := r.ledger.Head()
			for range contracts.CommandsPerWindow + 5 {
				c.command("no_such_command", `{}`)
				if m := c.expect(contracts.TypeError); m.Code != "NOT_ALLOWED" {
					t.Fatalf("%s got %s", role, m.raw)
				}
			}
			c.send(contracts.TypeChat, `{"text":"hi"}`)
			if m := c.expect(contracts.TypeError); m.Code != "NOT_ALLOWED" {
				t.Errorf("chat: %s", m.raw)
			}
			if r.ledger.Head() != head {
				t.Error("a refused command changed the ledger")
			}
		}, principal)
	}
}

func TestW7_SubscribeAgainChangesChannels(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		c := r.connect(t)
		c.hello(helloPlain)
		c.subscribe(`{"chat":true}`)
		c.expect(contracts.TypeSnapshot)
		r.append(note("unseen"), say("seen"))
		if m := c.expect(contracts.TypeChat); m.Note != "seen" {
			t.Errorf("got %s", m.raw)
		}
		c.subscribe(`{"events":true}`)
		synctest.Wait()
		r.append(say("unseen"), note("seen"))
		if m := c.expect(contracts.TypeEvent); m.Note != "seen" {
			t.Errorf("got %s", m.raw)
		}
		c.subscribe(`{"events":true,"snapshots":true}`)
		c.expect(contracts.TypeSnapshot)
		c.subscribe(`{"events":true}`)
		synctest.Wait()
		for len(c.got) > 0 {
			<-c.got
		}
		time.Sleep(2 * time.Second)
		if len(c.got) > 0 {
			t.Errorf("snapshots still arrive: %s", (<-c.got).raw)
		}
	})
}

func TestW7_UnknownSceneIsNotFound(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		c := r.connect(t)
		c.hello(helloPlain)
		id := c.send(contracts.TypeSubscribe, `{"scene_id":"another_scene","channels":{"events":true}}`)
		if m := c.expect(contracts.TypeError); m.Code != "NOT_FOUND" || m.InReplyTo != id {
			t.Errorf("got %s", m.raw)
		}
		c.subscribe(everything)
		c.expect(contracts.TypeSnapshot)
	})
}

func TestW18_TooManyViolationsClose4009(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		c := r.connect(t)
		c.hello(helloPlain)
		for i := range contracts.ViolationsPerMinute {
			c.write(`{"nonsense":true}`)
			if i < contracts.ViolationsPerMinute-1 {
				c.expect(contracts.TypeError)
			}
		}
		if code := c.awaitClose(); code != contracts.CloseViolations {
			t.Errorf("code %d", code)
		}
	})
}

func TestW18_ShutdownRevocationAndLimits(t *testing.T) {
	principal := func(c *Config) {
		c.Principal = func(q *http.Request) contracts.Principal {
			return contracts.Principal{ID: q.URL.Query().Get("who"), Access: contracts.AccessOperator}
		}
		c.Limits.Sockets, c.Limits.SocketsPerPrincipal = 3, 2
	}
	virtual(t, func(t *testing.T, r *rig) {
		a, b := r.connectTo(t, "/ws/world?who=ann"), r.connectTo(t, "/ws/world?who=ben")
		a.join()
		b.join()
		a2 := r.connectTo(t, "/ws/world?who=ann")
		a2.join()
		if code := r.connectTo(t, "/ws/world?who=cid").awaitClose(); code != contracts.CloseOverloaded {
			t.Errorf("the fourth socket was closed with %d", code)
		}
		r.hub.CloseRevoked("ann")
		if code := a.awaitClose(); code != contracts.CloseRevoked {
			t.Errorf("revoked: %d", code)
		}
		a2.awaitClose()
		synctest.Wait()
		if n := r.hub.Health().Sockets; n != 1 {
			t.Errorf("%d sockets are left", n)
		}
		b2 := r.connectTo(t, "/ws/world?who=ben")
		b2.join()
		if code := r.connectTo(t, "/ws/world?who=ben").awaitClose(); code != contracts.CloseOverloaded {
			t.Errorf("the credential's third socket was closed with %d", code)
		}
		r.stop()
		if code := b.awaitClose(); code != contracts.CloseGoingAway {
			t.Errorf("shutdown: %d", code)
		}
	}, withConfig(principal))
}

// TestW18_ShutdownAnswersCommands checks that, when the server stops, the running command and any
// commands that arrived after it are answered before the connection is closed.
func TestW18_ShutdownAnswersCommands(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		carried, release := make(chan string), make(chan struct{})
		r.office.do = func(cmd contracts.Command) contracts.Reply {
			carried <- cmd.ID
			<-release
			return contracts.Reply{Seq: 1}
		}
		c := r.connect(t)
		c.hello(helloPlain)
		ids := []string{c.submit()}
		<-carried
		go func() {
			for range 3 {
				c.submit()
			}
		}()
		synctest.Wait()
		stopped := make(chan struct{})
		go func() { defer close(stopped); r.stop() }()
		synctest.Wait()
		for range 3 {
			release <- struct{}{}
			ids = append(ids, <-carried)
		}
		release <- struct{}{}
		for _, id := range ids {
			if m := c.expect(contracts.TypeAck); m.InReplyTo != id {
				t.Errorf("%s was answered with %s", id, m.raw)
			}
		}
		if code := c.awaitClose(); code != contracts.CloseGoingAway {
			t.Errorf("closed with %d", code)
		}
		<-stopped
	})
}

// TestW18_ShutdownEnds checks that a viewer that keeps sending commands does not delay the
// shutdown.
func TestW18_ShutdownEnds(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		c := r.connect(t)
		c.hello(helloPlain)
		began, over := time.Now(), make(chan struct{})
		go func() {
			for {
				select {
				case <-over:
					return
				case <-time.After(contracts.ShutdownSilence / 2):
					_ = wsutil.WriteClientText(c.conn, []byte(`{"type":"ping","id":"msg_1","ts":1,"v":1,"payload":{}}`))
				}
			}
		}()
		go r.stop()
		if code := c.awaitClose(); code != contracts.CloseGoingAway {
			t.Errorf("closed with %d", code)
		}
		if took := time.Since(began); took > contracts.CloseGrace+contracts.ShutdownSilence {
			t.Errorf("shutdown took %v", took)
		}
		close(over)
		c.conn.Close()
	})
}
