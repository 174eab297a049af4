package jetstream_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/ledger/jetstream"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
)

// waitLog is a log handler that signals when Open is waiting for NATS.
type waitLog struct {
	slog.Handler
	waits chan struct{} // capacity 1
}

func newWaitLog() waitLog { return waitLog{slog.DiscardHandler, make(chan struct{}, 1)} }

func (l waitLog) Enabled(context.Context, slog.Level) bool { return true }

func (l waitLog) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "waiting for NATS; retrying" {
		select {
		case l.waits <- struct{}{}:
		default:
		}
	}
	return nil
}

// Open waits for servers that start later, logs that it is waiting, and returns when its context is
// done.
func TestOpenWaitsForServers(t *testing.T) {
	c := natstest.Start(t, 1)
	c.Servers[0].Stop()
	opened := make(chan error)
	open := func(ctx context.Context) waitLog {
		log := newWaitLog()
		go func() {
			l, err := jetstream.Open(ctx, jetstream.Config{URL: c.URL(), Replicas: 1, Wait: time.Hour, Logger: slog.New(log)})
			if err == nil {
				err = l.Close()
			}
			opened <- err
		}()
		return log
	}
	ctx, cancel := context.WithCancel(t.Context())
	<-open(ctx).waits
	cancel()
	if err := <-opened; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	<-open(t.Context()).waits
	c.Servers[0].Start()
	if err := <-opened; err != nil {
		t.Errorf("after the server started: %v", err)
	}
}

// Open waits for a limited time, and not at all if waiting would not help.
func TestOpenDoesNotWaitForever(t *testing.T) {
	refused(t, jetstream.Config{URL: "nats://127.0.0.1:1", Wait: time.Millisecond}, "no NATS server answered", "gave up after 1ms", "check the addresses")
	c := natstest.StartWith(t, 1, natstest.Options{Extra: accounts, Login: "app:pw"})
	for url, text := range map[string]string{
		c.As("app:secret"): "refused the credentials",
		c.As("nojs:pw"):    "not enabled for this NATS account",
		c.As("nothing:pw"): "lacks a permission",
		tooOld(t):          "is too old",
	} {
		refused(t, jetstream.Config{URL: url, Wait: time.Hour}, text)
	}
	refused(t, jetstream.Config{URL: c.URL(), Wait: time.Hour, Replicas: 3}, "fewer than 3 servers")
}
