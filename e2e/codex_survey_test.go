//go:build unix

package e2e_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	agent "github.com/bullpen-office/bullpen/agents/codex"
	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
)

// startSharedCodex starts a Codex that several clients can use, and a thread in it.
func (d *desk) startSharedCodex(codex string) *codexSession {
	d.t.Helper()
	s := d.newCodexSession(codex, "--listen", "unix://")
	if err := s.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(s.kill)
	var conn *socket.Conn
	until(d.t, "Codex listens", func() bool {
		path, err := filepath.EvalSymlinks(filepath.Join(d.home, ".codex", "app-server-control", "app-server-control.sock"))
		if err != nil {
			return false
		}
		conn, err = socket.Dial(d.t.Context(), socket.Config{URL: "ws://localhost/", Handshake: testTimeout, Silence: testTimeout, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		}})
		if err == nil {
			d.t.Cleanup(func() { _ = os.Remove(path) }) // a killed Codex leaves the socket behind, outside its own directory
		}
		return err == nil
	})
	d.t.Cleanup(conn.Abort)
	s.say = func(m message) { _ = conn.Write([]byte(jsonText(m))) }
	go s.read(conn.Read)
	s.open(d.project, "")
	return s
}

// The office queries a real app-server, which other programs use too, for the state of its threads.
func TestCodexIsAskedAboutItsThreads(t *testing.T) {
	t.Parallel()
	d, codex := newCodexDesk(t, codexScript)
	s := d.startSharedCodex(codex)
	says := func(state guest.State) {
		t.Helper()
		until(t, "Codex says "+string(state), func() bool {
			reports, err := agent.Survey(t.Context(), filepath.Join(d.home, ".codex"))
			if err != nil {
				t.Fatal(err)
			}
			return len(reports) == 1 && reports[0].Session == s.thread && reports[0].State == state
		})
	}
	says(guest.StateIdle)
	asking := s.turn("ask please")
	says(guest.StateBlocked)
	q := s.await("Codex asks", func(m message) bool { return m["id"] != nil && m["method"] != nil })
	s.say(message{"id": q["id"], "result": message{"decision": "accept"}})
	s.completed(asking)
	says(guest.StateIdle)
	s.turn("slow please")
	says(guest.StateBusy)
}

// A person answers the approval requests of another program's thread, either in the office or in
// that program. No hooks are installed.
func TestCodexAsksThroughItsAppServer(t *testing.T) {
	t.Parallel()
	d, codex := newCodexDesk(t, codexScript)
	d.open()
	s := d.startSharedCodex(codex)

	asking := s.turn("ask please")
	q := d.decision()
	if q.at("permission.tool") != "exec" || !strings.Contains(q.str("prompt"), "touch made.txt") || d.exists("made.txt") {
		t.Errorf("the question is %v", q)
	}
	if m := d.give(d.operator(), "resolve_decision", message{"decision_id": q.str("decision_id"), "choice": contracts.OptionAllow}); m.str("type") != "ack" {
		t.Fatalf("the operator was refused: %v", m)
	}
	if status := s.completed(asking); status != "completed" || !d.exists("made.txt") {
		t.Errorf("after the answer the turn ended %s", status)
	}

	asking = s.turn("ask again")
	again := d.decision()
	seen := 0
	theirs := s.await("Codex asks again", func(m message) bool {
		if m["id"] != nil && m["method"] != nil {
			seen++
		}
		return seen == 2
	})
	s.say(message{"id": theirs["id"], "result": message{"decision": "accept"}})
	s.completed(asking)
	if ended := d.decided(again.str("decision_id")); ended.str("status") != "cancelled" {
		t.Errorf("answered elsewhere, the question ended as %v", ended)
	}
	if id := again.str("asked_by"); id != q.str("asked_by") {
		t.Errorf("asked by %s, then by %s", q.str("asked_by"), id)
	}
}
