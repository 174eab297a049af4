package office

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

// Config configures an Office. Ledger is required.
type Config struct {
	Ledger     ledger.Ledger
	Scene      *scene.Scene             // nil means the default scene
	Crew       []contracts.AgentProfile // agents that are in the office from the start
	Node       string                   // name of this process among the processes that share the ledger; empty means "local"
	Watches    []string                 // sources of activity that this node watches
	Life       string                   // id of this node's life, if another writer has started it; empty starts a new life
	Players    *Players                 // nil means an empty room
	Director   director.Config
	RedactText func(text string) string // applied to text from people before anything is decided or recorded; nil changes nothing
	Now        func() time.Time         // nil means time.Now
	Logger     *slog.Logger             // nil means no logging
	Metrics    prometheus.Registerer
}

// Office owns the world. Create it with Open, then Run it.
type Office struct {
	ledger         ledger.Ledger
	scene          *scene.Scene
	director       *director.Director
	redactText     func(string) string
	clock          *Clock
	log            *slog.Logger
	metrics        *metrics
	players        *Players
	inbox          chan []*request // requests; each slice is processed in one batch
	perBatch       int             // batchSize or largeBatch
	redactions     chan *redaction
	betweenBatches chan func()   // functions to run between two batches
	done           chan struct{} // closed when Run has ended
	node           string
	watches        []string
	earlierLife    string // life of this node that Begin continues
	lastRecordAt   int64  // time of the newest record when the office was opened, in Unix milliseconds
	clockTrust     *clockTrust
	wall           func() time.Time
	appending      atomic.Int64 // start of the current append on the monotonic clock, or notAppending

	// Only the goroutine that executes Run uses these fields.
	appendCtx    context.Context // context for appends; cancelled endTimeout after Run's context
	life         string          // id of this run, which owns the office's work; empty until the run is recorded
	workDeferred bool            // some work has to wait, because another node is running a turn of the same agent
	world        *world.World
	dirty        bool   // the world has changes that are not in the ledger
	unresolved   *batch // the batch whose append has an unknown outcome; nil if there is none
	refused      *refusals
	checkpoint   uint64 // seq of the stored checkpoint; 0 if there is none

	mu            sync.Mutex // guards the fields below
	publishedLife string     // copy of life that Life returns
	work          []contracts.Work
	failure       error

	workChanged chan struct{}
}

// Open folds the ledger, creates the office if the ledger is empty, and adds new agents.
func Open(ctx context.Context, cfg Config) (*Office, error) {
	if cfg.Scene == nil {
		cfg.Scene = scene.Default()
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Node == "" {
		cfg.Node = "local"
	}
	w, saved, err := load(ctx, cfg.Ledger, cfg.Scene, cfg.Ledger.Head())
	if err != nil {
		return nil, fmt.Errorf("open the office: %w", err)
	}
	newest, err := lastRecordAt(ctx, cfg.Ledger, w)
	if err != nil {
		return nil, fmt.Errorf("open the office: %w", err)
	}
	jumped, err := jumpedAhead(ctx, cfg.Ledger, cfg.Now()) // before anything is written
	if err != nil {
		cfg.Logger.Warn("record times could not be read; retention by age is paused", "error", err)
	}
	o := &Office{
		ledger: cfg.Ledger, scene: cfg.Scene, director: director.New(cfg.Director), redactText: cfg.RedactText,
		log: cfg.Logger, clock: NewClock(cfg.Now, sinceStart(), w.TS()), metrics: newMetrics(cfg.Metrics),
		inbox: make(chan []*request, contracts.LimitInbox), perBatch: batchSize, betweenBatches: make(chan func()),
		done: make(chan struct{}), redactions: make(chan *redaction),
		node: cfg.Node, watches: cfg.Watches, earlierLife: cfg.Life, lastRecordAt: newest,
		clockTrust: newClockTrust(jumped, cfg.Now(), time.Now()), wall: cfg.Now,
		world: w, refused: newRefusals(contracts.LimitRefusalMemory), checkpoint: saved,
		workChanged: make(chan struct{}, 1),
	}
	o.appending.Store(notAppending)
	if _, large := cfg.Ledger.(ledger.LargeAppender); large {
		o.perBatch = largeBatch
	}
	if o.players = cfg.Players; o.players == nil {
		o.players = NewPlayers(cfg.Scene, o.clock.MS)
	}
	if err := o.populate(ctx, cfg.Crew); err != nil {
		return nil, fmt.Errorf("open the office: %w", err)
	}
	o.publishWork()
	return o, nil
}

// sinceStart returns a monotonic clock that reads zero at the time of the call.
func sinceStart() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

// lastRecordAt returns the time of the newest record, in Unix milliseconds, or 0 for an empty
// ledger. The world's own time is not enough, because activity does not change it.
func lastRecordAt(ctx context.Context, l ledger.Ledger, w *world.World) (int64, error) {
	if l.Head() == 0 {
		return 0, nil
	}
	recs, err := l.Read(ctx, l.Head()-1, 1)
	if err != nil || len(recs) == 0 { // retention may have removed the record
		return w.TS(), err
	}
	return max(w.TS(), recs[0].TS), nil
}

// populate writes the first records of an empty ledger, or the records of new and changed agents.
// It also ends everything that an earlier life left open. If the ledger is empty or agents are new
// or changed, a failed write is an error. Otherwise the office becomes read-only after a failed
// write, and its life starts with the first input that can be recorded.
func (o *Office) populate(ctx context.Context, crew []contracts.AgentProfile) error {
	after := o.world.Seq()
	var recs []contracts.Record
	var err error
	if o.world.OfficeID() == "" {
		recs, err = o.director.Create(o.world, o.moment(), o.ledger.ID(), crew)
	} else {
		recs, err = o.director.Join(o.world, o.moment(), crew)
	}
	if err != nil {
		return err
	}
	life, begun, err := o.director.Begin(o.world, o.beginning(), o.lastRecordAt, o.watches)
	if err != nil {
		return err
	}
	err = o.ledger.Append(ctx, after, append(recs, begun...))
	if err == nil {
		o.setLife(life)
		return nil
	}
	if len(recs) > 0 {
		return err
	}
	o.log.Warn("the ledger does not accept records; the office is read-only", "error", err)
	return o.refold(ctx)
}

func (o *Office) setLife(life string) {
	o.life = life
	o.mu.Lock()
	defer o.mu.Unlock()
	o.publishedLife = life
}

// Life returns the id of the office's current run, which owns the office's work. It returns "" if
// the run has not been recorded yet.
func (o *Office) Life() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.publishedLife
}

// Lives returns the lives that have not ended, on this node and on others, or none if the office is
// not running.
func (o *Office) Lives(ctx context.Context) (lives []contracts.Owner) {
	read := make(chan struct{})
	work := func() {
		defer close(read)
		for _, owner := range o.world.Owners() {
			if owner.Up && contracts.IsLife(owner.ID) {
				lives = append(lives, *owner)
			}
		}
	}
	select {
	case o.betweenBatches <- work:
		<-read
	case <-ctx.Done():
	case <-o.done:
	}
	return lives
}

// Clock returns the office's clock, for everything that shows or records times.
func (o *Office) Clock() *Clock { return o.clock }

// Replica returns an independent copy of the current world, for a follower of the ledger. Call it
// only while Run is not running.
func (o *Office) Replica() (*world.World, error) { return o.world.Clone() }

// Do executes a command and returns its final reply.
func (o *Office) Do(ctx context.Context, cmd contracts.Command) contracts.Reply {
	switch cmd.Data.(type) {
	case contracts.PlayerPos, contracts.MovePlayerTo:
		return o.players.Do(cmd)
	}
	if o.redactText != nil {
		cmd.Data = contracts.WithTexts(cmd.Data, o.redactText)
	}
	reply, err := o.ask(ctx, newRequest(&cmd, nil))
	if err != nil {
		return contracts.Reply{Refusal: refuseUnknown(err)}
	}
	return reply
}

// Record records a fact. It returns a *contracts.Refusal if the fact is invalid or about work that
// is over. After any other error, the same fact may be reported again.
func (o *Office) Record(ctx context.Context, fact contracts.Fact) error {
	reply, err := o.ask(ctx, newRequest(nil, fact))
	switch refusal := reply.Refusal; {
	case err != nil || refusal == nil:
		return err
	case refusal.Code == contracts.CodeInternal:
		return errors.New(refusal.Message)
	default:
		return refusal
	}
}

// Tell records facts in order and returns one reply for each fact once it is durable. If a fact may
// be recorded only once and is already known, its reply is marked as a duplicate and has the first
// record's seq. Facts that are reported together may share an append, but a refused fact does not
// affect the others.
func (o *Office) Tell(ctx context.Context, facts ...contracts.Fact) []contracts.Reply {
	return o.TellAs(ctx, contracts.Teller{}, facts...)
}

// TellAs is like Tell, but for facts from another node, which owns everything that they start.
// The zero Teller means this node. Facts from an outpost are never treated as duplicates of
// facts that others reported.
func (o *Office) TellAs(ctx context.Context, teller contracts.Teller, facts ...contracts.Fact) []contracts.Reply {
	replies := make([]contracts.Reply, len(facts))
	asked := make([]*request, len(facts))
	for i, fact := range facts {
		asked[i] = newRequest(nil, teller.Qualify(fact))
		asked[i].teller = teller
		if teller.Key != "" {
			asked[i].teller.Key = fmt.Sprintf("told/%s/%d", teller.Key, i)
		}
	}
	sent := 0
	for part := range slices.Chunk(asked, o.perBatch) {
		if err := o.send(ctx, part...); err != nil {
			for i := sent; i < len(facts); i++ {
				replies[i].Refusal = refuseNotExecuted(err)
			}
			break
		}
		sent += len(part)
	}
	for i, r := range asked[:sent] {
		reply, err := o.await(ctx, r)
		if err != nil {
			reply = contracts.Reply{Refusal: refuseUnknown(err)}
		}
		replies[i] = reply
	}
	return replies
}

// errStopped means that the office is no longer running.
var errStopped = errors.New("the office is shutting down")

func (o *Office) ask(ctx context.Context, r *request) (contracts.Reply, error) {
	if err := o.send(ctx, r); err != nil {
		return contracts.Reply{}, err
	}
	return o.await(ctx, r)
}

func (o *Office) send(ctx context.Context, list ...*request) error {
	if err := ctx.Err(); err != nil { // select picks a random ready case
		return err
	}
	select {
	case o.inbox <- list:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-o.done:
		return errStopped
	}
}

func (o *Office) await(ctx context.Context, r *request) (contracts.Reply, error) {
	select {
	case reply := <-r.reply:
		return reply, nil
	case <-ctx.Done():
		return contracts.Reply{}, ctx.Err()
	case <-o.done:
		select {
		case reply := <-r.reply: // answered just before the office stopped
			return reply, nil
		default:
			return contracts.Reply{}, errStopped
		}
	}
}

// Players returns the people in the room, most recently seen first.
func (o *Office) Players() []contracts.Player { return o.players.List() }

// SetSceneFunc makes people walk in the scene that current returns; see Players.SetSceneFunc.
func (o *Office) SetSceneFunc(current SceneFunc) { o.players.SetSceneFunc(current) }

// PlayerLeft removes a person's avatar from the room.
func (o *Office) PlayerLeft(id string) { o.players.Remove(id) }

// Work returns everything that runners should be doing now.
func (o *Office) Work() []contracts.Work {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.work
}

// WorkChanged returns a channel that signals that Work may have changed since it was last read.
func (o *Office) WorkChanged() <-chan struct{} { return o.workChanged }

// Health returns nil if the office can write; otherwise the error explains why it cannot.
func (o *Office) Health() error {
	select {
	case <-o.done:
		return errStopped
	default:
	}
	if began := o.appending.Load(); began != notAppending {
		if took := o.clock.elapsed() - time.Duration(began); took >= appendTimeout {
			return fmt.Errorf("an append to the ledger has been pending for %s: check the disk, or the NATS servers of a shared office", took.Round(time.Second))
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.failure
}

// notAppending is the value of Office.appending between appends.
const notAppending = -1
