package e2e_test

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
	"github.com/bullpen-office/bullpen/server"
)

// childData is an environment variable that names a data directory. If it is set, this test binary
// runs as a server on that directory: a real process that a test can kill.
const childData = "BULLPEN_E2E_DATA"

// childPace is fast enough for tests, and slow enough that a server can be killed in the middle of
// a flow.
const childPace = 15

// testTimeout is the timeout of every wait: far more than a busy machine needs, so that no test
// depends on speed.
const testTimeout = 5 * time.Minute

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == process.TendCommand { // started by a test's server
		os.Exit(process.Tend(os.Args[2:]))
	}
	if dir := os.Getenv(childData); dir != "" {
		if err := serveChild(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue { // tests mostly wait for programs
		if err := f.Value.Set(strconv.Itoa(2 * runtime.GOMAXPROCS(0))); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	leaktest.Main(m)
}

// serveChild prints the server's address and serves until SIGTERM.
func serveChild(dir string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	s, err := server.New(ctx, server.Config{DataDir: dir, LockDir: dir + ".locks", Pace: childPace})
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(ln.Addr())
	go func() {
		<-ctx.Done()
		_ = s.Shutdown(context.Background())
	}()
	return s.Serve(ln)
}

// startServer starts a server in this process and returns its address.
func startServer(t *testing.T, cfg server.Config) string {
	t.Helper()
	s, err := server.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return ln.Addr().String()
}
