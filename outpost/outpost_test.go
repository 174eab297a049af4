package outpost_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/agentstest"
	"github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/outpost"
	"github.com/bullpen-office/bullpen/server"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// testTimeout is the timeout of every wait in a test.
const testTimeout = 2 * time.Minute

// The states of the network between the outpost and the office.
const (
	works        int32 = iota
	isCut              // no request arrives
	losesReplies       // requests arrive, but their replies do not
	is404              // a proxy answers instead of the office
	is403
	is400
)

// rig is a real office, an outpost that watches toy agents, and a network between them.
type rig struct {
	t       *testing.T
	network atomic.Int32
	proxied atomic.Int32 // requests that a proxy answered instead of the office
	url     string       // the office's URL through the network
	token   string
	operate *client.Client
	seen    agents.WatchConfig // the configuration that the outpost gave its watcher
	watcher agents.Watcher
	log     lockedLog
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t}
	dir := t.TempDir()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(t.Context(), server.Config{DataDir: dir, LockDir: dir + ".locks", Crew: server.CrewNone, RequireToken: true, Addr: ln.Addr(), Adapters: []agents.Adapter{agentstest.Toy(dir)}})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	t.Cleanup(func() {
		if err := errors.Join(s.Shutdown(context.Background()), <-served); err != nil {
			t.Error(err)
		}
	})
	tokens, err := gate.OpenTokens(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, r.token, err = tokens.Create(gate.Token{Role: contracts.AccessOutpost, Name: "laptop", Created: time.Now()}); err != nil {
		t.Fatal(err)
	}
	owner, err := gate.ReadOwnerToken(gate.OwnerTokenPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	r.operate = client.New(client.Config{URL: "http://" + ln.Addr().String(), Token: owner})
	t.Cleanup(r.operate.Close)
	r.url = r.connect(ln.Addr().String())
	return r
}

// connect starts the network in front of the office and returns the network's URL.
func (r *rig) connect(addr string) string {
	to := &url.URL{Scheme: "http", Host: addr}
	transport := &http.Transport{}
	proxy := &httputil.ReverseProxy{Transport: transport, ErrorLog: log.New(io.Discard, "", 0), Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(to) }}
	network := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		switch r.network.Load() {
		case works:
			proxy.ServeHTTP(w, req)
			return
		case losesReplies:
			proxy.ServeHTTP(httptest.NewRecorder(), req)
		case is404:
			r.proxied.Add(1)
			http.Error(w, `{"message":"no route matched"}`, http.StatusNotFound)
			return
		case is403:
			r.proxied.Add(1)
			http.Error(w, "<h1>Forbidden</h1>", http.StatusForbidden)
			return
		case is400:
			r.proxied.Add(1)
			http.Error(w, "<h1>Bad Request</h1>", http.StatusBadRequest)
			return
		}
		panic(http.ErrAbortHandler)
	}))
	r.t.Cleanup(func() { network.CloseClientConnections(); network.Close(); transport.CloseIdleConnections() })
	return network.URL
}

// join starts an outpost with the given data directory. It returns the outpost and a function that
// stops it.
func (r *rig) join(dir string) (*outpost.Outpost, func()) {
	r.t.Helper()
	toy := agentstest.Toy(dir)
	watch := toy.Watch
	toy.Watch = func(w agents.WatchConfig) (_ agents.Watcher, err error) {
		r.seen = w
		r.watcher, err = watch(w)
		return r.watcher, err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		r.t.Fatal(err)
	}
	o, err := outpost.New(r.t.Context(), outpost.Config{URL: r.url, Token: r.token, DataDir: dir, Addr: ln.Addr(), Adapters: []agents.Adapter{toy}, Version: "test", Log: slog.New(slog.NewTextHandler(&r.log, nil))})
	if err != nil {
		r.t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- o.Serve(ln) }()
	stopped := false
	stop := func() {
		if stopped {
			return
		}
		stopped = true
		ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
		defer cancel()
		_ = o.Shutdown(ctx) // fails if the office cannot be reached
		if err := <-served; err != nil {
			r.t.Error(err)
		}
	}
	r.t.Cleanup(stop)
	return o, stop
}

func (r *rig) until(what string, cond func() bool) {
	r.t.Helper()
	for end := time.Now().Add(testTimeout); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if cond() {
			return
		}
	}
	r.t.Fatalf("timed out waiting until %s", what)
}

func (r *rig) state() (s contracts.Snapshot) {
	r.t.Helper()
	if err := r.operate.Get(r.t.Context(), "/v1/state", &s); err != nil {
		r.t.Fatal(err)
	}
	return s
}

// reasons returns the recorded reasons for the toy agent's status, oldest first.
func (r *rig) reasons() (list []string) {
	r.t.Helper()
	var page struct {
		Events []struct {
			Payload contracts.Event `json:"payload"`
		} `json:"events"`
	}
	if err := r.operate.Get(r.t.Context(), "/v1/events?limit=1000&kind=event", &page); err != nil {
		r.t.Fatal(err)
	}
	for _, e := range page.Events {
		if s := e.Payload.Status; s != nil {
			list = append(list, s.Why)
		}
	}
	return list
}

var toy = agentstest.AgentID("bear")

func says(why string) contracts.Fact {
	return contracts.StatusSeen{Status: contracts.AgentStatus{AgentID: toy, Activity: contracts.ActivityWorking, Why: why}}
}

func arrives() contracts.Fact {
	return contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: toy, Name: "bear", Source: agentstest.Source, Place: "~/shop"}}
}

func question() contracts.Fact {
	return contracts.AskSeen{AgentID: toy, Kind: contracts.DecisionAsk, Prompt: "Ship it?", Options: []string{"Yes", "No"}}
}

// tell reports facts that the outpost must accept, now or later.
func (r *rig) tell(facts ...contracts.Fact) []contracts.Reply {
	r.t.Helper()
	replies := r.seen.Office.Tell(r.t.Context(), facts...)
	for i, reply := range replies {
		if reply.Refusal != nil {
			r.t.Fatalf("fact %d: %v", i, reply.Refusal)
		}
	}
	return replies
}

// Facts are recorded once and in order, even if facts or replies are lost on the way, or if the
// outpost is restarted before it has sent all facts.
func TestFactsOfABrokenConnectionAreRecordedOnce(t *testing.T) {
	r := newRig(t)
	dir := t.TempDir()
	o, stop := r.join(dir)
	if o.Name() != "laptop" {
		t.Errorf("joined as %q", o.Name())
	}
	want := []string{"0"}
	r.tell(arrives(), says("0"))
	for i, network := range []int32{losesReplies, isCut, losesReplies, works} {
		r.network.Store(network)
		for n := range 3 {
			why := fmt.Sprint(i, ".", n)
			want = append(want, why)
			r.tell(says(why))
		}
	}
	r.network.Store(isCut)
	want = append(want, "last")
	r.tell(says("last"))
	if h := o.Health(); h.Connected || h.Spooled == 0 || h.Problem == "" {
		t.Errorf("%+v", h)
	}
	stop()
	r.network.Store(works)
	o, _ = r.join(dir)
	r.until("everything is sent", func() bool { h := o.Health(); return h.Connected && h.Spooled == 0 })
	got := r.reasons()
	got = got[:min(len(got), len(want))] // the roster's own reports follow
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("recorded %q, want %q", got, want)
	}
}

// A question is never stored: the agent asks in its terminal. If the question arrived but the
// office's response was lost, the question is withdrawn.
func TestQuestionsNeedTheOffice(t *testing.T) {
	r := newRig(t)
	o, _ := r.join(t.TempDir())
	r.tell(arrives())
	r.network.Store(losesReplies)
	if refusal := r.seen.Office.Tell(t.Context(), question())[0].Refusal; refusal == nil || refusal.Code != contracts.CodeInternal {
		t.Errorf("%v", refusal)
	}
	r.network.Store(isCut)
	if refusal := r.seen.Office.Tell(t.Context(), question())[0].Refusal; refusal == nil || !strings.Contains(refusal.Message, "answer in the terminal") {
		t.Errorf("%v", refusal)
	}
	if asked := r.state().Decisions; len(asked) != 1 || asked[0].Status != contracts.DecisionOpen {
		t.Fatalf("%+v", asked)
	}
	r.network.Store(works)
	r.until("everything is sent", func() bool { h := o.Health(); return h.Connected && h.Spooled == 0 })
	if asked := r.state().Decisions; len(asked) != 1 || asked[0].Status != contracts.DecisionCancelled {
		t.Errorf("%+v", asked)
	}
}

// An answer arrives even if the connection is lost while the agent waits; so do orders.
func TestAnswersAndOrdersArrive(t *testing.T) {
	r := newRig(t)
	r.join(t.TempDir())
	id := r.tell(arrives(), question(), says("a turn"))[1].Result.DecisionID
	answered := make(chan string, 1)
	go func() {
		d, err := r.seen.Office.Await(t.Context(), id)
		answered <- fmt.Sprint(d.Choice, err)
	}()
	r.network.Store(isCut)
	if _, err := r.operate.Do(t.Context(), contracts.ResolveDecision{DecisionID: id, Choice: "Yes"}); err != nil {
		t.Fatal(err)
	}
	r.network.Store(works)
	if got := <-answered; got != "Yes<nil>" {
		t.Errorf("the answer is %s", got)
	}
	if _, err := r.operate.Do(t.Context(), contracts.AgentControl{Name: contracts.CmdStopAgent, AgentID: toy}); err != nil {
		t.Fatal(err)
	}
	r.until("the order arrived", func() bool { return r.watcher.Links()[0].People == 1 })
}

// Content is stored like facts, until the spool is full.
func TestSpoolIsBounded(t *testing.T) {
	r := newRig(t)
	o, _ := r.join(t.TempDir())
	r.network.Store(isCut)
	content := []byte(strings.Repeat("x", contracts.LimitHUDResult))
	stored := 0
	for ; stored < contracts.LimitOutpostSpool/contracts.LimitHUDResult; stored++ {
		content[0] = byte(stored)
		if _, err := r.seen.Office.PutBlob(t.Context(), content); err != nil {
			if !strings.Contains(err.Error(), "full") {
				t.Error(err)
			}
			break
		}
	}
	if h := o.Health(); stored == 0 || h.Spooled < stored || h.Bytes > contracts.LimitOutpostSpool {
		t.Errorf("%d stored, then %+v", stored, h)
	}
	r.network.Store(works)
	r.until("everything is sent", func() bool { h := o.Health(); return h.Connected && h.Spooled == 0 })
}

// An outpost that the office does not accept ends with the office's reason.
func TestRefusedOutpostsEnd(t *testing.T) {
	r := newRig(t)
	refused := func(token, want string) {
		t.Helper()
		_, err := outpost.New(t.Context(), outpost.Config{URL: r.url, Token: token, DataDir: t.TempDir(), Adapters: []agents.Adapter{agentstest.Toy(t.TempDir())}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	refused("bullpen_"+strings.Repeat("a", 32), "invalid, expired or revoked token")
	r.join(t.TempDir())
	refused(r.token, "another machine is connected as outpost laptop")
}

// An outpost keeps running if a proxy answers 403, 404 or 400 while the office is down, and drops
// nothing because of these answers.
func TestAnswersOfAProxyAreNotPermanent(t *testing.T) {
	r := newRig(t)
	o, _ := r.join(t.TempDir())
	r.tell(arrives())
	for i, network := range []int32{is404, is403, is400} {
		stored := fmt.Sprint("stored ", i)
		r.proxied.Store(0)
		r.network.Store(network)
		r.tell(says(stored))
		r.until("the outpost has tried again", func() bool { return r.proxied.Load() >= 3 })
		r.network.Store(works)
		r.until("everything is sent", func() bool { h := o.Health(); return h.Connected && h.Spooled == 0 })
		if !slices.Contains(r.reasons(), stored) {
			t.Errorf("%q is lost", stored)
		}
	}
}

// lockedLog is a log that can be read while it is being written.
type lockedLog struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lockedLog) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(line)
}

func (l *lockedLog) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.buf.String(), text)
}

// Each reason that the office cannot be reached is logged only once until the office is reached
// again.
func TestEachReasonIsLoggedOnce(t *testing.T) {
	r := newRig(t)
	o, _ := r.join(t.TempDir())
	for round := 1; round <= 2; round++ {
		for _, step := range []struct {
			network int32
			problem string
		}{{is400, "HTTP 400"}, {is403, "HTTP 403"}, {is400, "HTTP 400"}} {
			r.network.Store(step.network)
			r.tell(says("stored"))
			r.until("the outpost has noticed", func() bool { return strings.Contains(o.Health().Problem, step.problem) })
		}
		r.network.Store(works)
		r.until("everything is sent", func() bool { h := o.Health(); return h.Connected && h.Spooled == 0 })
		for _, reason := range []string{"HTTP 400", "HTTP 403"} {
			if n := r.log.count(reason); n < round || n > 2*round { // the paths of reports and heartbeats differ
				t.Errorf("round %d: %s is logged %d times", round, reason, n)
			}
		}
	}
}
