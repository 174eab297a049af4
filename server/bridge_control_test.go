package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/world"
)

// peerConn is a bridge connection that the test answers itself.
type peerConn struct {
	*socket.Conn
	r *rig
}

func (r *rig) dialPeer(session, token string) peerConn {
	r.t.Helper()
	conn, err := socket.Dial(r.t.Context(), socket.Config{URL: r.address, Token: token})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(conn.Abort)
	p := peerConn{conn, r}
	p.write(`{"type":"hello","openclaw_session":"` + session + `"}`)
	p.until("hello_ack")
	return p
}

// admitPeer connects agent_dev to the bridge and waits until the agent is in the office.
func (r *rig) admitPeer() peerConn {
	r.t.Helper()
	token, revoke := r.gate.Issue("")
	r.t.Cleanup(revoke)
	p := r.dialPeer("dev::c", token)
	r.untilTrue("the office knows the peer", func() (so bool) {
		r.view.Look(func(w *world.World) { so = w.Agent("agent_dev") != nil })
		return so
	})
	return p
}

func (p peerConn) write(text string) {
	p.r.t.Helper()
	if err := p.Write([]byte(text)); err != nil {
		p.r.t.Fatal(err)
	}
}

func (p peerConn) until(kind string) {
	p.r.t.Helper()
	for {
		text, err := p.Read()
		if err != nil {
			p.r.t.Fatalf("no %s: %v", kind, err)
		}
		if strings.Contains(string(text), `"type":"`+kind+`"`) {
			return
		}
	}
}

// A reported stop, kill or new_session is only recorded; only a command ends a turn.
func TestReportsAreNotOrders(t *testing.T) {
	r := startRig(t, withoutCrew())
	token, revoke := r.gate.Issue("")
	defer revoke()
	type answer struct {
		status int
		body   string
	}
	ask := func(agent string) (peerConn, chan answer) {
		p, got := r.dialPeer(agent+"::c", token), make(chan answer, 1)
		go func() {
			status, body := r.post("/v1/chat/completions", `{"model":"`+agent+`","user":"c","messages":[{"role":"user","content":"Hello"}]}`)
			got <- answer{status, body}
		}()
		p.until("inbound")
		return p, got
	}
	victim, answered := ask("victim")
	_, stopped := ask("other")
	for _, subtype := range []string{"stop", "kill", "new_session"} {
		body := `{"type":"hud","event":"received","agent":"agent_victim","session":"bridge:victim::c","subtype":"` + subtype + `"}`
		if status, text := r.post("/v1/events", body, "Authorization: Bearer "+token); status != http.StatusOK || !strings.Contains(text, `"seq"`) {
			t.Fatalf("%s: %d %s", subtype, status, text)
		}
	}
	r.untilTrue("the office knows that it works", func() (so bool) {
		r.view.Look(func(w *world.World) {
			a := w.Agent("agent_other")
			so = a != nil && a.Status != nil && a.Status.Activity == contracts.ActivityWorking
		})
		return so
	})
	v := r.dial("")
	v.command(contracts.CmdStopAgent, map[string]string{"agent_id": "agent_other"})
	v.until("ack")
	if got := <-stopped; got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, "turn_stopped") {
		t.Errorf("a command does not stop the turn: %+v", got)
	}
	victim.write(`{"type":"reply","content":"Still here.","final":true}`)
	if got := <-answered; got.status != http.StatusOK || !strings.Contains(got.body, "Still here.") {
		t.Errorf("a report ended the turn: %+v", got)
	}
}

// Messages to a connected agent arrive in the order they were sent.
func TestMessagesToAPeerKeepTheirOrder(t *testing.T) {
	r := startRig(t, withoutCrew())
	p := r.admitPeer()
	v := r.dial("")
	const messages = 4
	for i := range messages {
		v.command(contracts.CmdChat, contracts.Say{To: "agent_dev", Text: fmt.Sprintf("message %d", i)})
	}
	for i := range messages {
		for {
			text, err := p.Read()
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), `"type":"inbound"`) {
				continue
			}
			if want := fmt.Sprintf("message %d", i); !strings.Contains(string(text), want) {
				t.Fatalf("got %s, want %s", text, want)
			}
			break
		}
		p.write(`{"type":"reply","content":"ok","final":true}`)
	}
}

// A message that is redacted while it waits behind another turn does not reach the peer, and its
// text does not return to the ledger.
func TestRedactedMessageIsNotDelivered(t *testing.T) {
	const secret = "hunter2-4711"
	r := startRig(t, withoutCrew())
	p := r.admitPeer()
	say := func(id, text string) uint64 {
		t.Helper()
		reply := r.office.Do(t.Context(), contracts.Command{ID: id, Caller: contracts.Caller{Identity: "a/b", Access: contracts.AccessOperator}, Data: contracts.Say{To: "agent_dev", Text: text}})
		if reply.Refusal != nil {
			t.Fatal(reply.Refusal)
		}
		return reply.Seq
	}
	inbound := func() string {
		t.Helper()
		for {
			text, err := p.Read()
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), `"type":"inbound"`) {
				return string(text)
			}
		}
	}
	say("1", "first")
	inbound()
	seq := say("2", "the key is "+secret)
	say("3", "third")
	if _, err := r.office.Redact(t.Context(), office.RedactRequest{Seqs: []uint64{seq}, Reason: "a secret"}); err != nil {
		t.Fatal(err)
	}
	p.write(`{"type":"reply","content":"ok","final":true}`)
	if got := inbound(); !strings.Contains(got, "third") {
		t.Fatalf("the peer got %s", got)
	}
	redacted := func(rec contracts.Record) bool { return strings.Contains(string(rec.Body), "the message was redacted") }
	var recs []contracts.Record
	r.untilTrue("the redacted message is answered", func() bool {
		var err error
		if recs, err = r.ledger.Read(t.Context(), 0, 1000); err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(recs, redacted)
	})
	for _, rec := range recs {
		if strings.Contains(string(rec.Body), secret) {
			t.Errorf("record %d has the text again: %s", rec.Seq, rec.Body)
		}
	}
}
