package watch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/openclaw/translate"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
)

// visit is one connection. Frames are handled one after the other, answers as
// well: so nothing that a gateway said earlier is ever read later.
type visit struct {
	*Follower
	wire    *wire
	hello   *hello
	running *sync.WaitGroup

	asked map[string]*asked // requests under way
	count int
	bad   int // messages in a row that could not be read

	histories []string // sessions whose history is to be read
	reading   bool     // one of them is being read
	rereadAt  map[string]time.Time
	held      []string // sessions to be read again, but not so soon
}

// asked is a request under way.
type asked struct {
	method string
	until  time.Time
	then   func(ctx context.Context, f translate.Frame)
}

// codeTimeout is the error of a request that nobody answered.
const codeTimeout = "TIMEOUT"

// limitTries is how often something is asked for on one connection.
const limitTries = 6

// limitBad is how many unreadable messages in a row are put up with.
const limitBad = 16

// rereadPause is the least time between two readings of one history.
const rereadPause = 2 * time.Second

var errSilent = errors.New("it sends only what cannot be read")

// visit connects, and follows until the connection ends.
func (f *Follower) visit(ctx context.Context, running *sync.WaitGroup) error {
	w, h, err := f.enter(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	v := &visit{Follower: f, wire: w, hello: h, running: running, asked: map[string]*asked{}, rereadAt: map[string]time.Time{}}
	v.begin()
	frames, ended := make(chan incoming, contracts.LimitGatewayQueue), make(chan struct{})
	leave := make(chan struct{})
	go func() {
		defer close(ended)
		v.read(frames, leave)
	}()
	defer func() {
		close(leave)
		w.close()
		<-ended
	}()
	v.bootstrap()
	return v.loop(ctx, frames)
}

// begin notes that we are in.
func (v *visit) begin() {
	if err := v.device.keep(v.cfg.URL, v.hello.Auth.DeviceToken); err != nil {
		v.cfg.Log.Warn("the token that the gateway gave could not be stored", "gateway", v.gateway.Name, "error", err)
	}
	v.visits++
	v.gone = false
	v.reader.Reintroduce()
	v.set(func(s *agents.Link) {
		*s = agents.Link{URL: v.cfg.URL, Connected: true, Version: contracts.CleanLine(v.hello.Server.Version), Scopes: v.hello.Auth.Scopes, People: s.People}
	})
	v.cfg.Log.Info("the gateway is followed", "gateway", v.gateway.Name, "version", v.hello.Server.Version, "scopes", v.hello.Auth.Scopes)
}

// incoming is a message, or why there are no more.
type incoming struct {
	text     []byte
	tooLarge int64
	err      error
}

// read hands messages over until the connection ends. Three ticks without a sign
// of life are such an end.
func (v *visit) read(frames chan<- incoming, leave <-chan struct{}) {
	for {
		var in incoming
		in.text, in.tooLarge, in.err = v.wire.next(contracts.GatewayTicks * v.hello.tick())
		select {
		case frames <- in:
		case <-leave:
			return
		}
		if in.err != nil {
			return
		}
	}
}

func (v *visit) loop(ctx context.Context, frames <-chan incoming) error {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case in := <-frames:
			err = v.handle(ctx, in)
		case o := <-v.orders:
			v.carryOut(ctx, o)
		case a := <-v.answers:
			v.answered(a, v)
		case <-second.C:
			v.look(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// handle takes a message. One that cannot be read is left out with a word in the
// log; many of them are the end.
func (v *visit) handle(ctx context.Context, in incoming) error {
	if in.err != nil {
		return in.err
	}
	if in.tooLarge > 0 {
		v.cfg.Log.Warn("a message of the gateway was left out, because it is too large; the history is read again", "gateway", v.gateway.Name, "bytes", in.tooLarge, "limit", contracts.LimitGatewayFrame)
		for _, id := range v.reader.People() {
			for _, key := range v.reader.Running(id) {
				v.reread(key)
			}
		}
		return nil
	}
	f, err := translate.ParseFrame(in.text)
	if err == nil && f.Type == "res" {
		v.bad = 0
		if a := v.asked[f.ID]; a != nil {
			delete(v.asked, f.ID)
			a.then(ctx, f)
		}
		return nil
	}
	var found []translate.Finding
	if err == nil {
		found, err = v.reader.Event(f.Event, f.Payload, v.now())
	}
	if err != nil {
		v.cfg.Log.Warn("a message of the gateway could not be read", "gateway", v.gateway.Name, "error", err)
		if v.bad++; v.bad >= limitBad {
			return fmt.Errorf("%w: %w", errNotGateway, errSilent)
		}
		return nil
	}
	v.bad = 0
	if f.Event == "tick" {
		v.everybodyAlive(ctx)
	}
	v.tell(ctx, found)
	return nil
}

func (v *visit) everybodyAlive(ctx context.Context) {
	for _, id := range v.reader.People() {
		v.cfg.Roster.Witness(ctx, id, status.Evidence{Source: contracts.FromGateway, Claim: status.Alive, Says: "heartbeat of gateway " + v.gateway.Name, At: v.now()})
	}
}

func (f *Follower) now() int64 { return f.cfg.Now().UnixMilli() }

// request asks the gateway something; then gets the answer, also when there is
// none.
func (v *visit) request(method string, params any, then func(ctx context.Context, f translate.Frame)) {
	v.count++
	id := strconv.Itoa(v.count)
	v.asked[id] = &asked{method: method, until: v.cfg.Now().Add(contracts.GatewayAnswer), then: then}
	if err := v.wire.send(id, method, params); err != nil {
		v.cfg.Log.Debug("a request did not get through", "gateway", v.gateway.Name, "method", method, "error", err) // reading fails as well
	}
}

// insist asks for something that the office cannot do without, and again when a
// gateway that is busy, as they are when they start, does not answer in time.
func (v *visit) insist(method string, params any, then func(ctx context.Context, f translate.Frame)) {
	v.again(limitTries, method, params, then)
}

func (v *visit) again(left int, method string, params any, then func(ctx context.Context, f translate.Frame)) {
	v.request(method, params, func(ctx context.Context, f translate.Frame) {
		if left--; left == 0 || f.Error == nil || f.Error.Code != codeTimeout {
			then(ctx, f)
			return
		}
		v.cfg.Log.Warn("the gateway takes its time; it is asked again", "gateway", v.gateway.Name, "method", method)
		v.again(left, method, params, then)
	})
}

// look gives up on answers that do not come, and reads histories again that had
// to wait.
func (v *visit) look(ctx context.Context) {
	now := v.cfg.Now()
	for id, a := range v.asked {
		if now.After(a.until) {
			delete(v.asked, id)
			a.then(ctx, translate.Frame{Error: &translate.Error{Code: codeTimeout, Message: "the gateway did not answer " + a.method}})
		}
	}
	held := v.held
	v.held = nil
	for _, key := range held {
		v.reread(key)
	}
}

// can reports whether the gateway has a method.
func (v *visit) can(method string) bool { return slices.Contains(v.hello.Features.Methods, method) }
