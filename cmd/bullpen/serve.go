package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/cluster"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/instance"
	"github.com/bullpen-office/bullpen/repo/root"
	"github.com/bullpen-office/bullpen/server"
	"github.com/bullpen-office/bullpen/world/scene"
)

// shutdownTime is the time limit for a graceful shutdown.
const shutdownTime = 10 * time.Second

// readyTimeout limits how long the greeting waits for the office to be ready. readyPollInterval is
// the polling interval.
const (
	readyTimeout      = 10 * time.Second
	readyPollInterval = 5 * time.Millisecond
)

func newServeCommand() *cobra.Command {
	s := newSettings()
	c := &cobra.Command{Use: "serve", Short: "Start the office without opening the browser", Args: noArgs}
	s.register(c.Flags())
	_ = c.Flags().MarkHidden("no-open") // it has no effect here, but the configuration file may set it
	completeSettings(c)
	c.RunE = func(cmd *cobra.Command, _ []string) error { return serve(cmd, s, false) }
	return c
}

// serve runs the office until a signal arrives. A second signal ends it immediately.
func serve(cmd *cobra.Command, s *settings, open bool) error {
	if err := s.load(); err != nil {
		return err
	}
	cfg, err := s.serverConfig(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ln, err := listen(s)
	if err != nil {
		return err
	}
	defer ln.Close()
	cfg.Addr = ln.Addr()
	srv, err := server.New(ctx, cfg)
	if err != nil && ctx.Err() != nil { // a signal, not a failure
		fmt.Fprintln(cmd.ErrOrStderr(), "stopped before the office was open")
		return nil
	}
	if err != nil {
		return err
	}
	in, err := newInstance(s, ln.Addr())
	if err != nil {
		return errors.Join(err, srv.Shutdown(ctx))
	}
	served := make(chan error, 1)
	readyCtx, cancelReady := context.WithTimeout(ctx, readyTimeout)
	go func() { served <- srv.Serve(ln); cancelReady() }()
	awaitReady(readyCtx, s, in)
	stopped := errors.Is(readyCtx.Err(), context.Canceled) // cancelled by a signal, or because Serve failed
	cancelReady()
	if !stopped {
		if err := in.Write(s.data); err != nil {
			return errors.Join(err, srv.Shutdown(ctx))
		}
		link := in.URL + srv.Link()
		greet(ctx, cmd.OutOrStdout(), s, in, link, srv.Arrival())
		if open && !s.noOpen {
			openBrowser(link)
		}
	}
	select {
	case err = <-served:
	case <-ctx.Done():
		stop() // from here on, signals have their default effect
		fmt.Fprintln(cmd.ErrOrStderr(), "shutting down; press Ctrl-C again to quit immediately")
		go forceOnSignal()
	}
	in.Remove(s.data) // before the ledger is closed, because the next process that opens it writes its own file
	deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	return errors.Join(err, srv.Shutdown(deadline))
}

// awaitReady waits until the office accepts commands, so that they work as soon as the greeting is
// printed.
func awaitReady(ctx context.Context, s *settings, in instance.Instance) {
	token, err := gate.ReadOwnerToken(s.tokenFile)
	c := ownClient(in, token)
	defer c.office.Close()
	for err == nil {
		var ready server.Readiness
		if err = c.get(ctx, "/readyz", &ready); err != nil || ready.Hub.Following {
			return // if the office cannot write records, its log shows why
		}
		err = backoff.Sleep(ctx, readyPollInterval)
	}
}

// forceOnSignal ends the process on a second signal. This is safe, because acknowledged records are
// already durable.
func forceOnSignal() {
	again := make(chan os.Signal, 1)
	signal.Notify(again, os.Interrupt, syscall.SIGTERM)
	<-again
	os.Exit(exitForced)
}

func (s *settings) serverConfig(logTo io.Writer) (server.Config, error) {
	public, err := s.public()
	if err != nil {
		return server.Config{}, err
	}
	proxies, err := s.proxyNetworks()
	if err != nil {
		return server.Config{}, err
	}
	sc, alone, err := s.loadHouse()
	if err != nil {
		return server.Config{}, err
	}
	if alone != "" {
		s.logger(logTo).Warn("studios are disabled", "reason", alone)
	}
	options, err := s.vendors()
	if err != nil {
		return server.Config{}, err
	}
	traces, err := s.traces.config()
	if err != nil {
		return server.Config{}, err
	}
	shared, err := s.nats.cluster(s.sources["nats"])
	if err != nil {
		return server.Config{}, err
	}
	if shared == nil {
		if err := s.checkAlone(); err != nil {
			return server.Config{}, usageError("%w", err)
		}
	}
	if shared != nil && s.ephemeral {
		return server.Config{}, usageError("--ephemeral keeps the ledger in memory, so it cannot be used with --nats")
	}
	if s.traces.wanted() && traces == nil {
		s.logger(logTo).Warn("trace export disabled because " + envNoTrack + " is set")
	}
	return server.Config{
		Options: options, Traces: traces, Connect: s.connectConfig(),
		DataDir: s.data, Ephemeral: s.ephemeral, Cluster: shared, Scene: sc, Crew: s.crew, Staff: s.staff, Repos: s.repos(), Pace: s.pace, Studios: s.studios, Unchecked: s.unchecked,
		TokenFile: s.tokenFile, RequireToken: s.requireToken, Hosts: s.hosts, PublicURL: public, Proxies: proxies, TLS: s.tlsCert != "",
		KeepThinking: s.keepThinking, ReplayOff: s.noReplay,
		SnapshotHz: s.snapshotHz, KeepActivity: s.keepActivity, Version: currentVersion().Version, Log: s.logger(logTo),
	}, nil
}

// repos returns the configured repositories and, unless the office has no crew or is ephemeral, the
// repository that the office is started in.
func (s *settings) repos() []contracts.Repo {
	folder, err := os.Getwd()
	home, _ := os.UserHomeDir() // an empty home excludes no repository
	if err != nil || s.crew == server.CrewNone || s.ephemeral {
		return s.staff.Repos
	}
	path, ok := root.Of(folder, home)
	if !ok || slices.ContainsFunc(s.staff.Repos, func(r contracts.Repo) bool { return r.Path == path }) {
		return s.staff.Repos
	}
	return append(slices.Clip(s.staff.Repos), contracts.Repo{Path: path})
}

func (s *settings) logger(w io.Writer) *slog.Logger {
	level, _ := s.level() // already validated
	options := &slog.HandlerOptions{Level: level}
	if s.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// loadHouse loads the office's scene. A scene that cannot be the house of a campus is an error if
// the operator asked for studios. Otherwise, studios are switched off, and alone explains why.
func (s *settings) loadHouse() (sc *scene.Scene, alone string, err error) {
	sc, err = loadScene(s.scene)
	if err != nil || sc == nil || !s.studios {
		return sc, "", err
	}
	problems := scene.NewCampus(sc).Preflight()
	if len(problems) == 0 {
		return sc, "", nil
	}
	alone = fmt.Sprintf("scene %s cannot be the house of a campus: %s, the first: %s; leave a way out of the house at its front or right side", s.scene, problemCount(len(problems)), problems[0])
	if s.sources["studios"] != "default" {
		return nil, "", usageError("%s, or start with --studios=false", alone)
	}
	s.studios = false
	return sc, alone, nil
}

// loadScene reads and checks a scene file. For an empty path, it returns nil, which means the
// built-in scene.
func loadScene(path string) (*scene.Scene, error) {
	if path == "" {
		return nil, nil
	}
	content, err := readScene(path)
	if err != nil {
		return nil, err
	}
	sc, err := scene.Parse(content)
	if err != nil {
		return nil, usageError("%s: %w", path, err)
	}
	if problems := sc.Preflight(); len(problems) > 0 {
		return nil, usageError("scene %s has %s, the first: %s; run `bullpen scene check %s` to see them all", path, problemCount(len(problems)), problems[0], path)
	}
	return sc, nil
}

// greet prints the office's addresses, data directory and crew, as well as notes about problems.
func greet(ctx context.Context, w io.Writer, s *settings, in instance.Instance, link string, arrival *cluster.Arrival) {
	kept := s.data
	if s.nats.given() {
		kept += fmt.Sprintf(" (credentials only: the ledger is in NATS, office %q)", s.nats.office)
	}
	if s.ephemeral {
		kept += " (credentials only: the ledger is in memory and is lost on exit)"
	}
	fmt.Fprintf(w, "Bullpen %s\n\n", currentVersion().Version)
	if s.addr == defaultAddr && in.Addr != defaultAddr {
		fmt.Fprintf(w, "  Note      port 4777 is in use; using the next free port\n")
	}
	fmt.Fprintf(w, "  Office    %s\n  Operator  %s\n            (valid once, for 10 minutes; run `bullpen open` for another)\n  Data      %s\n  Crew      %s\n\n", in.URL, link, kept, s.crewLine())
	if arrival != nil {
		fmt.Fprintf(w, "  Note      %s\n\n", s.nats.arrivalLine(*arrival))
	}
	for _, f := range examineRunners(ctx, s, false, s.staff.Used()) {
		if !f.OK {
			fmt.Fprintf(w, "  Note      %s; %s\n\n", printable(f.Saw), printable(f.Do))
		}
	}
	for _, note := range s.misdirectedHooks(in) {
		fmt.Fprintf(w, "  Note      %s\n\n", note)
	}
	fmt.Fprintln(w, "Press Ctrl-C to stop.")
}
