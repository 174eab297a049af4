// Package link is a terminal's connection to the office, the same protocol that
// the browser speaks: /ws/world for what happens, HTTP for what is read once.
//
// It comes back by itself, goes on where it was and sends nothing twice: a command
// that got no answer is sent again under its own id, which the office carries out
// once (W10). It says how things stand, in words for the person, and it never
// gives up except where the office says that coming back is useless (W18).
//
// The token goes into the Authorization header of this one server and nowhere
// else; redirects are not followed.
package link

import (
	"context"
	"crypto/tls"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/tui/model"
)

// Config says where the office is and who hears of it.
type Config struct {
	Server string      // http://host:port
	Token  string      // empty on the open loopback door
	TLS    *tls.Config // nil means the usual checks
	Name   string      // of the person, as others see it; default "Visitor"
	Build  string

	// Tell hears what comes by the socket in its order, and what was read beside it
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
type Phase string

// The phases. Stale: it was live, the last state stays visible and commands are
// frozen. Offline: it was never live. Refused: no further attempt is made.
const (
	Connecting Phase = "connecting"
	Live       Phase = "live"
	Stale      Phase = "stale"
	Offline    Phase = "offline"
	Refused    Phase = "refused"
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
	client string // our id, the scope of our command ids
	http   *http.Client
	mail   mailbox
	hurry  chan struct{}

	mu    sync.Mutex
	state State
	line  *socket.Conn // nil while there is none

	// Of the goroutine in Run.
	seq        uint64
	epoch      string
	sceneID    string // of the office, as its hello_ack said
	segment    string
	snapshotID string
}

// New makes a link that Run brings to life.
func New(cfg Config) *Link {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = cfg.TLS
	cfg.Server = strings.TrimRight(cfg.Server, "/")
	if cfg.Name == "" {
		cfg.Name = "Visitor"
	}
	return &Link{
		cfg: cfg, client: "tui_" + strings.ReplaceAll(uuid.NewString(), "-", ""), hurry: make(chan struct{}, 1), state: State{Phase: Connecting},
		http: &http.Client{Timeout: contracts.BodyTimeout, Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

// Run keeps the connection until ctx ends or the office refuses us for good.
func (l *Link) Run(ctx context.Context) {
	defer l.http.CloseIdleConnections()
	defer l.mail.close("The terminal is closing.")
	var readers sync.WaitGroup
	defer readers.Wait()
	for ctx.Err() == nil {
		end := l.session(ctx, &readers)
		if ctx.Err() != nil {
			return
		}
		if end.final {
			l.mail.close(end.reason)
			l.change(func(s *State) { *s = State{Phase: Refused, Reason: end.reason, Server: s.Server} })
			return
		}
		l.pause(ctx, end.reason)
	}
}

// pause waits before the next attempt: 1, 2, 4, then 8 s, and up to half a second
// so that not everybody comes at once.
func (l *Link) pause(ctx context.Context, reason string) {
	attempt := l.State().Attempt + 1
	wait := min(contracts.LinkRetryFirst<<min(attempt-1, 10), contracts.LinkRetryMost) + rand.N(contracts.LinkRetryFirst/2)
	l.change(func(s *State) {
		phase := Offline
		if s.Phase == Live || s.Phase == Stale {
			phase = Stale
		}
		*s = State{phase, attempt, time.Now().Add(wait), reason, s.Server}
	})
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.hurry:
	case <-ctx.Done():
	}
	l.change(func(s *State) { s.RetryAt = time.Time{} })
}

// Hurry makes the next attempt now: the person asked for it.
func (l *Link) Hurry() {
	select {
	case l.hurry <- struct{}{}:
	default:
	}
}

// State is how things stand.
func (l *Link) State() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state
}

func (l *Link) change(how func(*State)) {
	l.mu.Lock()
	how(&l.state)
	now := l.state
	l.mu.Unlock()
	l.cfg.Tell(Update{State: &now})
}
