package door_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/outpost/door"
	"github.com/bullpen-office/bullpen/view"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// rig is a real office with a door for outposts, in a synctest bubble.
type rig struct {
	*door.Door
	t    *testing.T
	view *view.View
	tell func(context.Context, contracts.Teller, ...contracts.Fact) []contracts.Reply // records facts as another node does
	stop func()

	reads   atomic.Bool  // another node is the writer
	skipped atomic.Int64 // how far the door's clock has jumped ahead, as if the process had been paused
}

func open(t *testing.T, path string) *rig {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	l, err := sqlite.Open(ctx, sqlite.Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	o, err := office.Open(ctx, office.Config{Ledger: l, Crew: []contracts.AgentProfile{{AgentID: contracts.AgentBD, Name: "Bea", Role: contracts.RoleBD}}})
	if err != nil {
		t.Fatal(err)
	}
	replica, err := o.Replica()
	if err != nil {
		t.Fatal(err)
	}
	v := view.New(view.Config{Ledger: l, World: replica, Node: "local"})
	roster := intake.NewRoster(intake.RosterConfig{Office: o, State: v.State})
	r := &rig{t: t, view: v, tell: o.TellAs}
	r.Door = door.New(door.Config{
		Writes: func() bool { return !r.reads.Load() },
		Now:    func() time.Time { return time.Now().Add(time.Duration(r.skipped.Load())) },
		Office: o, View: v, Roster: roster, PutBlob: l.PutBlob, Publish: func(contracts.StreamDelta) {}, ShutdownCtx: ctx, Version: "test",
		Principal: func(r *http.Request) contracts.Principal {
			return contracts.Principal{Access: contracts.AccessOutpost, Outpost: r.Header.Get("Outpost")}
		},
	})
	var running sync.WaitGroup
	for _, run := range []func(context.Context) error{o.Run, v.Run, roster.Run, r.Run} {
		running.Go(func() { _ = run(ctx) })
	}
	r.stop = func() {
		cancel()
		running.Wait()
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	return r
}

func inVirtualTime(t *testing.T, test func(t *testing.T, r *rig)) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, filepath.Join(t.TempDir(), "ledger.db"))
		defer func() { r.stop() }()
		test(t, r)
	})
}

// post sends a request from outpost laptop.
func (r *rig) post(req contracts.FactsRequest) (out contracts.FactsReply, refusal *contracts.Refusal) {
	r.t.Helper()
	req.Protocol = contracts.FactsProtocol
	body, err := json.Marshal(req)
	if err != nil {
		r.t.Fatal(err)
	}
	h := httptest.NewRequest("POST", "/v1/facts", strings.NewReader(string(body)))
	h.Header.Set("Outpost", "laptop")
	w := httptest.NewRecorder()
	r.Doors()["POST /v1/facts"](w, h)
	if w.Code != http.StatusOK {
		refusal = &contracts.Refusal{}
		if err := json.Unmarshal(w.Body.Bytes(), refusal); err != nil {
			r.t.Fatal(err)
		}
		return out, refusal
	}
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		r.t.Fatal(err)
	}
	return out, nil
}

func (r *rig) start(machine string) string {
	r.t.Helper()
	up, refusal := r.post(contracts.FactsRequest{Machine: machine, Watches: []string{"claude"}})
	if refusal != nil {
		r.t.Fatal(refusal)
	}
	return up.Life
}

// heartbeat sends a heartbeat from outpost laptop, and returns the state in the response.
func (r *rig) heartbeat(life string) (state contracts.OutpostState) {
	r.t.Helper()
	h := httptest.NewRequest("GET", "/v1/facts?life="+url.QueryEscape(life), nil)
	h.Header.Set("Outpost", "laptop")
	w := httptest.NewRecorder()
	r.Doors()["GET /v1/facts"](w, h)
	if err := json.Unmarshal(w.Body.Bytes(), &state); err != nil || w.Code != http.StatusOK {
		r.t.Fatalf("%d %s: %v", w.Code, w.Body, err)
	}
	return state
}

func encode(t *testing.T, facts ...contracts.Fact) (list []jsontext.Value) {
	t.Helper()
	for _, f := range facts {
		b, err := contracts.EncodeFact(f)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, b)
	}
	return list
}

const ada = "agent_claude_ada"

func arrival() []contracts.Fact {
	return []contracts.Fact{
		contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: ada, Name: "shop", Source: "claude", Place: "~/shop"}},
		contracts.StatusSeen{Status: contracts.AgentStatus{AgentID: ada, Activity: contracts.ActivityWorking, Authority: contracts.FromHook, Why: "Working: make (hook)"}},
	}
}

func (r *rig) agent(id string) *contracts.Agent {
	for _, a := range r.view.State().Agents {
		if a.AgentID == id {
			return &a
		}
	}
	return nil
}

// Facts that are sent again under the same key are recorded once; every fact has its own reply.
func TestFactsAreRecordedOnce(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		life := r.start("m1")
		req := contracts.FactsRequest{Machine: "m1", Life: life, Key: "k", Facts: encode(t, append(arrival(), contracts.Audited{Kind: contracts.AuditLogin})...)}
		req.Facts = append(req.Facts, jsontext.Value(`{"fact":"from_the_future","data":{}}`))
		first, refusal := r.post(req)
		if refusal != nil || len(first.Replies) != 4 {
			t.Fatalf("%+v, %v", first, refusal)
		}
		if first.Replies[0].Refusal != nil || first.Replies[1].Refusal != nil || first.Replies[2].Refusal == nil || first.Replies[3].Refusal == nil {
			t.Errorf("%+v", first.Replies)
		}
		head := r.view.State().Seq
		again, refusal := r.post(req)
		if refusal != nil || !again.Replies[0].Duplicate || !again.Replies[1].Duplicate || again.Replies[0].Seq != first.Replies[0].Seq {
			t.Errorf("%+v, %v", again, refusal)
		}
		if now := r.view.State().Seq; now != head {
			t.Errorf("facts sent again made %d records", now-head)
		}
	})
}

// The agents of a silent outpost go offline with a reason, and leave. They come back when the
// outpost does.
func TestAgentsOfASilentOutpostGoOffline(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		life := r.start("m1")
		r.post(contracts.FactsRequest{Machine: "m1", Life: life, Key: "k", Facts: encode(t, arrival()...)})
		for range 100 { // reports without facts are enough
			time.Sleep(contracts.OutpostHeartbeat)
			if state := r.heartbeat(life); state.Life != life {
				t.Fatalf("%+v", state)
			}
		}
		if h := r.Health(); len(h) != 1 || h[0].State != contracts.OutpostLinkUp || h[0].Agents != 1 || h[0].Problem != "" {
			t.Errorf("%+v", h)
		}
		if a := r.agent(ada); a == nil || a.Activity != contracts.ActivityWorking {
			t.Fatalf("%+v", a)
		}
		time.Sleep(contracts.OutpostSilence)
		if h := r.Health(); len(h) != 1 || h[0].State != contracts.OutpostLinkSilent || h[0].Problem == "" {
			t.Errorf("%+v", h)
		}
		time.Sleep(contracts.OutpostOfflineAfter)
		synctest.Wait()
		if a := r.agent(ada); a == nil || a.Activity != contracts.ActivityOffline || !strings.Contains(a.Why, "outpost laptop has not reported for 2 min") {
			t.Errorf("%+v", a)
		}
		reply, _ := r.post(contracts.FactsRequest{Machine: "m1", Life: life, Key: "late", Facts: encode(t, arrival()[1])})
		if refusal := reply.Replies[0].Refusal; refusal == nil || refusal.Field != contracts.FieldLife {
			t.Errorf("a fact of an ended life: %v", refusal)
		}
		life = r.start("m1")
		if reply, _ = r.post(contracts.FactsRequest{Machine: "m1", Life: life, Key: "late", Facts: encode(t, arrival()[1])}); reply.Replies[0].Refusal != nil {
			t.Error(reply.Replies[0].Refusal)
		}
		time.Sleep(time.Second)
		if a := r.agent(ada); a.Activity != contracts.ActivityWorking {
			t.Errorf("after its return the agent is %s: %s", a.Activity, a.Why)
		}
		time.Sleep(contracts.OutpostOfflineAfter + contracts.OfflineGuestStay + time.Minute)
		synctest.Wait()
		if a := r.agent(ada); a != nil {
			t.Errorf("the agent never left: %+v", a)
		}
		if h := r.Health(); len(h) != 0 {
			t.Errorf("%+v", h)
		}
	})
}

// After a restart of the office, the outpost continues its life; if it does not come back, its
// agents go offline.
func TestOutpostContinuesAfterARestartOfTheOffice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "ledger.db")
		r := open(t, path)
		life := r.start("m1")
		r.post(contracts.FactsRequest{Machine: "m1", Life: life, Key: "k", Facts: encode(t, arrival()...)})
		r.stop()
		time.Sleep(time.Hour)
		r = open(t, path)
		defer func() { r.stop() }()
		if h := r.Health(); len(h) != 1 || h[0].State != contracts.OutpostLinkSilent {
			t.Errorf("%+v", h)
		}
		again, refusal := r.post(contracts.FactsRequest{Machine: "m1", Life: life, Key: "k", Facts: encode(t, arrival()...)})
		if refusal != nil || !again.Replies[0].Duplicate {
			t.Errorf("%+v, %v", again, refusal)
		}
		if h := r.Health(); len(h) != 1 || h[0].State != contracts.OutpostLinkUp {
			t.Errorf("%+v", h)
		}
		r.stop()
		r = open(t, path)
		time.Sleep(contracts.OutpostOfflineAfter + time.Minute)
		synctest.Wait()
		if a := r.agent(ada); a == nil || a.Activity != contracts.ActivityOffline {
			t.Errorf("%+v", a)
		}
	})
}

// Two machines cannot report as the same outpost, unless the first has gone silent or left.
func TestOutpostHasOneMachine(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		r.start("m1")
		if _, refusal := r.post(contracts.FactsRequest{Machine: "m2"}); refusal == nil || refusal.Code != contracts.CodeConflict || !strings.Contains(refusal.Message, "token create") {
			t.Errorf("%v", refusal)
		}
		time.Sleep(contracts.OutpostSilence)
		life := r.start("m2")
		r.post(contracts.FactsRequest{Machine: "m2", Life: life, Key: "k", Facts: encode(t, arrival()...)})
		if _, refusal := r.post(contracts.FactsRequest{Machine: "m2", Life: life, Leaving: true}); refusal != nil {
			t.Error(refusal)
		}
		time.Sleep(time.Second)
		if a := r.agent(ada); a == nil || a.Activity != contracts.ActivityOffline || !strings.Contains(a.Why, "outpost laptop has left") {
			t.Errorf("%+v", a)
		}
		r.start("m3")
	})
}

// Requests that cannot be recorded are refused, and the error says what to do.
func TestBadRequestsAreRefused(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		life := r.start("m1")
		for name, c := range map[string]struct{ body, want string }{
			"protocol": {`{"protocol":99,"version":"9.0","new_member":1}`, "same version of Bullpen"},
			"member":   {`{"protocol":1,"machine":"m1","colour":"red"}`, "colour"},
			"machine":  {`{"protocol":1}`, "machine"},
			"key":      {`{"protocol":1,"machine":"m1","life":"` + life + `","facts":[{}]}`, "key"},
			"life":     {`{"protocol":1,"machine":"m1","key":"k","facts":[{}]}`, "life"},
			"JSON":     {`[`, "JSON"},
			"facts":    {`{"protocol":1,"machine":"m1","key":"k","life":"` + life + `","facts":[` + strings.Repeat("{},", contracts.LimitFacts) + `{}]}`, "limit 128"},
		} {
			h := httptest.NewRequest("POST", "/v1/facts", strings.NewReader(c.body))
			h.Header.Set("Outpost", "laptop")
			w := httptest.NewRecorder()
			r.Doors()["POST /v1/facts"](w, h)
			if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), c.want) {
				t.Errorf("%s: %d %s", name, w.Code, w.Body)
			}
		}
	})
}
