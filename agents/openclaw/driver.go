// Package openclaw drives an agent behind an OpenClaw gateway (protocol 4): a turn sends a message
// to one of the office's own sessions and follows the run to its end.
//
// Tool calls, thinking, approvals, text and usage are shown as they happen; a stopped turn is
// aborted on the gateway. Every turn has its own connection, so nothing stays open between turns,
// and restarting the gateway between turns is harmless. A follower of the same gateway ignores the
// office's own sessions, so their activity is recorded once, as the crew member's work.
package openclaw

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/google/uuid"

	reader "github.com/bullpen-office/bullpen/agents/openclaw/translate"
	gateway "github.com/bullpen-office/bullpen/agents/openclaw/watch"
	"github.com/bullpen-office/bullpen/drive"
)

// Config configures a Driver.
type Config struct {
	URL     string
	Token   string // the gateway's operator token; default: the token stored for this device
	Dir     string // directory for the device key and tokens; default: they are kept in memory
	Agent   string // the gateway's id for the agent; default: main
	Version string // Bullpen's version

	NewUUID func() string    // default: random
	Now     func() time.Time // default: time.Now
	Dial    func(ctx context.Context, network, addr string) (net.Conn, error)
	Log     *slog.Logger // default: no logging
}

// Driver opens sessions with an agent behind a gateway.
type Driver struct{ cfg Config }

// New returns a driver. It does not connect before the first turn.
func New(cfg Config) *Driver {
	cfg.Agent = cmp.Or(cfg.Agent, "main")
	if cfg.NewUUID == nil {
		cfg.NewUUID = uuid.NewString
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	return &Driver{cfg}
}

// Open returns a session with the key in spec.Resume, or with a new key. It does not contact the
// gateway.
func (d *Driver) Open(_ context.Context, spec drive.Spec) (drive.Session, error) {
	key := spec.Resume
	if key == "" {
		key = reader.OwnSession(d.cfg.Agent, spec.AgentID+"-"+d.cfg.NewUUID()[:8])
	}
	return &session{driver: d, key: strings.ToLower(key)}, nil
}

// session is one conversation with the agent.
type session struct {
	driver *Driver
	key    string
}

// ID returns the gateway's key for the session.
func (s *session) ID() string { return s.key }

// Close does nothing, because nothing stays open between turns.
func (s *session) Close() error { return nil }

// Turn sends the prompt, follows the run that the prompt starts, and returns the agent's answer.
func (s *session) Turn(ctx context.Context, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	d := s.driver
	client, err := gateway.Dial(ctx, gateway.Config{URL: d.cfg.URL, Token: d.cfg.Token, Dir: d.cfg.Dir, Version: d.cfg.Version, Now: d.cfg.Now, Dial: d.cfg.Dial, Log: d.cfg.Log})
	if err != nil {
		if ctx.Err() != nil {
			return drive.Answer{}, ctx.Err()
		}
		return drive.Answer{}, fmt.Errorf("%w: %w", drive.ErrUnreachable, err)
	}
	t := &turn{session: s, client: client, sink: sink, reader: reader.NewReader(reader.Gateway{Name: d.cfg.URL, IncludeOwn: true}), key: d.cfg.NewUUID()}
	return t.exchange(ctx, p)
}
