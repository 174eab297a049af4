package jetstream

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bullpen-office/bullpen/contracts"
)

// Connect dials the cluster. While no server answers, it keeps trying until c.Wait has passed. ctx
// applies to dialling only: the connection reconnects until it is closed.
func Connect(ctx context.Context, c Config) (*nats.Conn, error) {
	log := c.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	options := append([]nats.Option{
		nats.Name("bullpen " + c.Office),
		nats.MaxReconnects(-1), nats.ReconnectWait(contracts.JetStreamPause), nats.ReconnectJitter(20*time.Millisecond, 20*time.Millisecond),
		nats.PingInterval(time.Second), nats.MaxPingsOutstanding(2), nats.Timeout(contracts.JetStreamAttempt), nats.IgnoreAuthErrorAbort(),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log.Warn("lost connection to NATS", "error", err)
			}
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { log.Warn("NATS reported an error", "error", err) }),
		nats.ReconnectHandler(func(conn *nats.Conn) { log.Info("reconnected to NATS", "server", conn.ConnectedServerName()) }),
	}, c.Options...)
	conn, err := dialWithRetry(ctx, c, log, options)
	if err != nil {
		return nil, explainConnect(err)
	}
	return conn, nil
}

// explainConnect returns an error that explains why no connection could be opened, and what to do.
func explainConnect(err error) error {
	unknown, name := x509.UnknownAuthorityError{}, x509.HostnameError{}
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired):
		return fmt.Errorf("the NATS server refused the credentials (%w): check the user and password in the URL, or the credentials file", err)
	case errors.Is(err, nats.ErrNoServers):
		return fmt.Errorf("no NATS server answered (%w): check the addresses, and that the servers are running", err)
	case errors.Is(err, nats.ErrSecureConnRequired):
		return fmt.Errorf("the NATS server requires TLS (%w): use tls:// addresses and the servers' CA certificate", err)
	case errors.Is(err, nats.ErrSecureConnWanted):
		return fmt.Errorf("the NATS server does not use TLS (%w): use nats:// addresses without a CA certificate, or enable TLS on the servers", err)
	case errors.As(err, &unknown), errors.As(err, &name):
		return fmt.Errorf("the NATS server's certificate is not trusted (%w): set --nats-ca to the CA certificate that signed it", err)
	}
	return fmt.Errorf("cannot connect to NATS: %w", err)
}

// RedactURLs removes passwords and tokens from a list of URLs.
func RedactURLs(list string) string {
	parts := strings.Split(list, ",")
	for i, part := range parts {
		if part = strings.TrimSpace(part); part != "" && !strings.Contains(part, "://") {
			part = "nats://" + part
		}
		u, err := url.Parse(part)
		if err != nil {
			parts[i] = "(invalid URL)"
			continue
		}
		if u.User != nil {
			u.User = url.User("xxxxx")
		}
		parts[i] = u.String()
	}
	return strings.Join(parts, ",")
}
