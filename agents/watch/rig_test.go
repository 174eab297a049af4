package watch

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/claude/guests"
	"github.com/bullpen-office/bullpen/agents/claude/translate"
	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/office"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const (
	recorded = "ac71de37-4aee-4961-8340-fa7226ffd1c5" // the session in the fixtures
	helper   = "a632d0e7f789acb92"
	fixtures = "../claude/translate/testdata/"

	testBacklog = 4 << 20 // less than contracts.LimitHookBacklog, which takes a minute to fill under the race detector
)

// rig is a watcher with a real office, ledger and roster, in virtual time.
type rig struct {
	*Watcher
	t      *testing.T
	dir    string // Claude Code's directory
	ledger *sqlite.Ledger
	roster *intake.Roster
	stop   func()
	log    bytes.Buffer

	mu     sync.Mutex
	hang   chan struct{} // the office responds only after hang is closed; nil means that it responds immediately
	asking time.Duration // how long the office takes to record a question
	dead   map[int]bool
	shown  []contracts.StreamDelta
	survey func(context.Context) ([]guest.Report, error) // what Claude Code reports about its sessions; nil means no reports
	asked  int                                           // number of surveys
	office *office.Office
	before agents.SourceState

	connect func(ctx context.Context) error // the connection to Claude Code's own program; nil means that there is none

	reply func(ctx context.Context, decisionID string) (contracts.Decision, error) // waits for people's answers; nil means that no one answers
}

func inVirtualTime(t *testing.T, test func(t *testing.T, r *rig)) {
	synctest.Test(t, func(t *testing.T) {
		r := openRig(t, t.TempDir())
		defer func() { r.stop() }()
		test(t, r)
	})
}

// openRig opens the ledger and the Claude Code files in a directory.
func openRig(t *testing.T, dir string) *rig {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	l, err := sqlite.Open(ctx, sqlite.Config{Path: filepath.Join(dir, "ledger.db")})
	if err != nil {
		t.Fatal(err)
	}
	o, err := office.Open(ctx, office.Config{Ledger: l, Watches: []string{translate.Source}})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, ledger: l, office: o, dir: filepath.Join(dir, "claude"), dead: map[int]bool{}}
	w, err := o.Replica()
	if err != nil {
		t.Fatal(err)
	}
	state := func() contracts.Snapshot { return w.Snapshot(time.Now().UnixMilli(), nil, nil) } // the state when the rig is opened
	alive := func(pid int, _ int64) bool { r.mu.Lock(); defer r.mu.Unlock(); return !r.dead[pid] }
	logger := slog.New(slog.NewTextHandler(&r.log, nil))
	r.roster = intake.NewRoster(intake.RosterConfig{Office: r, Sources: contracts.Sources{{Source: translate.Source, KeepsAsking: true}}, State: state, Alive: alive, IsAgentProcess: alive})
	r.before = agents.SourceState{Agents: state().Agents, Begun: w.Open(contracts.WatchID(translate.Source, "local"))}
	vendor := guests.Vendor
	vendor.Survey, vendor.Listen = r.answer, r.listen
	r.Watcher, err = New(ctx, Config{
		Vendor: vendor, Office: r, Roster: r.roster, Alive: alive,
		WorkdirOf: func(int, int64) string { return "" },
		Dir:       r.dir, Home: "/home/dev", Spool: dir, Backlog: testBacklog, Log: logger, Metrics: prometheus.NewRegistry(),
	})
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() { _ = o.Run(ctx) })
	running.Go(func() { _ = r.roster.Run(ctx) })
	running.Go(func() { _ = r.Watcher.Run(ctx) })
	r.stop = func() {
		cancel()
		running.Wait()
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	return r
}

func (r *rig) Tell(ctx context.Context, facts ...contracts.Fact) []contracts.Reply {
	r.mu.Lock()
	hang := r.hang
	r.mu.Unlock()
	if hang != nil {
		<-hang
	}
	for _, f := range facts {
		if _, ok := f.(contracts.AskSeen); ok {
			time.Sleep(r.asking)
		}
	}
	return r.office.Tell(ctx, facts...)
}

// surveyed returns the number of times that Claude Code was asked about its sessions.
func (r *rig) surveyed() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked
}

// answer implements the vendor's Survey.
func (r *rig) answer(ctx context.Context, _ string) ([]guest.Report, error) {
	r.mu.Lock()
	r.asked++
	survey := r.survey
	r.mu.Unlock()
	if survey == nil {
		return nil, nil
	}
	return survey(ctx)
}

// listen implements the vendor's Listen.
func (r *rig) listen(ctx context.Context, dir string, _ guest.Ask) error {
	r.mu.Lock()
	connect := r.connect
	r.mu.Unlock()
	if connect == nil || dir != r.dir {
		return nil
	}
	return connect(ctx)
}

func (r *rig) PutBlob(ctx context.Context, content []byte) (string, error) {
	return r.ledger.PutBlob(ctx, content)
}

func (r *rig) SourceState(context.Context, string) (agents.SourceState, error) { return r.before, nil }

// Await times out immediately, which leaves permissions to the terminal, unless a test answers.
func (r *rig) Await(ctx context.Context, decisionID string) (contracts.Decision, error) {
	if r.reply != nil {
		return r.reply(ctx, decisionID)
	}
	return contracts.Decision{}, context.DeadlineExceeded
}

func (r *rig) Orders(ctx context.Context, _ string, _ func(contracts.HUD) error) error { return nil }

func (r *rig) PublishStream(d contracts.StreamDelta) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shown = append(r.shown, d)
}

// post sends a hook to the door.
func (r *rig) post(body string) (status int, answer string, took time.Duration) {
	r.t.Helper()
	w := httptest.NewRecorder()
	start := time.Now()
	r.ServeHook(w, httptest.NewRequest("POST", "/hooks/claude", strings.NewReader(body)))
	return w.Code, w.Body.String(), time.Since(start)
}

func recordedHooks(t *testing.T) (bodies []string) {
	t.Helper()
	for line := range strings.Lines(fixture(t, "hooks.jsonl")) {
		var rec struct {
			Body jsontext.Value `json:"body"`
		}
		if err := json.Unmarshal([]byte(line), &rec); err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, string(rec.Body))
	}
	return bodies
}

func fixture(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(fixtures + file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// write writes a file into Claude Code's directory.
func (r *rig) write(path, content string) string {
	r.t.Helper()
	return writeFile(r.t, filepath.Join(r.dir, path), content)
}

func writeFile(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func (r *rig) appendTo(path, content string) {
	r.t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.WriteString(f, content); err != nil {
		r.t.Fatal(err)
	}
}

const transcript = "projects/-home-dev-shop/" + recorded + ".jsonl"

// hud returns all activity facts in the ledger.
func (r *rig) hud() (list []contracts.HUD) {
	r.t.Helper()
	recs, err := r.ledger.Read(context.Background(), 0, 10_000, contracts.KindHUD)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, rec := range recs {
		body, err := rec.Decode()
		if err != nil {
			r.t.Fatal(err)
		}
		h := *body.(*contracts.HUD)
		h.UUID = rec.ID
		list = append(list, h)
	}
	return list
}

// reports returns the number of usage reports in the ledger.
func (r *rig) reports() (n int) {
	r.t.Helper()
	recs, err := r.ledger.Read(context.Background(), 0, 10_000, contracts.KindEvent)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, rec := range recs {
		body, err := rec.Decode()
		if e, ok := body.(*contracts.Event); err == nil && ok && e.Name == contracts.EventUsageReported {
			n++
		}
	}
	return n
}

func (r *rig) count(outcome string) float64 {
	return value(r.t, r.metrics.hooks.WithLabelValues(outcome))
}

func (r *rig) lines(outcome string) float64 {
	return value(r.t, r.metrics.lines.WithLabelValues(outcome))
}

func value(t *testing.T, c prometheus.Counter) float64 {
	t.Helper()
	var m dto.Metric
	if err := c.Write(&m); err != nil {
		t.Fatal(err)
	}
	return m.GetCounter().GetValue()
}

// settle waits until all delayed work is done.
func (r *rig) settle() { time.Sleep(10 * time.Second); synctest.Wait() }
