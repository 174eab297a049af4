package chaos_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/e2e/freeport"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
	"github.com/bullpen-office/bullpen/ledger/jetstream"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
	"github.com/bullpen-office/bullpen/server"
)

// Environment variables that turn this test binary into a node.
const (
	envNode = "BULLPEN_CHAOS_NODE"
	envNATS = "BULLPEN_CHAOS_NATS"
	envAddr = "BULLPEN_CHAOS_ADDR"
	envData = "BULLPEN_CHAOS_DATA"
	envHost = "BULLPEN_CHAOS_HOST" // the node's address for other machines

	envStudios = "BULLPEN_CHAOS_STUDIOS" // if set, guests get studios
)

const (
	replicas    = 3
	pace        = 20 // speed of the rehearsal crew
	testTimeout = 3 * time.Minute
)

func TestMain(m *testing.M) {
	if os.Getenv(envNode) != "" {
		if err := serve(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	leaktest.Main(m)
}

// serve runs a node until SIGTERM.
func serve() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	ln, err := net.Listen("tcp", os.Getenv(envAddr))
	if err != nil {
		return err
	}
	clock := newJumpyClock()
	s, err := server.New(ctx, server.Config{
		Now:     clock.now,
		DataDir: os.Getenv(envData), Studios: os.Getenv(envStudios) != "", Pace: pace, Addr: ln.Addr(), Hosts: []string{os.Getenv(envHost)}, Folder: os.Getenv(envData), Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
		Cluster: &server.ClusterConfig{Ledger: jetstream.Config{URL: os.Getenv(envNATS), Replicas: replicas}, Node: os.Getenv(envNode)},
	})
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	select {
	case err = <-served:
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return errors.Join(err, s.Shutdown(end))
}

// jumpyClock is a wall clock that jumps when the process receives a signal: ahead on SIGUSR1, back
// on SIGUSR2.
type jumpyClock struct{ offset atomic.Int64 }

const jump = 2 * time.Hour

func newJumpyClock() *jumpyClock {
	c := &jumpyClock{}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for sig := range signals {
			if sig == syscall.SIGUSR1 {
				c.offset.Add(int64(jump))
			} else {
				c.offset.Add(-int64(jump))
			}
		}
	}()
	return c
}

func (c *jumpyClock) now() time.Time { return time.Now().Round(0).Add(time.Duration(c.offset.Load())) }

// node is one process of the office. It keeps its name, address and data when it is started again.
type node struct {
	t       *testing.T
	name    string
	addr    string
	data    string
	links   []*link // to the NATS servers
	door    *link   // connections from other machines
	process *exec.Cmd
	log     bytes.Buffer
	ended   chan struct{}
}

// start runs the node and waits until it is ready.
func (n *node) start() {
	n.t.Helper()
	n.launch()
	n.awaitReady()
}

func (n *node) launch() {
	n.t.Helper()
	var urls []string
	for _, l := range n.links {
		urls = append(urls, "nats://"+l.addr())
	}
	n.process = exec.Command(os.Args[0])
	n.process.Env = append(os.Environ(), envNode+"="+n.name, envNATS+"="+strings.Join(urls, ","), envAddr+"="+n.addr, envData+"="+n.data, envHost+"="+n.door.addr(), "HOME="+n.data)
	n.process.Stdout, n.process.Stderr = &n.log, &n.log
	if err := n.process.Start(); err != nil {
		n.t.Fatal(err)
	}
	ended := make(chan struct{})
	n.ended = ended
	process := n.process
	go func() {
		defer close(ended)
		_ = process.Wait()
	}()
}

// end sends a signal that ends the process, and waits until it has ended.
func (n *node) end(sig syscall.Signal) {
	_ = n.process.Process.Signal(sig)
	_ = n.process.Process.Signal(syscall.SIGCONT)
	<-n.ended
}

func (n *node) client(id string) *client.Client {
	return client.New(client.Config{URL: "http://" + n.addr, ID: id, Name: id})
}

// ready asks the node whether it is ready to execute commands.
func (n *node) ready(ctx context.Context) (r server.Readiness, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	c := n.client("ready")
	defer c.Close()
	err = c.Get(ctx, "/readyz", &r)
	if status := (*client.StatusError)(nil); errors.As(err, &status) { // not ready; the body says why
		_ = json.Unmarshal(status.Body, &r)
	}
	return r, err
}

func (n *node) awaitReady() {
	n.t.Helper()
	until(n.t, "node "+n.name+" is ready", func() (bool, string) {
		select {
		case <-n.ended:
			n.t.Fatalf("node %s has ended:\n%s", n.name, n.log.String())
		default:
		}
		r, err := n.ready(n.t.Context())
		return err == nil && r.Ready, fmt.Sprint(r.Reasons, err)
	})
}

// until waits for a condition. A timeout fails the test with the text that the condition returned
// last.
func until(t *testing.T, what string, is func() (bool, string)) {
	t.Helper()
	seen := ""
	for end := time.Now().Add(testTimeout); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		var ok bool
		if ok, seen = is(); ok {
			return
		}
	}
	t.Fatalf("timed out waiting until %s: %s", what, seen)
}

// cluster is the whole installation: NATS servers, nodes and an outpost.
type cluster struct {
	t       *testing.T
	servers *natstest.Cluster
	nodes   []*node
	outpost *outpost
}

func startCluster(t *testing.T) *cluster {
	t.Helper()
	bullpen := buildBullpen(t)
	options := natstest.Options{}
	if canMount() {
		options.DiskMiB = 256
	}
	c := &cluster{t: t, servers: natstest.StartWith(t, replicas, options)}
	dir := t.TempDir()
	for i := range replicas {
		n := &node{t: t, name: fmt.Sprintf("node%d", i+1), data: filepath.Join(dir, fmt.Sprint(i+1)), addr: freeport.Addr(t)}
		n.door = newLink(t, n.addr)
		for _, s := range c.servers.Servers {
			n.links = append(n.links, newLink(t, strings.TrimPrefix(s.URL, "nats://")))
		}
		n.launch()
		c.nodes = append(c.nodes, n)
	}
	t.Cleanup(func() {
		for _, n := range c.nodes {
			n.end(syscall.SIGKILL)
			if t.Failed() || *logs {
				t.Logf("log of %s:\n%s", n.name, n.log.String())
			}
		}
	})
	for _, n := range c.nodes {
		n.awaitReady()
	}
	c.outpost = startOutpost(t, c, bullpen(), c.nodes[len(c.nodes)-1])
	return c
}

// canMount reports whether the test may give the NATS servers disks of their own.
func canMount() bool { return runtime.GOOS == "linux" && os.Geteuid() == 0 }

// writer returns the node that is the office's writer.
func (c *cluster) writer() *node {
	c.t.Helper()
	var found *node
	until(c.t, "a node writes", func() (bool, string) {
		for _, n := range c.nodes {
			if r, err := n.ready(c.t.Context()); err == nil && r.Cluster != nil && r.Cluster.Writes {
				found = n
				return true, ""
			}
		}
		return false, "none"
	})
	return found
}
