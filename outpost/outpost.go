package outpost

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/atomicfile"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/group"
	"github.com/bullpen-office/bullpen/intake"
)

// Config configures an Outpost. URL, Token, DataDir, Addr and Adapters are required.
type Config struct {
	URL   string // the office's URL
	Token string // a token with the outpost role
	TLS   *tls.Config

	DataDir  string   // for the spool and the watchers' files
	Addr     net.Addr // address of the listener for this machine's hooks
	Adapters []agents.Adapter
	Options  map[string]agents.Options // by source

	KeepThinking bool
	Price        func(contracts.Usage, int64) (float64, bool) // see agents.WatchConfig; nil means unknown
	Version      string
	Now          func() time.Time // nil means time.Now
	Log          *slog.Logger     // nil means no logging
}

// Outpost watches the agents on this machine for an office that runs elsewhere.
type Outpost struct {
	cfg      Config
	office   *Office
	roster   *intake.Roster
	watchers map[string]agents.Watcher // by source
	http     *http.Server

	running group.Group
	failed  chan error
}

// New joins the office: it returns once the office has accepted the outpost. While the office
// cannot be reached, it keeps trying until ctx is done. Callers must call Shutdown if there is no
// error.
func New(ctx context.Context, cfg Config) (*Outpost, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Price == nil {
		cfg.Price = func(contracts.Usage, int64) (float64, bool) { return 0, false }
	}
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	dir := filepath.Join(cfg.DataDir, "outpost", fileName(cfg.URL))
	machine, err := machineID(filepath.Join(cfg.DataDir, "outpost"))
	if err != nil {
		return nil, err
	}
	spool, err := openSpool(filepath.Join(dir, "spool"))
	if err != nil {
		return nil, err
	}
	o := &Outpost{cfg: cfg, office: newOffice(newLink(cfg, machine), spool, agents.Watched(cfg.Adapters), cfg.Log.With("office", cfg.URL)), failed: make(chan error, len(cfg.Adapters)+4)}
	o.running.Failed = o.failed
	if err := o.office.join(ctx); err != nil {
		o.office.link.close()
		return nil, err
	}
	if err := o.open(); err != nil {
		return nil, errors.Join(err, o.Shutdown(ctx))
	}
	return o, nil
}

// fileName returns a directory name for an office.
func fileName(url string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, strings.TrimRight(url, "/"))
}

// machineID returns the id stored in a data directory; if there is none, it creates one.
func machineID(dir string) (string, error) {
	path := filepath.Join(dir, "machine")
	content, err := os.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(content)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read the id of this outpost: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("create the outpost's directory: %w", err)
	}
	id := uuid.NewString()
	return id, atomicfile.Write(path, []byte(id+"\n"))
}

// open creates the roster, the watchers and their endpoints.
func (o *Outpost) open() error {
	o.roster = intake.NewRoster(intake.RosterConfig{
		Office: o.office, Sources: agents.Sources(o.cfg.Adapters), Outpost: o.Name(), State: o.office.State, IsAgentProcess: agents.ProcessMatcher(o.cfg.Adapters), Now: o.cfg.Now, Log: o.cfg.Log,
	})
	o.office.renewed = o.roster.Resync
	var err error
	o.watchers, err = agents.OpenWatchers(o.cfg.Adapters, agents.WatchConfig{
		Office: o.office, Roster: o.roster, DataDir: o.cfg.DataDir, Durable: true, Version: o.cfg.Version,
		Ours: func(string) bool { return false }, Principal: gate.PrincipalFrom, KeepThinking: o.cfg.KeepThinking, Price: o.cfg.Price,
		Now: o.cfg.Now, Log: o.cfg.Log, Metrics: prometheus.NewRegistry(),
	}, o.cfg.Options)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	for _, w := range o.watchers {
		for pattern, h := range w.Doors() {
			mux.HandleFunc(pattern, gate.Needs(h, contracts.AccessOperator, contracts.AccessAgent))
		}
	}
	mux.HandleFunc("GET "+gate.HealthPath, func(w http.ResponseWriter, _ *http.Request) {
		gate.Answer(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.HandleFunc("GET /readyz", o.serveReady)
	mux.HandleFunc("/", o.serveElsewhere)
	g, err := gate.New(gate.Config{Addr: o.cfg.Addr, DataDir: o.cfg.DataDir, Now: o.cfg.Now, Log: o.cfg.Log})
	if err != nil {
		return err
	}
	o.http = &http.Server{Handler: g.Handler(mux), ErrorLog: slog.NewLogLogger(o.cfg.Log.Handler(), slog.LevelDebug)}
	gate.Harden(o.http)
	for _, w := range o.watchers {
		o.http.RegisterOnShutdown(w.Close)
	}
	return nil
}

// Name returns the outpost's name, which the office reads from the token.
func (o *Outpost) Name() string { return o.Health().Name }

// Health returns the state of the connection to the office.
func (o *Outpost) Health() Health {
	h := o.office.health()
	h.Office = o.cfg.URL
	return h
}

func (o *Outpost) serveReady(w http.ResponseWriter, _ *http.Request) {
	h := o.Health()
	status := http.StatusOK
	if !h.Connected {
		status = http.StatusServiceUnavailable
	}
	gate.Answer(w, status, map[string]any{"ready": h.Connected, "outpost": h})
}

// serveElsewhere refuses requests that only the office can answer.
func (o *Outpost) serveElsewhere(w http.ResponseWriter, _ *http.Request) {
	gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "this is outpost %s of the office at %s; send the request there (--url %[2]s, with a token in BULLPEN_TOKEN)", o.Name(), o.cfg.URL)
}

// Serve watches the agents and serves their hooks on ln until Shutdown is called. It returns an
// error if the office no longer accepts the outpost, and nil after Shutdown.
func (o *Outpost) Serve(ln net.Listener) error {
	o.running.Go(o.office.Run)
	o.running.Go(o.office.streams)
	o.running.Go(o.roster.Run)
	for _, w := range o.watchers {
		o.running.Go(w.Run)
	}
	go func() { o.failed <- o.http.Serve(ln) }()
	err := <-o.failed
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Shutdown ends requests that are waiting for a person, stops the watchers, and tells the office
// that the outpost has left. Reports that cannot be sent before ctx is done are sent when the
// outpost runs again.
func (o *Outpost) Shutdown(ctx context.Context) error {
	var errs []error
	if o.http != nil {
		if err := o.http.Shutdown(ctx); err != nil {
			errs = append(errs, o.http.Close())
		}
	}
	o.running.Stop()
	if life, ok := o.office.online(); ok {
		errs = append(errs, o.office.link.leave(ctx, life))
	}
	o.office.link.close()
	return errors.Join(errs...)
}
