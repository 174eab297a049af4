package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/pflag"

	"github.com/bullpen-office/bullpen/cluster"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger/jetstream"
	"github.com/bullpen-office/bullpen/server"
)

// natsSettings holds the settings of a ledger that is stored in a NATS cluster.
type natsSettings struct {
	servers  natsServers
	office   string
	creds    string
	ca       string
	replicas int
	node     string
}

// natsServers is a list of URLs, separated by commas. As a flag value, it never shows passwords or
// tokens.
type natsServers string

func (n *natsServers) Set(list string) error { *n = natsServers(list); return nil }
func (n *natsServers) Type() string          { return "URL[,URL...]" }
func (n *natsServers) String() string        { return jetstream.RedactURLs(string(*n)) }

func (n *natsSettings) register(f *pflag.FlagSet) {
	n.registerLedger(f, "store the ledger in this NATS JetStream cluster")
	n.registerReplicas(f, "number of replicas if this node creates the ledger in the NATS cluster: 1, 3 or 5")
	f.StringVar(&n.node, "node", "", "name of this node, which must be unique in the office (default: the host name)")
}

// registerLedger adds the flags for finding a ledger in a NATS cluster. use is the first part of the
// help text of --nats.
func (n *natsSettings) registerLedger(f *pflag.FlagSet, use string) {
	n.replicas = contracts.JetStreamReplicas
	f.Var(&n.servers, "nats", use+": URLs of its servers, for example nats://a:4222,nats://b:4222")
	f.StringVar(&n.office, "office", jetstream.DefaultOffice, "name of the office in the NATS cluster")
	f.StringVar(&n.creds, "nats-creds", "", "credentials file for NATS (user JWT and key); a user and password may be part of the URL instead")
	f.StringVar(&n.ca, "nats-ca", "", "PEM file with the CA certificate that signed the NATS servers' certificates")
}

func (n *natsSettings) registerReplicas(f *pflag.FlagSet, usage string) {
	f.IntVar(&n.replicas, "nats-replicas", contracts.JetStreamReplicas, usage)
}

// String names the office and its cluster, without secrets.
func (n *natsSettings) String() string {
	return fmt.Sprintf("office %q at %s", n.office, n.servers.String())
}

// given reports whether the ledger is stored in a NATS cluster.
func (n *natsSettings) given() bool { return n.servers != "" }

// inCluster reports whether a command that reads or creates a ledger uses the ledger in the NATS
// cluster. A data directory on the command line takes precedence over a cluster in the environment.
func (s *settings) inCluster() bool {
	return s.nats.given() && !(s.sources["data"] == "flag" && s.sources["nats"] == "environment")
}

// openVault opens the credentials of an existing office in the NATS cluster.
func (s *settings) openVault(ctx context.Context) (vault *cluster.Vault, closeVault func(), err error) {
	config, err := s.nats.config(s.sources["nats"], nil)
	if err != nil {
		return nil, nil, err
	}
	config.Existing = true
	l, err := jetstream.Open(ctx, config) // a misspelt name must not create an office
	if err != nil {
		return nil, nil, err
	}
	conn, err := jetstream.Connect(ctx, config)
	if err = errors.Join(err, l.Close()); err != nil {
		return nil, nil, err
	}
	if vault, err = cluster.OpenVault(ctx, cluster.VaultConfig{Conn: conn, Office: config.Office, Existing: true}); err != nil {
		conn.Close()
		return nil, nil, err
	}
	return vault, func() { vault.Close(); conn.Close() }, nil
}

// cluster returns this node's cluster configuration, or nil if no NATS servers are set.
func (n *natsSettings) cluster(source string) (*server.ClusterConfig, error) {
	if !n.given() {
		return nil, nil
	}
	ledger, err := n.config(source, nil)
	if err != nil {
		return nil, err
	}
	ledger.Wait = contracts.JetStreamWait
	node := n.node
	if node == "" {
		if node, err = os.Hostname(); err != nil {
			return nil, usageError("the host name is unknown (%w): name this node with --node", err)
		}
	}
	if err := cluster.CheckName(node); err != nil {
		return nil, usageError("--node: %w", err)
	}
	return &server.ClusterConfig{Ledger: ledger, Node: node}, nil
}

// checkAlone returns an error if --nats was probably forgotten: a flag that needs --nats is set, or
// the data directory belongs to a node but has no ledger, so a new office would be created in it.
func (s *settings) checkAlone() error {
	for _, flag := range []string{"node", "office", "nats-creds", "nats-ca", "nats-replicas"} {
		if s.sources[flag] == "flag" {
			return fmt.Errorf("--%s is for an office in a NATS cluster: add --nats URL", flag)
		}
	}
	path, office, known := cluster.Membership(s.data)
	if !known || s.ephemeral {
		return nil
	}
	if _, err := os.Stat(server.LedgerPath(s.data)); !errors.Is(err, fs.ErrNotExist) {
		return nil // the office was moved here
	}
	return fmt.Errorf("%s belongs to a node of office %q, whose ledger is in NATS: add --nats URL, or choose another directory with --data; to create a separate office in this directory, delete %s", s.data, office, path)
}

// arrivalLine returns a line about the office that a node found on its first start, so that people
// notice if it is another team's office with the same name.
func (n *natsSettings) arrivalLine(a cluster.Arrival) string {
	if a.New {
		return fmt.Sprintf("created office %q in NATS", n.office)
	}
	text := fmt.Sprintf("joined office %q: %s, created %s", n.office, recordWords(a.Records), a.Created.Format(time.DateOnly))
	if a.Writer != "" {
		text += ", written by node " + a.Writer
	}
	return text + ". If it is not yours, stop this node and choose another name with --office."
}

// config returns the configuration for opening the ledger in the cluster. source is where the
// URLs were set.
func (n *natsSettings) config(source string, log *slog.Logger) (c jetstream.Config, err error) {
	for i, server := range strings.Split(string(n.servers), ",") {
		u, err := parseNATS(server)
		if err != nil {
			return c, usageError("address %d of --nats: %w", i+1, err)
		}
		if u.User != nil && strings.HasPrefix(source, "file ") {
			return c, usageError("address %d of nats: do not put secrets in the configuration file; use --nats-creds or the variable BULLPEN_NATS", i+1)
		}
	}
	if err := jetstream.CheckOffice(n.office); err != nil {
		return c, usageError("--office: %w", err)
	}
	if n.replicas < 1 || n.replicas > 5 || n.replicas%2 == 0 {
		return c, usageError("--nats-replicas %d is invalid: use 1, 3 or 5", n.replicas)
	}
	c = jetstream.Config{URL: string(n.servers), Office: n.office, Replicas: n.replicas, Logger: log}
	for _, file := range []struct {
		flag, path string
		option     func(string) nats.Option
	}{
		{"nats-creds", n.creds, func(path string) nats.Option { return nats.UserCredentials(path) }},
		{"nats-ca", n.ca, func(path string) nats.Option { return nats.RootCAs(path) }},
	} {
		if file.path == "" {
			continue
		}
		if _, err := os.ReadFile(file.path); err != nil {
			return c, usageError("--%s: %w", file.flag, err)
		}
		c.Options = append(c.Options, file.option(file.path))
	}
	return c, nil
}

var natsSchemes = []string{"nats", "tls", "ws", "wss"}

// parseNATS parses the URL of one server; the default scheme is nats. Its errors do not contain the
// URL, which may contain a password.
func parseNATS(server string) (*url.URL, error) {
	server = strings.TrimSpace(server)
	if !strings.Contains(server, "://") {
		server = "nats://" + server
	}
	u, err := url.Parse(server)
	switch {
	case err != nil:
		return nil, fmt.Errorf("invalid URL: use nats://HOST:4222")
	case !slices.Contains(natsSchemes, u.Scheme):
		return nil, fmt.Errorf("unknown scheme %q: use nats://HOST:4222, or tls, ws or wss", u.Scheme)
	case u.Hostname() == "":
		return nil, fmt.Errorf("no host: use nats://HOST:4222")
	}
	return u, nil
}
