// Package link is a terminal's connection to the office, the same protocol that
// browsers speak: package client, with what a terminal shows of it.
//
// It guarantees that messages arrive in their order, that commands count once, and
// that every state of the connection has words for the person. It never folds the
// world; that is model's.
package link

import (
	"cmp"
	"context"
	"crypto/tls"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// Config says where the office is and who hears of it.
type Config struct {
	Server string      // http://host:port
	Token  string      // empty on the open loopback door
	TLS    *tls.Config // nil means the usual checks
	Name   string      // of the person, as others see it; default "Visitor"
	Build  string

	// Tell hears what comes by the socket in its order, and what is read over HTTP
	// from other goroutines. It must not block for long.
	Tell func(Update)
}

// Update is one piece of news: what was heard, or how the connection stands.
type Update struct {
	Reset    bool // another history begins: forget, before Messages
	Messages []model.Message
	State    *State
	Scene    *contracts.SceneManifest
}

// Phase is how things stand with the server.
type Phase = client.Phase

// The phases, as package client describes them. While it is Stale, the last state stays
// visible and commands are frozen.
const (
	Connecting = client.Connecting
	Live       = client.Live
	Stale      = client.Stale
	Offline    = client.Offline
	Refused    = client.Refused
)

// State is the phase with its circumstances.
type State struct {
	Phase   Phase
	Attempt int       // failed attempts in a row
	RetryAt time.Time // zero while an attempt is under way or none is planned
	Reason  string    // in words, for the person
	Server  contracts.ServerInfo
}

// Link is the connection.
type Link struct {
	cfg    Config
	office *client.Client

	mu    sync.Mutex
	state State

	// Of the goroutine in Run.
	side   sync.WaitGroup // what is read over HTTP
	cancel func()         // ends it
}

// New makes a link that Run brings to life.
func New(cfg Config) *Link {
	cfg.Name = cmp.Or(cfg.Name, "Visitor")
	return &Link{cfg: cfg, state: State{Phase: Connecting}, cancel: func() {}, office: client.New(client.Config{
		URL: cfg.Server, Token: cfg.Token, TLS: cfg.TLS, Name: cfg.Name, Build: cfg.Build, Platform: "terminal",
	})}
}

// Run keeps the connection until ctx ends or the office refuses us for good.
func (l *Link) Run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer l.office.Close()
	defer l.side.Wait()
	defer cancel()
	everything := client.Subscription{Events: true, Goals: true, Chat: true, Stream: true, HUD: true, UI: true, Delta: true}
	_ = l.office.Follow(ctx, everything, func(u client.Update) error { // the last state says why it ended
		l.hear(ctx, u)
		return nil
	})
}

// hear hands on what the client tells.
func (l *Link) hear(ctx context.Context, u client.Update) {
	out := Update{Reset: u.Reset}
	for _, m := range u.Messages {
		if read, err := model.Read(m.Raw); err == nil { // else of a later version, or broken: the next snapshot is right
			out.Messages = append(out.Messages, read)
		}
	}
	if out.Reset || len(out.Messages) > 0 {
		l.cfg.Tell(out)
	}
	if u.Reset || u.State != nil {
		l.cancel()
	}
	if u.State == nil {
		return
	}
	l.change(*u.State)
	if u.State.Phase == Live {
		ctx, l.cancel = context.WithCancel(ctx)
		l.side.Go(func() { l.readAside(ctx, *u.State) })
	}
}

func (l *Link) change(s client.State) {
	now := State{Phase: s.Phase, Attempt: s.Attempt, RetryAt: s.RetryAt, Reason: l.words(s.Err), Server: s.Server}
	l.mu.Lock()
	l.state = now
	l.mu.Unlock()
	l.cfg.Tell(Update{State: &now})
}

// readAside reads what does not come by the socket.
func (l *Link) readAside(ctx context.Context, s client.State) {
	if s.Fresh {
		l.readPast(ctx, s.Seq, s.Epoch)
	}
	l.readScene(ctx, s.Scene)
}

// Hurry makes the next attempt now: the person asked for it.
func (l *Link) Hurry() { l.office.Hurry() }

// State is how things stand.
func (l *Link) State() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state
}
