//go:build linux

// Command bench compares the office with the limits of the machine.
//
// Every figure is measured together with a raw reference (a plain file, a plain socket, a plain
// decoder) and, in some scenarios, with a comparable program, the peer. The contestants take turns in
// the same run, and the result is the median ratio. Servers run as separate processes, so that the
// cost of clients is not counted. The bench uses only loopback and keeps its files in one temporary
// directory, which it removes.
package main

import (
	"cmp"
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

// options contains the command-line flags.
type options struct {
	only    string
	reps    int
	quick   bool
	seconds float64
	json    string
	profile string

	viewers, rate, nodes int // used by the load scenario
}

// scenario is one kind of measurement, with its name and description.
type scenario struct {
	name string
	what string
	run  func(context.Context, *bench) error

	named bool // runs only if -only names it
}

var scenarios = []scenario{
	{name: "append", what: "durable appends of 300 bytes; raw: a file with one fdatasync per group", run: runAppend},
	{name: "command", what: "a command's round trip, 24 clients at the rate limit; raw: one durable append", run: runCommand},
	{name: "ingest", what: "activity over HTTP from 32 programs; raw: a handler that only reads the body", run: runIngest},
	{name: "hook", what: "a hook, from the start of its program to its exit; raw: a Go program that does nothing", run: runHook},
	{name: "watch", what: "an office that watches 50 sessions in which nothing happens; raw: an office without sessions", run: runWatch},
	{name: "spans", what: "OpenTelemetry spans from 4 senders; raw: a handler that only reads the body; peer: an OpenTelemetry collector that counts them", run: runSpans},
	{name: "bridge", what: "turns through the OpenAI API with connected agents; raw: a plain WebSocket to the agent; peer: a reverse proxy", run: runBridge},
	{name: "fanout", what: "one event to every viewer; raw: the same bytes sent with write(2)", run: runFanout},
	{name: "resume", what: "viewers that reconnect together after missing 1,000 records; raw: accept and write", run: runResume},
	{name: "start", what: "program initialization before main; raw: a Go program that does nothing", run: runStart},
	{name: "fold", what: "startup with a long ledger; raw: decoding the same bodies", run: runFold},
	{name: "tree", what: "the hash and a snapshot of a 50,000-file working tree after an edit; raw: git status", run: runTree},
	{name: "load", what: "viewers that watch for minutes and then all reconnect; runs only if -only names it", run: runLoad, named: true},
}

// bench is one run of the program.
type bench struct {
	options
	dir   string // temporary directory, removed at the end
	sheet sheet
}

// span returns the length of a timed phase.
func (b *bench) span() time.Duration { return b.spanOr(5, 30) }

// spanOr is like span, but with the given default and maximum, in seconds.
func (b *bench) spanOr(def, most float64) time.Duration {
	return time.Duration(min(max(cmp.Or(b.seconds, def), 0.5), most) * float64(time.Second))
}

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
	flag.StringVar(&o.only, "only", "", "comma-separated scenarios to run (default: all except load)")
	flag.IntVar(&o.reps, "reps", 3, "number of interleaved repetitions")
	flag.BoolVar(&o.quick, "quick", false, "one short repetition of smaller scenarios, under a minute")
	flag.Float64Var(&o.seconds, "seconds", 0, "length of the timed phases (default 5; 120 for load)")
	flag.StringVar(&o.json, "json", "", "also write the figures to this file")
	flag.StringVar(&o.profile, "profile", "", "write CPU profiles of the servers to this directory")
	flag.IntVar(&o.viewers, "viewers", 10_000, "viewers in the load scenario, divided among the nodes")
	flag.IntVar(&o.rate, "rate", 200, "events per second in the load scenario")
	flag.IntVar(&o.nodes, "nodes", 1, "nodes in the load scenario: one on SQLite, or several on three NATS servers")
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
		o.reps, o.seconds = 1, min(cmp.Or(o.seconds, 2), 2)
	}
	o.reps = max(o.reps, 1)
	o.viewers, o.rate, o.nodes = max(o.viewers, 1), max(o.rate, 1), max(o.nodes, 1)
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
	fmt.Printf("%s, %d processors, %s; %d repetition(s), medians\n", runtime.Version(), runtime.NumCPU(), runtime.GOOS+"/"+runtime.GOARCH, o.reps)
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
		return slices.DeleteFunc(slices.Clone(scenarios), func(s scenario) bool { return s.named }), nil
	}
	var chosen []scenario
	for _, name := range strings.Split(only, ",") {
		i := slices.IndexFunc(scenarios, func(s scenario) bool { return s.name == strings.TrimSpace(name) })
		if i < 0 {
			return nil, fmt.Errorf("unknown scenario %q; run bench -h to list the scenarios", name)
		}
		chosen = append(chosen, scenarios[i])
	}
	return chosen, nil
}
