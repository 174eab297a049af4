//go:build linux

// Command bench compares the office with the limits of the machine.
//
// Every figure is measured together with a raw reference (a plain file, a plain socket, a plain
// decoder) and, where there is one, a peer. The contestants take turns in the same run, and the
// median ratio counts. Servers run as separate processes, so that the cost of clients is not
// counted. The bench uses only loopback and keeps its files in one temporary directory, which it
// removes.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// options holds the command-line flags.
type options struct {
	only    string
	reps    int
	quick   bool
	seconds float64
	json    string
	profile string
}

// scenario is one kind of measurement, with its name and description.
type scenario struct {
	name string
	what string
	run  func(context.Context, *bench) error
}

var scenarios = []scenario{
	{"append", "durable appends of 300 bytes; raw: a file with one fdatasync per group", runAppend},
	{"command", "a command's round trip, 24 clients at the rate limit; raw: one durable append", runCommand},
	{"ingest", "activity over HTTP from 32 programs; raw: a handler that only reads the body", runIngest},
	{"bridge", "turns through the OpenAI API with connected agents; raw: a plain WebSocket to the agent; peer: a reverse proxy", runBridge},
	{"fanout", "one event to every viewer; raw: the same bytes by write(2)", runFanout},
	{"resume", "viewers that reconnect together and missed 1,000 records; raw: accept and write", runResume},
	{"start", "the program's initialisation before main; raw: a Go program that does nothing", runStart},
	{"fold", "a start with a long ledger; raw: decoding the same bodies", runFold},
}

// bench is one run of the program.
type bench struct {
	options
	dir   string // temporary directory, removed at the end
	sheet sheet
}

func (b *bench) span() time.Duration { return time.Duration(b.seconds * float64(time.Second)) }

func main() {
	if len(os.Args) > 1 && os.Args[1] == childWord {
		exit(serveChild(os.Args[2:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	exit(run(ctx, readFlags()))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func readFlags() options {
	var o options
	flag.StringVar(&o.only, "only", "", "comma-separated scenarios to run (default all)")
	flag.IntVar(&o.reps, "reps", 3, "repetitions, interleaved")
	flag.BoolVar(&o.quick, "quick", false, "one short repetition of smaller scenarios, under a minute")
	flag.Float64Var(&o.seconds, "seconds", 5, "length of the timed phases")
	flag.StringVar(&o.json, "json", "", "also write the figures to this file")
	flag.StringVar(&o.profile, "profile", "", "write CPU profiles of the servers to this directory")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "Usage: bench [flags]\n\nScenarios:")
		for _, s := range scenarios {
			fmt.Fprintf(flag.CommandLine.Output(), "  %-9s %s\n", s.name, s.what)
		}
		fmt.Fprintln(flag.CommandLine.Output(), "\nFlags:")
		flag.PrintDefaults()
	}
	flag.Parse()
	if o.quick {
		o.reps, o.seconds = 1, min(o.seconds, 2)
	}
	o.reps, o.seconds = max(o.reps, 1), min(max(o.seconds, 0.5), 30)
	return o
}

func run(ctx context.Context, o options) error {
	chosen, err := choose(o.only)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bullpen-bench-")
	if err != nil {
		return fmt.Errorf("create a temporary directory: %w", err)
	}
	defer os.RemoveAll(dir)
	b := &bench{options: o, dir: dir}
	fmt.Printf("%s, %d processors, %s; %d repetition(s), medians, %.0f s phases\n", runtime.Version(), runtime.NumCPU(), runtime.GOOS+"/"+runtime.GOARCH, o.reps, o.seconds)
	for _, s := range chosen {
		began := time.Now()
		fmt.Printf("\n%s: %s\n", s.name, s.what)
		if err := s.run(ctx, b); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		b.sheet.print(os.Stdout, s.name)
		fmt.Printf("  (%.0f s)\n", time.Since(began).Seconds())
	}
	fmt.Println()
	b.sheet.printVerdict(os.Stdout)
	if o.json != "" {
		return b.sheet.writeJSON(o.json)
	}
	return nil
}

func choose(only string) ([]scenario, error) {
	if only == "" {
		return scenarios, nil
	}
	var chosen []scenario
	for _, name := range strings.Split(only, ",") {
		i := slices.IndexFunc(scenarios, func(s scenario) bool { return s.name == strings.TrimSpace(name) })
		if i < 0 {
			return nil, fmt.Errorf("unknown scenario %q; -h lists them", name)
		}
		chosen = append(chosen, scenarios[i])
	}
	return chosen, nil
}
