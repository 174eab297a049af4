//go:build linux

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"
)

// childWord, as the first argument, runs the program as one of the bench's servers.
const childWord = "serve-for-bench"

// setup configures a server.
type setup struct {
	Dir     string `json:"dir"`
	History int    `json:"history,omitzero"` // number of records before the first viewer connects
	Profile string `json:"profile,omitzero"`
	Watch   watch  `json:"watch,omitzero"`

	Upstream string `json:"upstream,omitzero"` // the server behind a proxy, or the server that viewers connect to

	NATS    string `json:"nats,omitzero"`    // the ledger's NATS servers; empty means a ledger file
	Follows bool   `json:"follows,omitzero"` // another node is the ledger's writer
	Epoch   string `json:"epoch,omitzero"`   // epoch of the history that viewers resume
}

// watch is a source of sessions for an office to watch.
type watch struct {
	Source string `json:"source"`
	Dir    string `json:"dir"` // the directory of the vendor's program
}

// contestant is a server to measure.
type contestant interface {
	// Addr returns the address that viewers connect to, and the epoch of the server's history.
	Addr() (addr, epoch string)
	// Publish sends count events to all viewers and returns the minimum number of bytes that each
	// viewer receives. A server that cannot publish returns an error.
	Publish(count int, every time.Duration) (bytes int, err error)
	Close() error
}

// obeyer is a contestant that accepts additional orders, which Obey carries out.
type obeyer interface {
	Obey(order) (answer, error)
}

var contestants = map[string]func(setup) (contestant, error){
	"hub":        newHubServer,
	"raw":        newRawServer,
	"centrifuge": newPeerServer,
	"office":     newOfficeServer,
	"reader":     newReaderServer,
	"proxy":      newProxyServer,
	"viewers":    newViewers,
}

// serveChild runs a server and answers orders until standard input ends.
func serveChild(args []string) error {
	var s setup
	if len(args) != 2 || json.Unmarshal([]byte(args[1]), &s) != nil {
		return fmt.Errorf("unexpected argument %q: the benchmark starts its servers itself", childWord)
	}
	if s.Profile != "" {
		f, err := os.Create(s.Profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	c, err := contestants[args[0]](s)
	if err != nil {
		return tell(answer{Error: err.Error()})
	}
	defer c.Close()
	addr, epoch := c.Addr()
	if err := tell(answer{Addr: addr, Epoch: epoch}); err != nil {
		return err
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := tell(obey(c, line)); err != nil {
			return err
		}
	}
}

func obey(c contestant, line []byte) (a answer) {
	var o order
	err := json.Unmarshal(line, &o)
	if err == nil {
		switch o.Do {
		case "usage":
			var used time.Duration
			used, err = cpuTime()
			a.CPU = nanos(used)
		case "settle":
			a.RSS, err = settledRSS()
		case "publish":
			a.Bytes, err = c.Publish(o.Count, time.Duration(o.Every))
		default:
			if more, ok := c.(obeyer); ok {
				a, err = more.Obey(o)
			} else {
				err = fmt.Errorf("unknown order %q", o.Do)
			}
		}
	}
	if err != nil {
		a.Error = err.Error()
	}
	return a
}

func tell(a answer) error {
	line, err := json.Marshal(a)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(append(line, '\n'))
	return err
}

// cpuTime returns the CPU time of this process, user plus system.
func cpuTime() (time.Duration, error) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0, fmt.Errorf("read the process's usage: %w", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

// settledRSS returns the resident memory in bytes after garbage collection. It collects several
// times, because each collection only halves stacks that have become too large.
func settledRSS() (int64, error) {
	for range 6 {
		runtime.GC()
	}
	debug.FreeOSMemory()
	return residentBytes("/proc/self/statm")
}

// residentBytes returns the resident memory of a process, from its statm file.
func residentBytes(file string) (int64, error) {
	statm, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(statm), &size, &resident); err != nil {
		return 0, fmt.Errorf("read the resident memory: %w", err)
	}
	return resident * int64(os.Getpagesize()), nil
}
