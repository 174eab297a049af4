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

// Ledger is the part of package ledger that the export uses, with the same guarantees.
type Ledger interface {
	ID() string
	Head() uint64
	Floor() uint64
	Follow(ctx context.Context, after uint64, fn func([]contracts.Record) error) error
}

// Config configures an export. Ledger and URL are required.
type Config struct {
	Ledger   Ledger
	URL      string                                      // the receiver's URL with its path; see TracesURL
	Header   http.Header                                 // sent with every request
	Content  bool                                        // send arguments, results and labels too
	Cursor   string                                      // file for the position; if empty, each run starts with new activity
	Profile  func(agentID string) contracts.AgentProfile // returns an agent's profile; default empty
	Provider func(p contracts.AgentProfile) string       // returns the provider of an agent's model; default: the agent's source or runner
	Version  string                                      // the product's version

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
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the headers are for this receiver only
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

// Exporter follows the ledger and sends spans. Create it with New.
type Exporter struct {
	cfg    Config
	file   cursorFile
	spans  assembler
	sender sender
	saved  uint64
}

// New returns an exporter that resumes at the stored position. The first time, it starts at the end
// of the ledger: activity from before the export was turned on is not sent.
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

// Run exports until ctx is done. It retries while the receiver is unreachable, and returns early
// only if the ledger cannot be read.
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
	e.finalFlush(ctx)
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
			if e.spans.Seq >= e.cfg.Ledger.Head() { // otherwise, time advances with the records
				e.spans.advance(e.cfg.Now().UnixMilli())
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

// flush sends complete spans and then moves the cursor; if there is nothing to send, it
// moves the cursor occasionally, so that a restart rereads little.
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

// save stores the position. If that fails, the export continues: spans may be sent twice, but none are
// lost.
func (e *Exporter) save() {
	e.saved = e.spans.Seq
	if err := e.file.save(&e.spans.state); err != nil {
		e.cfg.Log.Error("trace export position not saved; some spans will be sent again after a restart", "error", err)
	}
}

// finalFlush tries once to send complete spans, so that an office that is shutting down leaves
// little to send after its next start.
func (e *Exporter) finalFlush(ctx context.Context) {
	if len(e.spans.out) > 0 {
		if err := e.sender.try(ctx, e.spans.out); err != nil {
			e.cfg.Log.Info("final spans not accepted; they will be sent after the next start", "spans", len(e.spans.out), "error", err)
			return
		}
		e.spans.out, e.spans.bytes = nil, 0
	}
	e.save()
}
