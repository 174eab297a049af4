//go:build linux

package main

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/server"
)

// officeServer is the complete product on a durable ledger. It has no crew, so that only commands
// are measured.
type officeServer struct {
	server   *server.Server
	listener net.Listener
	served   chan error
}

func newOfficeServer(s setup) (contestant, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	cfg := server.Config{DataDir: s.Dir, Addr: listener.Addr(), Crew: server.CrewNone}
	if s.Watch.Source != "" {
		cfg.Options = map[string]agents.Options{s.Watch.Source: {agents.OptionDir: {s.Watch.Dir}}}
	}
	srv, err := server.New(context.Background(), cfg)
	if err != nil {
		return nil, err
	}
	o := &officeServer{server: srv, listener: listener, served: make(chan error, 1)}
	go func() { o.served <- srv.Serve(listener) }()
	return o, nil
}

func (o *officeServer) Addr() (addr, epoch string) { return o.listener.Addr().String(), "" }

func (o *officeServer) Publish(int, time.Duration) (int, error) {
	return 0, errors.New("the office publishes only the results of commands")
}

func (o *officeServer) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return errors.Join(o.server.Shutdown(ctx), <-o.served)
}
