package crew_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/turn"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == process.TendCommand {
		os.Exit(process.Tend(os.Args[2:]))
	}
	leaktest.Main(m)
}

// office is a small in-memory office: it lists work, records facts, and removes work after its last
// fact. Facts about unlisted work are refused.
type office struct {
	mu      sync.Mutex
	work    []contracts.Work
	facts   []contracts.Fact
	times   []time.Time
	deltas  []contracts.StreamDelta
	blobs   map[string][]byte
	changed chan struct{}
	keep    bool         // work stays listed, whatever is recorded
	full    bool         // deliverables are refused although the work is listed
	down    func() error // returns the error of an append; nil means no error
	decide  func(context.Context) (contracts.Decision, error)
	ids     int
	session int // newest session of every agent
}

func newOffice(work ...contracts.Work) *office {
	return &office{work: work, blobs: map[string][]byte{}, changed: make(chan struct{}, 1)}
}

func (o *office) Work() []contracts.Work {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.work)
}

func (o *office) WorkChanged() <-chan struct{} { return o.changed }

func (o *office) signal() {
	select {
	case o.changed <- struct{}{}:
	default:
	}
}

func (o *office) list(work ...contracts.Work) {
	o.mu.Lock()
	o.work = work
	o.mu.Unlock()
	o.signal()
}

func (o *office) Record(ctx context.Context, f contracts.Fact) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.down != nil {
		if err := o.down(); err != nil {
			return err
		}
	}
	match, last := concerns(f)
	if match != nil && !slices.ContainsFunc(o.work, match) {
		return fmt.Errorf("observe %T: %w", f, contracts.Refuse(contracts.CodeConflict, "the work is over"))
	}
	if _, ok := f.(contracts.RunDelivered); ok && o.full {
		return contracts.Refuse(contracts.CodeConflict, "no room left")
	}
	o.facts, o.times = append(o.facts, f), append(o.times, time.Now())
	if last && !o.keep {
		o.work = slices.DeleteFunc(slices.Clone(o.work), match)
		o.signal()
	}
	return nil
}

// concerns returns a function that matches the work that a fact is about, and reports whether the
// fact ends that work.
func concerns(f contracts.Fact) (match func(contracts.Work) bool, last bool) {
	task := func(id string, attempt int) func(contracts.Work) bool {
		return func(w contracts.Work) bool {
			return w.Task != nil && w.Task.Task.TaskID == id && w.Task.Task.Attempt == attempt
		}
	}
	switch f := f.(type) {
	case contracts.RunBegan:
		return task(f.TaskID, f.Attempt), false
	case contracts.RunProgress:
		return task(f.TaskID, f.Attempt), false
	case contracts.TaskPrepared:
		return task(f.TaskID, f.Attempt), false
	case contracts.CheckRan:
		return task(f.TaskID, f.Attempt), false
	case contracts.RunAsked:
		return task(f.TaskID, f.Attempt), true
	case contracts.RunDelivered:
		return task(f.TaskID, f.Attempt), true
	case contracts.RunBroke:
		return task(f.TaskID, f.Attempt), true
	case contracts.PlanReady:
		return func(w contracts.Work) bool { return w.Plan && w.Project.ProjectID == f.ProjectID }, true
	case contracts.ReviewReady:
		return reviews(f.ArtifactID, f.AgentID), true
	case contracts.ReviewBroke:
		return reviews(f.ArtifactID, f.AgentID), true
	case contracts.ChatSaid:
		return func(w contracts.Work) bool { return w.Chat != nil && w.Chat.Seq == f.Chat.AnswersSeq }, true
	}
	return nil, false
}

func (o *office) PublishStream(d contracts.StreamDelta) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.deltas = append(o.deltas, d)
}

func (o *office) PutBlob(_ context.Context, b []byte) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.down != nil {
		if err := o.down(); err != nil {
			return "", err
		}
	}
	sum := sha256.Sum256(b)
	sha := hex.EncodeToString(sum[:])
	o.blobs[sha] = slices.Clone(b)
	return sha, nil
}

func (o *office) Blob(_ context.Context, sha string) ([]byte, bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	b, ok := o.blobs[sha]
	return b, ok, nil
}

func (o *office) newUUID() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ids++
	return fmt.Sprintf("00000000-0000-4000-8000-%012d", o.ids)
}

// factsOf returns the recorded facts of one type, in order.
func factsOf[T contracts.Fact](o *office) []T {
	o.mu.Lock()
	defer o.mu.Unlock()
	var out []T
	for _, f := range o.facts {
		if f, ok := f.(T); ok {
			out = append(out, f)
		}
	}
	return out
}

// Tell records facts for the engine, as Record does for the crew.
func (o *office) Tell(ctx context.Context, facts ...contracts.Fact) []contracts.Reply {
	replies := make([]contracts.Reply, len(facts))
	for i, f := range facts {
		replies[i].Result.DecisionID = "dec_1"
		if err := o.Record(ctx, f); err != nil && !errors.As(err, &replies[i].Refusal) {
			replies[i].Refusal = contracts.Refuse(contracts.CodeInternal, "%v", err)
		}
	}
	return replies
}

func (o *office) Await(ctx context.Context, _ string) (contracts.Decision, error) {
	if o.decide == nil {
		return contracts.Decision{}, errors.New("no one is here")
	}
	return o.decide(ctx)
}

func (o *office) Admit(context.Context, contracts.AgentProfile) error  { return nil }
func (o *office) AddEvidence(context.Context, string, status.Evidence) {}
func (o *office) Find(context.Context, turn.Key) (turn.Route, error) {
	return turn.Route{}, drive.ErrUnreachable
}

// config returns the config of a crew with a new engine. The test closes the engine.
func (o *office) config(workers map[string]crew.Worker, change ...func(*turn.Config)) crew.Config {
	cfg := turn.Config{Office: o, Directory: o, NewUUID: o.newUUID, Session: func(string) int { return o.session }}
	for _, c := range change {
		c(&cfg)
	}
	return crew.Config{Office: o, Blobs: o, Engine: turn.New(cfg), Workers: workers, NewUUID: o.newUUID}
}

// open starts a crew and returns a function that stops it and waits for it.
func open(t *testing.T, cfg crew.Config) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- crew.New(cfg).Run(ctx) }()
	return func() {
		t.Helper()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run = %v", err)
		}
		cfg.Engine.Close()
	}
}

// checkActivity checks the recorded activity against the HUD rules: every start has one end with a
// duration, spans are inside their turn, and every stream counts from 1 and has exactly one final
// delta, at its end.
func checkActivity(t *testing.T, o *office) {
	t.Helper()
	open := map[string]contracts.HUD{}
	ids := map[string]bool{}
	for _, f := range factsOf[contracts.HUDSeen](o) {
		h := f.HUD
		if h.UUID == "" || ids[h.UUID] {
			t.Errorf("%s has no id of its own: %q", h.Event, h.UUID)
		}
		ids[h.UUID] = true
		switch h.Event {
		case contracts.HUDTurnStart, contracts.HUDThinkStart, contracts.HUDToolStart:
			if _, twice := open[h.CorrelationID]; twice || h.CorrelationID == "" {
				t.Errorf("%s reuses correlation %q", h.Event, h.CorrelationID)
			}
			if _, inside := open[h.ParentID]; h.Event != contracts.HUDTurnStart && !inside {
				t.Errorf("%s is not inside an open turn", h.Event)
			}
			open[h.CorrelationID] = h
		case contracts.HUDTurnEnd, contracts.HUDThinkEnd, contracts.HUDToolEnd:
			start, ok := open[h.CorrelationID]
			if !ok || h.DurationMS == nil || start.ParentID != h.ParentID || start.Tool != h.Tool || start.AgentID != h.AgentID {
				t.Errorf("%s does not match its start: %+v, %+v", h.Event, start, h)
			}
			delete(open, h.CorrelationID)
		}
	}
	if len(open) > 0 {
		t.Errorf("%d starts have no end: %v", len(open), open)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	seq, done := map[string]uint64{}, map[string]bool{}
	for _, d := range o.deltas {
		seq[d.StreamID]++
		if d.Seq != seq[d.StreamID] || done[d.StreamID] || !contracts.HasPrefix(d.StreamID, contracts.PrefixStream) {
			t.Errorf("stream %s: delta %d after %d, done before: %v", d.StreamID, d.Seq, seq[d.StreamID]-1, done[d.StreamID])
		}
		done[d.StreamID] = d.Done
	}
	for id, d := range done {
		if !d {
			t.Errorf("stream %s is never done", id)
		}
	}
}

func taskWork(id string, attempt int) contracts.Work {
	return contracts.Work{
		Key: fmt.Sprintf("task:%s:%d:0", id, attempt), AgentID: "agent_writer_1", Project: contracts.Project{ProjectID: "proj_a", Request: "Write a blog post"},
		Task: &contracts.TaskWork{RunID: "run_" + id, Task: contracts.Task{TaskID: id, ProjectID: "proj_a", Title: "Write a blog post", Kind: contracts.KindCopy, Attempt: attempt}},
	}
}

// script is a worker with scripted answers, one function per kind of work.
type script struct {
	plan func(context.Context, crew.PlanJob, drive.Sink) (crew.Plan, error)
	work func(context.Context, crew.TaskJob, drive.Sink) (crew.Result, error)
	chat func(context.Context, crew.ChatJob, drive.Sink) (crew.Reply, error)
}

func (s script) Capabilities() drive.Capabilities {
	return drive.Capabilities{Messages: true, Work: true, Scripted: true}
}
func (s script) Open(context.Context, drive.Spec) (drive.Session, error) {
	return &scriptSession{script: s}, nil
}

// scriptSession is a session of a script. A repeated prompt gets the same answer.
type scriptSession struct {
	script
	last drive.Answer
}

func (s *scriptSession) ID() string   { return "" }
func (s *scriptSession) Close() error { return nil }

func (s *scriptSession) Turn(ctx context.Context, p drive.Prompt, sink drive.Sink) (_ drive.Answer, err error) {
	if p.RetryReason != "" {
		return s.last, nil
	}
	var value any
	switch p.Form {
	case drive.FormPlan:
		value, err = s.plan(ctx, crew.PlanOf(p), sink)
	case drive.FormResult:
		value, err = s.work(ctx, crew.TaskOf(p), sink)
	default:
		reply, err := s.chat(ctx, crew.ChatOf(p), sink)
		s.last = drive.Answer{Text: reply.Text, ProjectID: reply.ProjectID, Actions: reply.SuggestedActions}
		return s.last, err
	}
	if err != nil {
		return drive.Answer{}, err
	}
	text, err := json.Marshal(value)
	s.last = drive.Answer{Text: string(text)}
	return s.last, err
}

func runners(s script) map[string]crew.Worker {
	return map[string]crew.Worker{crew.Rehearsal: {Driver: &s}}
}

func delivered(text string) (crew.Result, error) {
	return crew.Result{Artifacts: []crew.Artifact{{Type: "copy", Title: "Post", MIME: "text/markdown", Content: text}}}, nil
}
