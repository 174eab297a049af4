//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hub"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/jetstream"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/view"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

// hubServer is our hub on a durable ledger, so viewers see only durable events. It receives no
// commands, so its office is empty.
type hubServer struct {
	ledger   ledger.Ledger
	hub      *hub.Hub
	http     *http.Server
	listener net.Listener
	stop     context.CancelFunc
	ended    chan error
	made     atomic.Int64
}

// emptyOffice has no agents and refuses commands.
type emptyOffice struct{}

func (emptyOffice) Do(context.Context, contracts.Command) contracts.Reply {
	return contracts.Reply{Refusal: contracts.Refuse(contracts.CodeNotAllowed, "this office is read-only")}
}
func (emptyOffice) Players() []contracts.Player { return nil }
func (emptyOffice) PlayerLeft(string)           {}

func newHubServer(s setup) (contestant, error) {
	ctx, cancel := context.WithCancel(context.Background())
	h := &hubServer{stop: cancel, ended: make(chan error, 2)}
	var err error
	if h.ledger, err = openHubLedger(ctx, s); err != nil {
		return nil, err
	}
	if !s.Follows {
		if err := h.fill(ctx, s.History); err != nil {
			return nil, err
		}
	}
	shown := view.New(view.Config{Ledger: h.ledger, World: world.New(scene.Default())})
	if h.hub, err = hub.New(hub.Config{Ledger: h.ledger, View: shown, Office: emptyOffice{}}); err != nil {
		return nil, err
	}
	if h.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/ws/world", h.hub.ServeWorld)
	h.http = &http.Server{Handler: mux}
	go h.http.Serve(h.listener)
	go func() { h.ended <- shown.Run(ctx) }()
	go func() { h.ended <- h.hub.Run(ctx) }()
	return h, nil
}

// openHubLedger opens a ledger file or a ledger in JetStream. This process becomes the writer of a
// JetStream ledger unless another node is the writer.
func openHubLedger(ctx context.Context, s setup) (ledger.Ledger, error) {
	if s.NATS == "" {
		return sqlite.Open(ctx, sqlite.Config{Path: filepath.Join(s.Dir, "ledger.db")})
	}
	l, err := jetstream.Open(ctx, jetstream.Config{URL: s.NATS, Existing: s.Follows})
	if err != nil || s.Follows {
		return l, err
	}
	return l, l.Lead(ctx)
}

// fill writes the office's first record, followed by a history.
func (h *hubServer) fill(ctx context.Context, history int) error {
	first, err := contracts.NewRecord(1, time.Now().UnixMilli(), "", &contracts.Event{Name: contracts.EventOfficeCreated, OfficeID: "office_bench", SceneID: contracts.DefaultScene})
	if err != nil {
		return err
	}
	recs := []contracts.Record{first}
	for range history {
		rec, err := eventAt(int(h.made.Add(1)), time.Now())
		if err != nil {
			return err
		}
		recs = append(recs, rec)
	}
	return h.ledger.Append(ctx, ledger.AnySeq, recs)
}

func (h *hubServer) Addr() (addr, epoch string) { return h.listener.Addr().String(), h.ledger.ID() }

func (h *hubServer) Publish(count int, every time.Duration) (int, error) {
	var bytes atomic.Int64
	err := publish(count, every, func(int) error {
		rec, err := eventAt(int(h.made.Add(1)), time.Now())
		if err != nil {
			return err
		}
		recs := []contracts.Record{rec}
		if err := h.ledger.Append(context.Background(), ledger.AnySeq, recs); err != nil {
			return err
		}
		frame, err := frameOf(&recs[0])
		bytes.Add(int64(len(frame)))
		return err
	})
	return int(bytes.Load()), err
}

func (h *hubServer) Close() error {
	h.http.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := h.hub.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("shut down the hub: %w", err)
	}
	h.stop()
	return errors.Join(<-h.ended, <-h.ended, h.ledger.Close())
}
