// Package process runs the programs of agents: each in a process group of its
// own, watched by a tender, so that nothing of it is left behind when it is
// stopped, when the server ends, or when the server is killed.
//
// A tender is this program started again with TendCommand: it holds a pipe to
// the server and ends the group when the pipe does.
package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/hud"
)

// TendCommand is the hidden command under which the program tends another.
const TendCommand = "tend-process"

// Spec is a program to run.
type Spec struct {
	Path string
	Args []string
	Dir  string
	Root string   // under which Dir must lie, links resolved, at the moment it is entered; empty: anywhere
	Env  []string // the whole environment
}

// Process is a running program.
type Process struct {
	Stdin  io.WriteCloser
	Stdout io.Reader

	cmd   *exec.Cmd
	leash *os.File // the tender ends the group when this is closed
	said  *tail    // to its standard error
	done  chan struct{}
	err   error // of the end; read after done
	stop  sync.Once
}

// Start runs a program under a tender.
func Start(spec Spec) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("start %s: find the Bullpen executable: %w", spec.Path, err)
	}
	held, leash, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Path, err)
	}
	defer held.Close()
	dir, err := spec.enter()
	if err != nil {
		leash.Close()
		return nil, fmt.Errorf("start %s: %w", spec.Path, err)
	}
	if dir != nil {
		defer dir.Close()
	}
	cmd := tended(self, spec, held, dir)
	cmd.Env = spec.Env
	p := &Process{cmd: cmd, leash: leash, said: &tail{limit: contracts.LimitProcessTail}, done: make(chan struct{})}
	cmd.Stderr = p.said
	cmd.WaitDelay = tendGrace // a child that left the group may hold the output for ever
	if err := p.start(); err != nil {
		leash.Close()
		return nil, fmt.Errorf("start %s: %w", spec.Path, err)
	}
	return p, nil
}

// start connects the pipes by hand: Wait must not close what is still being read.
func (p *Process) start() error {
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, child, err := os.Pipe()
	if err != nil {
		return err
	}
	p.Stdin, p.Stdout, p.cmd.Stdout = in, &output{file: out, late: outputMost}, child
	err = p.cmd.Start()
	child.Close()
	if err != nil {
		out.Close()
		return err
	}
	go func() {
		p.err = p.cmd.Wait()
		endGroup(p.cmd) // what did not listen to the tender, and what a killed tender left
		_ = out.SetReadDeadline(time.Now().Add(tendGrace))
		close(p.done)
	}()
	return nil
}

// Pid is the process group's.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Done is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err says how the program ended; it is a *drive.ExitError if the program failed. It is
// nil if the program succeeded, and only valid after Done.
func (p *Process) Err() error {
	var exit *exec.ExitError
	switch {
	case errors.Is(p.err, exec.ErrWaitDelay): // it ended well; somebody else holds its output
		return nil
	case !errors.As(p.err, &exit):
		return p.err
	}
	return &drive.ExitError{Status: exit.ProcessState.String(), Stderr: hud.Redact(p.said.text())}
}

// Stop ends the program and everything that it started. It gives it the grace
// time to end in good order, and returns when it is gone.
func (p *Process) Stop(grace time.Duration) {
	p.stop.Do(func() {
		_ = p.Stdin.Close()
		select {
		case <-p.done:
		case <-time.After(grace):
		}
		_ = p.leash.Close() // the tender ends what is left
		select {
		case <-p.done:
		case <-time.After(tendGrace + time.Second):
			endGroup(p.cmd)
			<-p.done
		}
	})
	<-p.done
}
