//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
)

// order is a request to a server process, as one line of JSON.
type order struct {
	Do    string `json:"do"` // usage, settle, publish, or an order that only some kinds of servers support
	Count int    `json:"count,omitzero"`
	Every nanos  `json:"every,omitzero"` // 0 means as fast as possible

	Bytes  int    `json:"bytes,omitzero"`  // minimum number of bytes that every viewer must receive
	AtOnce int    `json:"atOnce,omitzero"` // concurrent handshakes
	Cursor uint64 `json:"cursor,omitzero"` // last record that the viewers have; 0 for new viewers
}

// nanos is a duration that is encoded in JSON as a number of nanoseconds.
type nanos int64

// answer is a server's response to an order, as one line of JSON. A server also sends an answer
// with its address when it starts.
type answer struct {
	Error string `json:"error,omitzero"`
	Addr  string `json:"addr,omitzero"`
	Epoch string `json:"epoch,omitzero"`

	CPU nanos `json:"cpu,omitzero"` // total CPU time of the process
	RSS int64 `json:"rss,omitzero"` // resident memory in bytes, after garbage collection

	Head uint64  `json:"head,omitzero"` // seq of the last record in the ledger
	P50  float64 `json:"p50,omitzero"`  // delivery latency in milliseconds
	P99  float64 `json:"p99,omitzero"`

	Bytes int `json:"bytes,omitzero"` // minimum number of bytes that every viewer receives from a publish order
}

// child is a server in its own process.
type child struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	dir   string // directory for the server's files
	addr  string
	epoch string
}

// stopTime is how long a server may take to exit.
const stopTime = 5 * time.Second

// startChild starts a server process of the given kind and waits for its address.
func (b *bench) startChild(ctx context.Context, kind string, setup setup) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the benchmark's executable: %w", err)
	}
	if setup.Dir, err = os.MkdirTemp(b.dir, kind+"-"); err != nil {
		return nil, err
	}
	if b.profile != "" {
		if err := os.MkdirAll(b.profile, 0o755); err != nil {
			return nil, err
		}
		setup.Profile = filepath.Join(b.profile, filepath.Base(setup.Dir)+".pprof")
	}
	encoded, err := json.Marshal(setup)
	if err != nil {
		return nil, err
	}
	c := &child{dir: setup.Dir, cmd: exec.CommandContext(ctx, self, childWord, kind, string(encoded))}
	c.cmd.Stderr = os.Stderr
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the %s server: %w", kind, err)
	}
	a, err := c.read()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start the %s server: %w", kind, err), c.stop())
	}
	c.addr, c.epoch = a.Addr, a.Epoch
	return c, nil
}

func (c *child) ask(o order) (answer, error) {
	line, err := json.Marshal(o)
	if err != nil {
		return answer{}, err
	}
	if _, err := c.in.Write(append(line, '\n')); err != nil {
		return answer{}, fmt.Errorf("send the order %s to the server: %w", o.Do, err)
	}
	return c.read()
}

func (c *child) read() (answer, error) {
	var a answer
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		return a, fmt.Errorf("the server exited: %w", err)
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return a, fmt.Errorf("read the server's answer %q: %w", line, err)
	}
	if a.Error != "" {
		return a, errors.New(a.Error)
	}
	return a, nil
}

// cpu returns the total CPU time of the process.
func (c *child) cpu() (time.Duration, error) {
	a, err := c.ask(order{Do: "usage"})
	return time.Duration(a.CPU), err
}

// stop asks the process to exit, and kills it after stopTime.
func (c *child) stop() error {
	c.in.Close()
	kill := time.AfterFunc(stopTime, func() { c.cmd.Process.Kill() })
	defer kill.Stop()
	return c.cmd.Wait()
}
