//go:build linux

package main

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/bullpen-office/bullpen/gate"
)

// readerServer is a minimal endpoint: it reads the body and responds, with the same limits as our
// server.
type readerServer struct {
	http     *http.Server
	listener net.Listener
}

func newReaderServer(setup) (contestant, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &readerServer{listener: listener, http: &http.Server{Handler: http.HandlerFunc(readOnly)}}
	gate.Harden(r.http)
	go r.http.Serve(listener)
	return r, nil
}

func readOnly(w http.ResponseWriter, r *http.Request) {
	if _, err := io.ReadAll(r.Body); err != nil {
		w.WriteHeader(http.StatusBadRequest)
	}
}

func (r *readerServer) Addr() (addr, epoch string) { return r.listener.Addr().String(), "" }

func (r *readerServer) Publish(int, time.Duration) (int, error) {
	return 0, errors.New("the reader cannot publish events")
}

func (r *readerServer) Close() error { return r.http.Shutdown(context.Background()) }
