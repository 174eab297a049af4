package link

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/server"
	"github.com/bullpen-office/bullpen/world/scene"
)

func TestConnects(t *testing.T) {
	h := startServer(t, server.Config{Pace: 1000})
	v := visit(t, Config{Server: "http://" + h.addr + "/"})
	v.live()
	v.until("the room is there", func() bool { return v.scene == contracts.DefaultScene })
	v.until("the history was read", func() bool { return len(v.office.Feed()) > 0 })
	v.withLock(func() {
		if n := len(v.office.Rows().Agents); n < 5 {
			t.Errorf("%d people", n)
		}
		if v.office.Access != contracts.AccessOperator || v.office.Permit {
			t.Errorf("without a token, access is %s and permit is %v", v.office.Access, v.office.Permit)
		}
	})
	if reply := v.Do(t.Context(), contracts.AutoAssign{ProjectID: "proj_none"}); reply.OK || reply.Code != contracts.CodeNotFound {
		t.Errorf("%+v", reply)
	}
	if _, err := v.Get(t.Context(), "/v1/artifacts/art_none", 100); err == nil {
		t.Error("an unknown path was read")
	}
}

// TestSeenByName checks that others see a person's configured name, or the default name.
func TestSeenByName(t *testing.T) {
	h := startServer(t, server.Config{Pace: 1000})
	for _, name := range []string{"mira", ""} {
		v := visit(t, Config{Server: "http://" + h.addr, Name: name})
		v.live()
		if reply := v.Do(t.Context(), contracts.PlayerPos{Pos: contracts.Vec3{0, 0, 4}}); !reply.OK {
			t.Fatalf("%+v", reply)
		}
		want := map[string]string{"mira": "mira", "": "Visitor"}[name]
		v.until(want+" is in the room", func() bool {
			return slices.ContainsFunc(v.office.Rows().Players, func(p contracts.Player) bool { return p.Name == want && p.PlayerID == v.office.Me })
		})
	}
}

// TestOlderKeepsItsPlaceWithoutTheOffice checks that Older can be retried from the same position
// after the office was unreachable.
func TestOlderKeepsItsPlaceWithoutTheOffice(t *testing.T) {
	h := startServer(t, server.Config{Pace: 1000})
	v := visit(t, Config{Server: "http://" + h.addr})
	v.live()
	if list, next, done := v.Older(t.Context(), 2000); len(list) == 0 || next != 1 || !done {
		t.Errorf("%d events, next %d, done %v", len(list), next, done)
	}
	h.stop()
	if list, next, done := v.Older(t.Context(), 2000); len(list) > 0 || next != 2000 || done {
		t.Errorf("without an office: %d events, next %d, done %v", len(list), next, done)
	}
}

// TestExactlyOnce checks W10 on the client: a command whose answer was lost with the connection is
// sent again with the same id and carried out once.
func TestExactlyOnce(t *testing.T) {
	p, h := between(t, server.Config{Pace: 1, DataDir: t.TempDir()})
	v := visit(t, Config{Server: "http://" + p.Addr().String(), Token: h.token()})
	v.live()
	v.withLock(func() {
		if !v.office.Permit {
			t.Error("the owner may not answer permissions (S4)")
		}
	})
	p.silence(true)
	answer := make(chan Reply, 1)
	go func() { answer <- v.Do(context.Background(), contracts.SubmitRequest{Text: "A page about tea"}) }()
	other := visit(t, Config{Server: "http://" + h.addr})
	other.until("the office received the request", func() bool { return len(other.office.Rows().Projects) == 1 })
	p.cut() // while silenced, no client can reconnect
	v.untilIn(Stale)
	if reply := v.Do(t.Context(), contracts.SubmitRequest{Text: "Lost"}); reply.Code != CodeOffline {
		t.Errorf("a command without a connection: %+v", reply)
	}
	p.silence(false)
	p.cut()
	v.RetryNow()
	reply := <-answer
	if !reply.OK || !reply.Duplicate || reply.Result.ProjectID == "" {
		t.Errorf("the retry got %+v", reply)
	}
	v.live()
	v.until("the project is seen", func() bool { return len(v.office.Rows().Projects) == 1 })
	v.withLock(func() {
		if v.resets != 0 {
			t.Error("the reconnect did not resume")
		}
	})
}

// TestRestartIsInvisible checks that after a server restart nothing is missed and nothing
// arrives twice (W8, W9).
func TestRestartIsInvisible(t *testing.T) {
	h := startServer(t, server.Config{Pace: 50, DataDir: t.TempDir()})
	v := visit(t, Config{Server: "http://" + h.addr})
	v.live()
	v.must(contracts.SubmitRequest{Text: "A launch plan"})
	v.until("the kickoff began", func() bool { return len(v.office.Rows().Projects) == 1 })
	h.stop()
	v.untilIn(Stale)
	h.open()
	v.RetryNow()
	v.live()
	v.until("there are tasks", func() bool { return len(v.office.Rows().Tasks) > 0 })
	v.mu.Lock()
	defer v.mu.Unlock()
	seen := map[string]int{}
	for _, m := range v.heard {
		if m.Type == contracts.TypeEvent && m.Seq > 0 {
			seen[m.ID]++
		}
	}
	for id, n := range seen {
		if n > 2 { // once over the socket, once in the history that a new client reads
			t.Errorf("%s arrived %d times", id, n)
		}
	}
	if v.resets != 0 {
		t.Error("the reconnect did not resume")
	}
}

// TestAnotherHistory checks that the link starts from scratch if the server has another ledger
// (W9).
func TestAnotherHistory(t *testing.T) {
	h := startServer(t, server.Config{Pace: 1000})
	v := visit(t, Config{Server: "http://" + h.addr})
	v.live()
	v.must(contracts.SubmitRequest{Text: "Gone with the wind"})
	v.until("it is there", func() bool { return len(v.office.Rows().Projects) == 1 })
	h.stop()
	v.untilIn(Stale)
	h.open()
	v.RetryNow()
	v.live()
	v.until("the old state is gone", func() bool { return v.resets == 1 && len(v.office.Rows().Projects) == 0 })
}

// TestRefused checks that the link stops and states the reason if reconnecting would be pointless.
func TestRefused(t *testing.T) {
	strict := startServer(t, server.Config{DataDir: t.TempDir(), RequireToken: true})
	for name, token := range map[string]string{"without a token": "", "with a wrong token": "bp_wrong"} {
		v := visit(t, Config{Server: "http://" + strict.addr, Token: token})
		v.untilIn(Refused)
		if got := v.State().Reason; got != TokenWords {
			t.Errorf("%s: %q", name, got)
		}
	}
	old := startFakeServer(t, func(conn net.Conn) {
		_, _ = wsutil.ReadClientText(conn)
		_ = wsutil.WriteServerText(conn, []byte(`{"type":"error","id":"m","ts":1,"v":1,"payload":{"in_reply_to":"x","code":"PROTOCOL_VERSION_UNSUPPORTED","message":"no","supported_versions":[7]}}`))
		_ = wsutil.WriteServerMessage(conn, ws.OpClose, ws.NewCloseFrameBody(4002, ""))
	})
	v := visit(t, Config{Server: old})
	v.untilIn(Refused)
	if got := v.State().Reason; got != versionWords([]int{7}) {
		t.Errorf("%q", got)
	}
}

// TestUnreachable checks the reason shown for an address without a server, and for a server that
// is not Bullpen.
func TestUnreachable(t *testing.T) {
	page := httptest.NewServer(http.NotFoundHandler())
	defer page.Close()
	for server, want := range map[string]string{
		"http://127.0.0.1:1": "The office cannot be reached.",
		page.URL:             fmt.Sprintf("The server at %s is not Bullpen.", page.URL),
	} {
		v := visit(t, Config{Server: server})
		v.until("a state is reported", func() bool { return len(v.states) > 0 })
		v.withLock(func() {
			if s := v.states[0]; s.Phase != Offline || s.Reason != want || s.Attempt != 1 || s.RetryAt.IsZero() {
				t.Errorf("%+v", s)
			}
		})
	}
}

// TestInvalidMessages checks that invalid messages are skipped and valid ones after them still
// count.
func TestInvalidMessages(t *testing.T) {
	server := startFakeServer(t, func(conn net.Conn) {
		for _, text := range []string{`{`, `[]`, `{"type":"later","id":"x","ts":1,"v":1,"payload":{}}`, `{"type":"snapshot","id":"s","ts":1,"v":1,"payload":5}`,
			`{"type":"hello_ack","id":"m","ts":1,"v":1,"payload":{"session_id":"s","protocol_version":1,"access":"viewer","heartbeat":{"interval_ms":-5,"timeout_ms":0}}}`,
			`{"type":"snapshot","id":"snap_x_1","ts":1,"v":1,"payload":{"seq":1,"scene_id":"s","agents":[],"projects":[],"tasks":[],"artifacts":[],"decisions":[],"office_decor":[],"players":[]}}`} {
			_ = wsutil.WriteServerText(conn, []byte(text))
		}
		_, _ = wsutil.ReadClientText(conn)
		_, _ = wsutil.ReadClientText(conn)
		_, _ = wsutil.ReadClientText(conn)
	})
	v := visit(t, Config{Server: server})
	v.live()
}

// startFakeServer starts a fake server whose socket is handled by talk.
func startFakeServer(t *testing.T, talk func(net.Conn)) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/ws/world" {
			http.NotFound(w, r)
			return
		}
		conn, _, _, err := ws.UpgradeHTTP(r, w)
		if err != nil {
			return
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(testTimeout))
		talk(conn)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestFoldEqualsTheServer runs a whole request on a real server. It checks that the first snapshot
// and the records after it fold to the same world as GET /v1/state.
func TestFoldEqualsTheServer(t *testing.T) {
	h := startServer(t, server.Config{Pace: 200})
	v := visit(t, Config{Server: "http://" + h.addr}, func(v *visitor) { v.onlyFirstSnapshot = true })
	v.live()
	reply := v.must(contracts.SubmitRequest{Text: "Write a one-page launch plan for our tea shop"})
	compareWithState(t, v) // while no one is walking
	v.until("the kickoff is over", func() bool {
		p := v.office.Rows().Project(reply.Result.ProjectID)
		return p != nil && p.Status == contracts.ProjectExecuting
	})
	v.must(contracts.AutoAssign{ProjectID: reply.Result.ProjectID})
	// A started plan keeps its card until the event arrives.
	answerable := func() []model.Need {
		return slices.DeleteFunc(v.office.Rows().Needs(), func(n model.Need) bool { return n.Kind == model.NeedPlan })
	}
	for {
		v.until("something is needed, or it is completed", func() bool { return len(answerable()) > 0 || len(v.office.Rows().Decor) > 0 })
		v.mu.Lock()
		needs := answerable()
		trophies := len(v.office.Rows().Decor)
		var data contracts.CommandData
		if len(needs) > 0 {
			if d := v.office.Rows().Decision(needs[0].Ref); d != nil {
				data = contracts.ResolveDecision{DecisionID: d.DecisionID, Choice: d.Options[0]}
			} else {
				data = contracts.ApproveArtifact{ArtifactID: needs[0].Ref}
			}
		}
		v.mu.Unlock()
		if data == nil && trophies > 0 {
			break
		}
		if data != nil {
			v.must(data)
			v.until("it is answered", func() bool {
				for _, n := range v.office.Rows().Needs() {
					if n.Ref == needs[0].Ref {
						return false
					}
				}
				return true
			})
		}
	}
	compareWithState(t, v)
}

// compareWithState compares the fold with GET /v1/state, at the same record and while no one is
// walking, because the two are read at different moments.
func compareWithState(t *testing.T, v *visitor) {
	t.Helper()
	for end := time.Now().Add(testTimeout); time.Now().Before(end); time.Sleep(20 * time.Millisecond) { // retry until no record arrives in between
		var rested uint64
		v.until("no one is walking", func() bool { rested = v.office.Seq; return !v.office.Moving() })
		var state contracts.Snapshot
		if err := v.GetJSON(t.Context(), "/v1/state", &state); err != nil {
			t.Fatal(err)
		}
		v.until("the fold has caught up", func() bool { return v.office.Seq >= state.Seq })
		v.mu.Lock()
		same := v.office.Seq == state.Seq && rested == state.Seq
		if same {
			sameRows(t, v.office, &state)
		}
		v.mu.Unlock()
		if same {
			return
		}
	}
	t.Fatal("the office never became idle")
}

// TestUntrustedCertificate checks that an untrusted certificate is named as the reason.
func TestUntrustedCertificate(t *testing.T) {
	srv := httptest.NewTLSServer(http.NotFoundHandler())
	defer srv.Close()
	_, err := socket.Dial(t.Context(), socket.Config{URL: srv.URL})
	if got := dialWords(err, srv.URL); client.Final(&client.DialError{Err: err}) || !strings.Contains(got, "does not trust") || !strings.Contains(got, "--cacert") {
		t.Errorf("%v: %s", err, got)
	}
}

// TestOwnScene checks that a scene with other ids opens like the default one, and that the
// link resumes in it (W6, W9).
func TestOwnScene(t *testing.T) {
	own := strings.NewReplacer(contracts.DefaultScene, "our_loft", `"poi_id"`, `"poi_id"`, `"poi_`, `"poi_our_`).Replace(string(contracts.DefaultSceneManifest))
	sc, err := scene.Parse([]byte(own))
	if err != nil {
		t.Fatal(err)
	}
	h := startServer(t, server.Config{Scene: sc, Pace: 1000, DataDir: t.TempDir()})
	v := visit(t, Config{Server: "http://" + h.addr})
	v.live()
	v.until("the scene is there", func() bool { return v.scene == "our_loft" })
	v.must(contracts.SubmitRequest{Text: "Write a note", AutoAssign: true})
	v.until("it is delivered", func() bool {
		return slices.ContainsFunc(v.heard, func(m model.Message) bool {
			e, ok := m.Payload.(*contracts.Event)
			return ok && e.Name == contracts.EventArtifactDelivered && e.POIID == "poi_our_delivery_shelf"
		})
	})
	h.stop()
	v.untilIn(Stale)
	h.open()
	v.RetryNow()
	v.live()
	if v.resets != 0 {
		t.Error("the cursor was not resumed")
	}
}

// TestErasedText checks that a connected client drops the text of a redacted record.
func TestErasedText(t *testing.T) {
	const secret = "the number 4711-0815"
	h := startServer(t, server.Config{Pace: 1, DataDir: t.TempDir()})
	v := visit(t, Config{Server: "http://" + h.addr})
	v.live()
	v.must(contracts.SubmitRequest{Text: "Call " + secret})
	var seq uint64
	v.until("it is there", func() bool {
		for _, m := range v.heard {
			if e, ok := m.Payload.(*contracts.Event); ok && e.Name == contracts.EventRequestSubmitted {
				seq = m.Seq
			}
		}
		return seq > 0
	})
	body := fmt.Sprintf(`{"seqs":[%d],"all":true,"reason":"a test"}`, seq)
	req, err := http.NewRequest(http.MethodPost, "http://"+h.addr+"/v1/redact", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+h.token())
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", resp, err)
	}
	resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	v.until("the text is gone", func() bool {
		rows := v.office.Rows().Projects
		return v.resets > 0 && len(rows) == 1 && rows[0].Title == contracts.Redacted
	})
}
