package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/openclaw/translate"
	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
)

// Follower follows one gateway. Create it with New, then call Run.
type Follower struct {
	cfg     Config
	gateway translate.Gateway
	device  *device
	orders  chan order
	answers chan answer

	// Only Run's goroutine accesses these fields.
	reader      *translate.Reader
	asks        map[string]*ask // by the gateway's approval id
	connections int             // number of connections so far
	gone        bool            // all agents were reported as gone
	lostAt      time.Time       // when the last connection ended
	retry       backoff.Backoff

	mu    sync.Mutex
	state agents.Link
}

// New returns a follower for a gateway. It opens or creates the device key, but does not connect
// until Run.
func New(cfg Config) (*Follower, error) {
	cfg = cfg.withDefaults()
	d, err := openDevice(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("follow the gateway %s: %w", cfg.URL, err)
	}
	g := cfg.gateway()
	return &Follower{
		cfg: cfg, gateway: g, device: d, orders: make(chan order, contracts.LimitGatewayAsked), answers: make(chan answer),
		reader: translate.NewReader(g), asks: map[string]*ask{}, retry: backoff.Backoff{First: contracts.GatewayRetryFirst, Max: contracts.GatewayRetryMax, Rand: cfg.Jitter}, state: agents.Link{URL: cfg.URL, Problem: "not connected yet"},
	}, nil
}

// State returns the state of the connection.
func (f *Follower) State() agents.Link {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state
}

func (f *Follower) set(change func(*agents.Link)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.state)
}

// Run follows the gateway until ctx is done. It always returns nil.
func (f *Follower) Run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	running.Go(func() { f.followOrders(ctx) })
	for {
		began := f.cfg.Now()
		err := f.follow(ctx, &running)
		if ctx.Err() != nil {
			return nil
		}
		p := explain(f.gateway.Name, err)
		f.fail(ctx, p, f.cfg.Now().Sub(began))
		if !f.waitForRetry(ctx, f.pause(p)) {
			return nil
		}
	}
}

// fail sets the state to disconnected and stores the problem. After a failed attempt to connect, it
// also reports the agents as gone.
func (f *Follower) fail(ctx context.Context, p *Problem, lasted time.Duration) {
	was := f.State()
	f.set(func(s *agents.Link) { s.Connected, s.Problem, s.Do = false, p.Saw, p.Do })
	if was.Connected {
		f.lostAt = f.cfg.Now()
		if lasted >= contracts.GatewayStable {
			f.retry.Reset()
		}
		f.cfg.Log.Warn("gateway connection lost; reconnecting", "gateway", f.gateway.Name, "problem", p.Saw)
		return // the next attempt may succeed: no agent is gone yet
	}
	if was.Problem != p.Saw {
		f.cfg.Log.Warn("gateway connection failed; retrying", "gateway", f.gateway.Name, "problem", p.Saw, "do", p.Do)
	}
	f.reportAllGone(ctx, p)
}

// reportAllGone reports, once, that all of the gateway's agents are gone.
func (f *Follower) reportAllGone(ctx context.Context, p *Problem) {
	if f.gone {
		return
	}
	f.gone = true
	ids := map[string]bool{}
	for _, id := range f.reader.GuestIDs() {
		ids[id] = true
	}
	for _, a := range f.office(ctx).Agents { // agents from before a restart
		if f.gateway.Owns(a.AgentProfile) {
			ids[a.AgentID] = true
		}
	}
	for id := range ids {
		f.cfg.Roster.AddEvidence(ctx, id, status.Evidence{Source: contracts.FromGateway, Claim: status.Gone, Says: p.Saw, At: f.cfg.Now().UnixMilli()})
	}
}

// office returns the agents, decisions and turns that the office has recorded for all gateways. It
// returns the zero value if they cannot be read.
func (f *Follower) office(ctx context.Context) agents.SourceState {
	have, err := f.cfg.Office.SourceState(ctx, translate.Source)
	if err != nil && ctx.Err() == nil {
		f.cfg.Log.Warn("cannot read the office's agents", "gateway", f.gateway.Name, "error", err)
	}
	return have
}

// pause returns the delay before the next attempt to connect.
func (f *Follower) pause(p *Problem) time.Duration {
	wait := f.retry.Next()
	switch {
	case p.after > 0:
		return f.retry.Jitter(min(p.after, contracts.GatewayRetryMax))
	case p.slow:
		return f.retry.Jitter(contracts.GatewayRetryMax)
	}
	return wait
}

// waitForRetry waits, and rejects the orders that arrive during the wait. It returns false if ctx
// is done first.
func (f *Follower) waitForRetry(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-timer.C:
			return true
		case o := <-f.orders:
			f.refuse(ctx, o, f.State().Problem)
		case a := <-f.answers:
			f.answered(a, nil)
		}
	}
}

// authenticate connects and authenticates with the configured token. Without a configured token, or
// if the gateway rejects that token, it uses the token that the gateway gave this device.
func (f *Follower) authenticate(ctx context.Context) (*wire, *hello, error) {
	token := f.cfg.Token
	stored := f.device.token(f.cfg.URL)
	token = cmp.Or(token, stored)
	w, h, err := authenticate(ctx, f.cfg, f.device, token)
	var refused *translate.Error
	if errors.As(err, &refused) && refused.Details.Code == "AUTH_TOKEN_MISMATCH" && stored != "" && stored != token {
		w, h, err = authenticate(ctx, f.cfg, f.device, stored)
	}
	return w, h, err
}

func authenticate(ctx context.Context, cfg Config, d *device, token string) (*wire, *hello, error) {
	w, err := dial(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	stop := context.AfterFunc(ctx, w.close)
	defer stop()
	c, err := w.awaitChallenge()
	if err != nil {
		w.close()
		return nil, nil, err
	}
	h, err := w.connect(cfg, d, token, c)
	if err != nil {
		w.close()
		return nil, nil, err
	}
	return w, h, nil
}

// Followers holds one follower per gateway.
type Followers []*Follower

// Run follows every gateway until ctx is done. It always returns nil.
func (fs Followers) Run(ctx context.Context) error {
	var running sync.WaitGroup
	for _, f := range fs {
		running.Go(func() { _ = f.Run(ctx) }) // a disconnected gateway is a state, not an error
	}
	running.Wait()
	<-ctx.Done()
	return nil
}

// Doors returns nil: the office connects to the gateways, not the other way round.
func (fs Followers) Doors() map[string]http.HandlerFunc { return nil }

// Workdir returns "", because a gateway's agents may work on another machine.
func (fs Followers) Workdir(string) string { return "" }

// Close does nothing, because no request to a follower waits for a person.
func (fs Followers) Close() {}

// Links returns the states of the gateways.
func (fs Followers) Links() (list []agents.Link) {
	for _, f := range fs {
		list = append(list, f.State())
	}
	return list
}
