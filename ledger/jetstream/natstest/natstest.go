// Package natstest runs real NATS servers for tests.
package natstest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"

	"github.com/bullpen-office/bullpen/e2e/freeport"
)

// Version is the NATS version that the tests use.
const Version = "v2.15.2"

// Install returns the path of the server program. If the program is missing, Install builds it in
// the cache that this repository's tests share.
var Install = sync.OnceValues(func() (string, error) {
	list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/bullpen-office/bullpen")
	var messages bytes.Buffer
	list.Stderr = &messages
	root, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("find the repository: %w\n%s", err, &messages)
	}
	dir := filepath.Join(strings.TrimSpace(string(root)), ".cache/bin", "nats-server-"+Version)
	program := filepath.Join(dir, "nats-server")
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	build := exec.Command("go", "install", "github.com/nats-io/nats-server/v2@"+Version)
	build.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=-trimpath", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("install nats-server %s: %w\n%s", Version, err, out)
	}
	return program, nil
})

// Program returns the path of the server program. It installs the program if it is missing.
func Program(t testing.TB) string {
	t.Helper()
	program, err := Install()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// Cluster is a set of servers with JetStream that replicate to each other.
type Cluster struct {
	t       testing.TB
	program string
	options Options
	Servers []*Server
}

// Options change the configuration of servers. The zero value suits Bullpen.
type Options struct {
	JetStream string        // JetStream settings that replace "sync_interval: always"; Disabled turns JetStream off
	Extra     string        // more settings, for example accounts
	Login     string        // user:password for the tests' connections
	Connect   []nats.Option // more options for the tests' connections, for example a CA certificate
	DiskMiB   int           // size of each server's own disk, which only root can mount; 0 means no such disk
}

// Server is one server process. It keeps its address and files across restarts.
type Server struct {
	c       *Cluster
	Name    string
	URL     string
	client  int
	route   int
	dir     string
	process *exec.Cmd
	ended   chan struct{}
}

// Start runs n servers until the test ends, and waits until they accept requests.
func Start(t testing.TB, n int) *Cluster {
	t.Helper()
	return StartWith(t, n, Options{})
}

// StartWith is like Start, but with the given options.
func StartWith(t testing.TB, n int, options Options) *Cluster {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("servers are stopped and paused with signals, which Windows does not have")
	}
	c := &Cluster{t: t, program: Program(t), options: options}
	dir := t.TempDir()
	for i := range n {
		s := &Server{c: c, Name: fmt.Sprintf("n%d", i+1), client: freeport.Port(t), route: freeport.Port(t)}
		s.dir = filepath.Join(dir, s.Name)
		s.URL = c.as(options.Login, s)
		c.Servers = append(c.Servers, s)
	}
	for _, s := range c.Servers {
		if options.DiskMiB > 0 {
			if err := s.mountDisk(); err != nil {
				t.Fatal(err)
			}
		}
		s.Start()
	}
	t.Cleanup(func() {
		for _, s := range c.Servers {
			s.Kill()
		}
	})
	c.Wait()
	return c
}

// URL returns the URLs of all servers, separated by commas.
func (c *Cluster) URL() string { return c.As(c.options.Login) }

// As returns the URLs of all servers, each with the given user:password.
func (c *Cluster) As(login string) string {
	var list []string
	for _, s := range c.Servers {
		list = append(list, c.as(login, s))
	}
	return strings.Join(list, ",")
}

func (c *Cluster) as(login string, s *Server) string {
	if login != "" {
		login += "@"
	}
	return fmt.Sprintf("nats://%s127.0.0.1:%d", login, s.client)
}

// Wait waits until JetStream answers.
func (c *Cluster) Wait() {
	c.t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		err := c.ask()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("NATS does not answer: %v\n%s", err, c.Servers[0].Log())
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (c *Cluster) ask() error {
	conn, err := nats.Connect(c.URL(), append([]nats.Option{nats.Timeout(2 * time.Second)}, c.options.Connect...)...)
	if err != nil {
		return err
	}
	defer conn.Close()
	if c.options.JetStream == Disabled {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	answer, err := conn.RequestWithContext(ctx, "$JS.API.INFO", nil)
	if err == nil && strings.Contains(string(answer.Data), `"error"`) {
		err = fmt.Errorf("%s", answer.Data)
	}
	return err
}

// Disabled, set as Options.JetStream, turns JetStream off.
const Disabled = "disabled"

const config = `
server_name: %s
listen: 127.0.0.1:%d
%s
%s
%s`

const clusterConfig = `
cluster { name: bullpen, listen: 127.0.0.1:%d, no_advertise: true, routes: [%s] }
`

// Start runs the server.
func (s *Server) Start() {
	s.c.t.Helper()
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		s.c.t.Fatal(err)
	}
	cluster := ""
	if len(s.c.Servers) > 1 {
		var routes []string
		for _, peer := range s.c.Servers {
			routes = append(routes, fmt.Sprintf("nats-route://127.0.0.1:%d", peer.route))
		}
		cluster = fmt.Sprintf(clusterConfig, s.route, strings.Join(routes, ","))
	}
	file := filepath.Join(s.dir, "nats.conf")
	if err := os.WriteFile(file, fmt.Appendf(nil, config, s.Name, s.client, s.jetStream(), cluster, s.c.options.Extra), 0o600); err != nil {
		s.c.t.Fatal(err)
	}
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		s.c.t.Fatal(err)
	}
	defer log.Close()
	s.process = exec.Command(s.c.program, "-c", file)
	s.process.Stdout, s.process.Stderr = log, log
	if err := s.process.Start(); err != nil {
		s.c.t.Fatal(err)
	}
	s.ended = make(chan struct{})
	go func() {
		defer close(s.ended)
		s.process.Wait()
	}()
}

func (s *Server) jetStream() string {
	settings := cmp.Or(s.c.options.JetStream, "sync_interval: always")
	if settings == Disabled {
		return ""
	}
	return fmt.Sprintf("jetstream { store_dir: %q, max_file_store: 4GB, %s }", filepath.Join(s.dir, "data"), settings)
}

// Restart starts the server again if it has exited.
func (s *Server) Restart() {
	s.c.t.Helper()
	select {
	case <-s.ended:
		s.Start()
	default:
	}
}

// Leader returns the server that leads a stream.
func (c *Cluster) Leader(stream string) *Server {
	c.t.Helper()
	conn, err := nats.Connect(c.URL())
	if err != nil {
		c.t.Fatal(err)
	}
	defer conn.Close()
	deadline := time.Now().Add(time.Minute)
	for time.Now().Before(deadline) {
		var info struct {
			Cluster struct {
				Leader string `json:"leader"`
			} `json:"cluster"`
		}
		answer, err := conn.Request("$JS.API.STREAM.INFO."+stream, nil, 2*time.Second)
		if err == nil && json.Unmarshal(answer.Data, &info) == nil {
			for _, s := range c.Servers {
				if s.Name == info.Cluster.Leader {
					return s
				}
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	c.t.Fatalf("stream %s has no leader", stream)
	return nil
}

// DeleteStreams deletes the streams whose names contain part, if the servers answer.
func (c *Cluster) DeleteStreams(part string) {
	conn, err := nats.Connect(c.URL())
	if err != nil {
		return
	}
	defer conn.Close()
	var list struct {
		Streams []string `json:"streams"`
	}
	answer, err := conn.Request("$JS.API.STREAM.NAMES", nil, 2*time.Second)
	if err != nil || json.Unmarshal(answer.Data, &list) != nil {
		return
	}
	for _, stream := range list.Streams {
		if strings.Contains(stream, part) {
			conn.Request("$JS.API.STREAM.DELETE."+stream, nil, 2*time.Second)
		}
	}
}

// MoveLeaders makes the leaders of all streams step down repeatedly until the test ends.
func (c *Cluster) MoveLeaders(every time.Duration) {
	c.t.Helper()
	conn, err := nats.Connect(c.URL(), nats.MaxReconnects(-1))
	if err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var moving sync.WaitGroup
	moving.Go(func() {
		for ctx.Err() == nil {
			var list struct {
				Streams []string `json:"streams"`
			}
			if answer, err := conn.RequestWithContext(ctx, "$JS.API.STREAM.NAMES", nil); err == nil && json.Unmarshal(answer.Data, &list) == nil {
				for _, stream := range list.Streams {
					conn.PublishRequest("$JS.API.STREAM.LEADER.STEPDOWN."+stream, conn.NewInbox(), nil)
				}
			}
			select {
			case <-time.After(every):
			case <-ctx.Done():
			}
		}
	})
	c.t.Cleanup(func() {
		cancel()
		moving.Wait()
		conn.Close()
	})
}

// Log returns the server's log.
func (s *Server) Log() string {
	log, err := os.ReadFile(filepath.Join(s.dir, "log"))
	if err != nil {
		return err.Error()
	}
	return string(log)
}
