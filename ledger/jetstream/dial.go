package jetstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bullpen-office/bullpen/contracts"
)

// dialWithRetry dials until a server answers, a permanent error occurs, or c.Wait has passed. It
// logs why it is waiting.
func dialWithRetry(ctx context.Context, c Config, log *slog.Logger, options []nats.Option) (*nats.Conn, error) {
	end := time.Now().Add(c.Wait)
	for logged := (time.Time{}); ; {
		conn, err := dial(ctx, c.URL, options)
		switch {
		case err == nil || c.Wait == 0 || !isUnavailable(err):
			return conn, err
		case time.Now().After(end):
			return nil, fmt.Errorf("%w; gave up after %v", err, c.Wait)
		}
		if time.Since(logged) >= contracts.JetStreamLogInterval {
			logged = time.Now()
			log.Warn("waiting for NATS; retrying", "servers", RedactURLs(c.URL), "error", err, "until", end.Format(time.TimeOnly))
		}
		select {
		case <-time.After(contracts.JetStreamPause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// dial is like nats.Connect, but also returns when ctx is done.
func dial(ctx context.Context, url string, options []nats.Option) (*nats.Conn, error) {
	type outcome struct {
		conn *nats.Conn
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		conn, err := nats.Connect(url, options...)
		done <- outcome{conn, err}
	}()
	select {
	case o := <-done:
		return o.conn, o.err
	case <-ctx.Done():
		go func() {
			if o := <-done; o.conn != nil {
				o.conn.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

// isUnavailable reports whether an error means that no server is available yet: no server is
// listening, the server's name is unknown, or the server is still starting and closes the
// connection.
func isUnavailable(err error) bool {
	if alert := tls.AlertError(0); errors.As(err, &alert) {
		return false
	}
	network := net.Error(nil)
	return errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, io.EOF) || errors.As(err, &network)
}
