// Package link is a terminal's connection to the office, over the same protocol that browsers use.
// It builds on package client, and explains the connection's state to the user.
//
// It guarantees that messages arrive in order and that no command is carried out twice. It does not
// compute the state of the office; package model does.
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

// Config configures a Link. Server and OnUpdate are required.
type Config struct {
	Server string      // http://host:port
	Token  string      // default: none, which works for an office on this machine without --require-token
	TLS    *tls.Config // default: standard certificate verification
	Name   string      // the user's name, shown to others; default "Visitor"
	Build  string

	// OnUpdate receives socket messages in order and, from other goroutines, the results of HTTP
	// reads. It must not block for long.
	OnUpdate func(Update)
}

// Update is a set of messages, a new state of the connection, or the scene.
type Update struct {
	Reset    bool // a different history begins: clear everything, then apply Messages
	Messages []model.Message
	State    *State
	Scene    *contracts.SceneManifest
}

// Phase is the state of the connection, from Connecting to Refused.
type Phase = client.Phase

// The phases, as package client describes them. While Stale, the last state stays visible
// and commands are disabled.
const (
	Connecting = client.Connecting
	Live       = client.Live
	Stale      = client.Stale
	Offline    = client.Offline
	Refused    = client.Refused
)

// State is the connection's phase and its details.
type State struct {
	Phase   Phase
	Attempt int       // failed attempts in a row
	RetryAt time.Time // zero during an attempt, or if no attempt is planned
	Reason  string    // explains the phase to the user; may be empty
	Server  contracts.ServerInfo
}

// Link is a connection to an office.
type Link struct {
	cfg    Config
	office *client.Client

	mu    sync.Mutex
	state State

	// Used only by Run's goroutine.
	side   sync.WaitGroup // HTTP reads
	cancel func()         // cancels them
}

// New creates a link; Run connects it.
func New(cfg Config) *Link {
	cfg.Name = cmp.Or(cfg.Name, contracts.SayThingVisitor)
	return &Link{cfg: cfg, state: State{Phase: Connecting}, cancel: func() {}, office: client.New(client.Config{
		URL: cfg.Server, Token: cfg.Token, TLS: cfg.TLS, Name: cfg.Name, Build: cfg.Build, Platform: "terminal",
	})}
}

// Run keeps the connection open until ctx is done or the office permanently rejects this client.
func (l *Link) Run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer l.office.Close()
	defer l.side.Wait()
	defer cancel()
	everything := client.Subscription{Events: true, Goals: true, Chat: true, Stream: true, HUD: true, UI: true, Delta: true}
	_ = l.office.Follow(ctx, everything, func(u client.Update) error { // the last State has the error
		l.forward(ctx, u)
		return nil
	})
}

// forward decodes an update from the client, passes it to OnUpdate, and starts the HTTP reads when
// the connection goes live.
func (l *Link) forward(ctx context.Context, u client.Update) {
	out := Update{Reset: u.Reset}
	for _, m := range u.Messages {
		if read, err := model.Read(m.Raw); err == nil { // skip invalid messages and messages of a later version: the next snapshot corrects the state
			out.Messages = append(out.Messages, read)
		}
	}
	if out.Reset || len(out.Messages) > 0 {
		l.cfg.OnUpdate(out)
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
		l.side.Go(func() { l.fetchRest(ctx, *u.State) })
	}
}

func (l *Link) change(s client.State) {
	now := State{Phase: s.Phase, Attempt: s.Attempt, RetryAt: s.RetryAt, Reason: l.words(s.Err), Server: s.Server}
	l.mu.Lock()
	l.state = now
	l.mu.Unlock()
	l.cfg.OnUpdate(Update{State: &now})
}

// fetchRest uses HTTP to read the data that the socket does not send: the scene and, on a fresh
// start, past records.
func (l *Link) fetchRest(ctx context.Context, s client.State) {
	if s.Fresh {
		l.readHistory(ctx, s.Seq, s.Epoch)
	}
	l.readScene(ctx, s.Scene)
}

// RetryNow starts the next connection attempt now instead of waiting.
func (l *Link) RetryNow() { l.office.RetryNow() }

// State returns the current state of the connection.
func (l *Link) State() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state
}
