package otlp

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/contracts"
)

// Ledger is what the export needs of the ledger; its promises are those of
// package ledger.
type Ledger interface {
	ID() string
	Head() uint64
	Floor() uint64
	Follow(ctx context.Context, after uint64, fn func([]contracts.Record) error) error
}

// Config says what to export where. Ledger and URL are required.
type Config struct {
	Ledger   Ledger
	URL      string                                      // of the receiver, with its path; see TracesURL
	Header   http.Header                                 // sent with every request
	Content  bool                                        // send arguments, results and labels too
	Cursor   string                                      // file that keeps the position; empty begins anew each time
	Profile  func(agentID string) contracts.AgentProfile // who somebody is; default nobody is known
	Provider func(p contracts.AgentProfile) string       // who runs an agent's model; default its source or runner
	Version  string                                      // of the product

	Client   *http.Client                                     // default: one with contracts.OTLPTimeout
	Interval time.Duration                                    // default contracts.OTLPInterval
	Now      func() time.Time                                 // default time.Now
	Wait     func(ctx context.Context, d time.Duration) error // default: a timer
	Log      *slog.Logger                                     // default silent
}

func (c Config) withDefaults() Config {
	c.Interval = cmp.Or(c.Interval, contracts.OTLPInterval)
	if c.Profile == nil {
		c.Profile = func(id string) contracts.AgentProfile { return contracts.AgentProfile{AgentID: id} }
	}
	if c.Provider == nil {
		c.Provider = func(p contracts.AgentProfile) string { return cmp.Or(p.Source, p.Runner) }
	}
	if c.Client == nil {
		c.Client = &http.Client{
			Timeout: contracts.OTLPTimeout, Transport: http.DefaultTransport.(*http.Transport).Clone(),
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the headers are for this receiver alone
		}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Wait == nil {
		c.Wait = backoff.Sleep
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	return c
}

// Exporter follows the ledger and sends spans. Make it with New.
type Exporter struct {
	cfg    Config
	file   cursorFile
	spans  assembler
	sender sender
	saved  uint64
}

// New takes the position up where the last life left it. The first time it begins
// now: what happened before export was turned on is not sent.
func New(cfg Config) (*Exporter, error) {
	cfg = cfg.withDefaults()
	e := &Exporter{cfg: cfg, file: cursorFile(cfg.Cursor)}
	s, ok, err := e.file.load()
	if err != nil {
		return nil, err
	}
	if !ok || s.Ledger != cfg.Ledger.ID() || s.Seq > cfg.Ledger.Head() {
		s = state{Ledger: cfg.Ledger.ID(), Seq: cfg.Ledger.Head()}
	}
	if floor := cfg.Ledger.Floor(); ok && s.Seq < floor {
		cfg.Log.Warn("activity removed by retention before it was exported as traces", "exported_up_to", s.Seq, "removed_up_to", floor)
	}
	e.spans = assembler{state: s, content: cfg.Content, profile: cfg.Profile, provider: cfg.Provider}
	e.sender = newSender(cfg)
	e.save()
	return e, nil
}

// Run exports until ctx ends. A receiver that is away is waited for; only a ledger
// that cannot be read ends it before.
func (e *Exporter) Run(ctx context.Context) error {
	follow, stop := context.WithCancel(ctx)
	batches := make(chan []contracts.Record)
	var failed error
	var following sync.WaitGroup
	following.Go(func() {
		failed = e.cfg.Ledger.Follow(follow, e.spans.Seq, func(recs []contracts.Record) error {
			select {
			case batches <- recs:
				return nil
			case <-follow.Done():
				return follow.Err()
			}
		})
		close(batches)
	})
	err := e.loop(ctx, batches)
	stop()
	following.Wait()
	e.goodbye(ctx)
	e.cfg.Client.CloseIdleConnections()
	if ctx.Err() != nil {
		return nil
	}
	return errors.Join(err, failed)
}

func (e *Exporter) loop(ctx context.Context, batches <-chan []contracts.Record) error {
	tick := time.NewTicker(e.cfg.Interval)
	defer tick.Stop()
	for {
		select {
		case recs, ok := <-batches:
			if !ok {
				return nil
			}
			if err := e.take(ctx, recs); err != nil {
				return err
			}
		case <-tick.C:
			if e.spans.Seq >= e.cfg.Ledger.Head() { // else the records tell what time it is
				e.spans.pass(e.cfg.Now().UnixMilli())
			}
			if err := e.flush(ctx); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (e *Exporter) take(ctx context.Context, recs []contracts.Record) error {
	for i := range recs {
		e.spans.record(&recs[i])
		if !e.spans.full() {
			continue
		}
		if err := e.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// flush sends what is whole and then moves the cursor; without anything to send
// it moves now and then, so that a restart reads little again.
func (e *Exporter) flush(ctx context.Context) error {
	if len(e.spans.out) == 0 {
		if e.spans.Seq-e.saved >= contracts.LimitOTLPUnsaved {
			e.save()
		}
		return nil
	}
	if err := e.sender.send(ctx, e.spans.out); err != nil {
		return err
	}
	e.spans.out, e.spans.bytes = nil, 0
	e.save()
	return nil
}

// save keeps the position. A disk that does not take it costs repeated spans, not
// lost ones, so the export goes on.
func (e *Exporter) save() {
	e.saved = e.spans.Seq
	if err := e.file.save(&e.spans.state); err != nil {
		e.cfg.Log.Error("trace export position not saved; some spans are sent again after a restart", "error", err)
	}
}

// goodbye tries once to send what is whole, so that an office that closes leaves
// little for its next life, or for nobody when it has none.
func (e *Exporter) goodbye(ctx context.Context) {
	if len(e.spans.out) > 0 {
		if err := e.sender.try(ctx, e.spans.out); err != nil {
			e.cfg.Log.Info("last spans not accepted; they are sent on the next start", "spans", len(e.spans.out), "error", err)
			return
		}
		e.spans.out, e.spans.bytes = nil, 0
	}
	e.save()
}
