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

// connection is one connection to the gateway. It handles events and responses one after another,
// in the order they arrive.
type connection struct {
	*Follower
	wire    *wire
	hello   *hello
	running *sync.WaitGroup

	pending map[string]*pendingRequest // by request id
	count   int
	bad     int // consecutive messages that could not be decoded

	histories []string // keys of sessions whose history must be read
	reading   bool     // a history is being read
	rereadAt  map[string]time.Time
	deferred  []string // keys of sessions whose history must be read again after a pause
}

// pendingRequest is a request that has not been answered yet.
type pendingRequest struct {
	method string
	until  time.Time
	then   func(ctx context.Context, f translate.Frame)
}

// codeTimeout is the error code of a request that got no response in time.
const codeTimeout = "TIMEOUT"

// limitTries is the maximum number of times that a request is sent on one connection.
const limitTries = 6

// limitBad is the number of consecutive invalid messages after which a connection is closed.
const limitBad = 16

// rereadPause is the minimum time between two reads of the same history.
const rereadPause = 2 * time.Second

var errTooManyInvalid = errors.New("too many invalid messages in a row")

// follow connects and follows the gateway until the connection ends. It returns an error that says
// why the connection ended.
func (f *Follower) follow(ctx context.Context, running *sync.WaitGroup) error {
	w, h, err := f.authenticate(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	v := &connection{Follower: f, wire: w, hello: h, running: running, pending: map[string]*pendingRequest{}, rereadAt: map[string]time.Time{}}
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

// begin stores the device token from the gateway, makes known agents join again, and sets the state
// to connected.
func (v *connection) begin() {
	if err := v.device.keep(v.cfg.URL, v.hello.Auth.DeviceToken); err != nil {
		v.cfg.Log.Warn("could not store a gateway token", "gateway", v.gateway.Name, "error", err)
	}
	v.connections++
	v.gone = false
	v.reader.ForgetReported()
	v.set(func(s *agents.Link) {
		*s = agents.Link{URL: v.cfg.URL, Connected: true, Version: contracts.CleanLine(v.hello.Server.Version), Scopes: v.hello.Auth.Scopes, People: s.People}
	})
	v.cfg.Log.Info("gateway connected", "gateway", v.gateway.Name, "version", v.hello.Server.Version, "scopes", v.hello.Auth.Scopes)
}

// incoming is a message, or the error that ended the connection.
type incoming struct {
	text     []byte
	tooLarge int64
	err      error
}

// read passes on messages until the connection ends or nothing arrives for
// GatewayMissedTicks ticks.
func (v *connection) read(frames chan<- incoming, leave <-chan struct{}) {
	for {
		var in incoming
		in.text, in.tooLarge, in.err = v.wire.next(contracts.GatewayMissedTicks * v.hello.tick())
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

func (v *connection) loop(ctx context.Context, frames <-chan incoming) error {
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
			v.expire(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// handle processes a message. An invalid message is logged and skipped; too many in a row end the
// connection.
func (v *connection) handle(ctx context.Context, in incoming) error {
	if in.err != nil {
		return in.err
	}
	if in.tooLarge > 0 {
		v.cfg.Log.Warn("skipped a gateway message that is too large; reading the history again", "gateway", v.gateway.Name, "bytes", in.tooLarge, "limit", contracts.LimitGatewayFrame)
		for _, id := range v.reader.GuestIDs() {
			for _, key := range v.reader.Running(id) {
				v.reread(key)
			}
		}
		return nil
	}
	f, err := translate.ParseFrame(in.text)
	if err == nil && f.Type == "res" {
		v.bad = 0
		if p := v.pending[f.ID]; p != nil {
			delete(v.pending, f.ID)
			p.then(ctx, f)
		}
		return nil
	}
	var found []translate.Finding
	if err == nil {
		found, err = v.reader.Event(f.Event, f.Payload, v.now())
	}
	if err != nil {
		v.cfg.Log.Warn("gateway message could not be decoded", "gateway", v.gateway.Name, "error", err)
		if v.bad++; v.bad >= limitBad {
			return fmt.Errorf("%w: %w", errNotGateway, errTooManyInvalid)
		}
		return nil
	}
	v.bad = 0
	if f.Event == "tick" {
		v.reportAllAlive(ctx)
	}
	v.handleFindings(ctx, found)
	return nil
}

func (v *connection) reportAllAlive(ctx context.Context) {
	for _, id := range v.reader.GuestIDs() {
		v.cfg.Roster.AddEvidence(ctx, id, status.Evidence{Source: contracts.FromGateway, Claim: status.Alive, Says: "heartbeat from gateway " + v.gateway.Name, At: v.now()})
	}
}

func (f *Follower) now() int64 { return f.cfg.Now().UnixMilli() }

// request sends a request. The callback receives the response, or an error if no response arrives
// in time.
func (v *connection) request(method string, params any, then func(ctx context.Context, f translate.Frame)) {
	v.count++
	id := strconv.Itoa(v.count)
	v.pending[id] = &pendingRequest{method: method, until: v.cfg.Now().Add(contracts.GatewayAnswer), then: then}
	if err := v.wire.send(id, method, params); err != nil {
		// Reading will fail as well, which ends the connection.
		v.cfg.Log.Debug("gateway request not sent", "gateway", v.gateway.Name, "method", method, "error", err)
	}
}

// requestWithRetry sends a request that the office depends on. It sends the request again if the
// gateway does not respond in time, for example because the gateway is starting.
func (v *connection) requestWithRetry(method string, params any, then func(ctx context.Context, f translate.Frame)) {
	v.requestAgain(limitTries, method, params, then)
}

func (v *connection) requestAgain(left int, method string, params any, then func(ctx context.Context, f translate.Frame)) {
	v.request(method, params, func(ctx context.Context, f translate.Frame) {
		if left--; left == 0 || f.Error == nil || f.Error.Code != codeTimeout {
			then(ctx, f)
			return
		}
		v.cfg.Log.Warn("gateway request timed out; retrying", "gateway", v.gateway.Name, "method", method)
		v.requestAgain(left, method, params, then)
	})
}

// expire times out pending requests and queues the deferred histories.
func (v *connection) expire(ctx context.Context) {
	now := v.cfg.Now()
	for id, p := range v.pending {
		if now.After(p.until) {
			delete(v.pending, id)
			p.then(ctx, translate.Frame{Error: &translate.Error{Code: codeTimeout, Message: "the gateway did not respond to " + p.method}})
		}
	}
	deferred := v.deferred
	v.deferred = nil
	for _, key := range deferred {
		v.reread(key)
	}
}

// supports reports whether the gateway supports a method.
func (v *connection) supports(method string) bool {
	return slices.Contains(v.hello.Features.Methods, method)
}
