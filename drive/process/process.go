// Package process runs agent programs, each in its own process group and watched by a tender, so
// that no process is left behind when the program is stopped, or when the server exits or is
// killed.
//
// A tender is this executable started with TendCommand: it holds a pipe to the server and kills the
// group when the pipe closes. On Linux, it also kills processes that left the group. Until it
// exits, it holds a lock on the program's directory, so that the next server does not start another
// program there.
package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/hud"
)

// TendCommand is the hidden command that runs a tender.
const TendCommand = "tend-process"

// Spec describes a program to run.
type Spec struct {
	Path string
	Args []string
	Dir  string
	Root string   // directory that must contain Dir when the program starts, even after links in Dir are resolved; empty means no limit
	Env  []string // the whole environment

	Merged bool // standard error becomes part of Stdout instead of ExitError
}

// Process is a running program.
type Process struct {
	Stdin  io.WriteCloser
	Stdout io.Reader

	cmd        *exec.Cmd
	tenderPipe *os.File // the tender kills the group when this is closed
	stderr     *Tail    // end of the program's standard error
	done       chan struct{}
	err        error // result of Wait; valid after done is closed
	stop       sync.Once
}

// Start runs a program under a tender.
func Start(spec Spec) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("start %s: find the Bullpen executable: %w", spec.Path, err)
	}
	held, serverPipe, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Path, err)
	}
	defer held.Close()
	dir, err := spec.openDir()
	if err != nil {
		serverPipe.Close()
		return nil, fmt.Errorf("start %s: %w", spec.Path, err)
	}
	if dir != nil {
		defer dir.Close()
		occupy(dir)
	}
	cmd := tended(self, spec, held, dir)
	cmd.Env = spec.Env
	p := &Process{cmd: cmd, tenderPipe: serverPipe, stderr: &Tail{Limit: contracts.LimitProcessTail}, done: make(chan struct{})}
	if !spec.Merged {
		cmd.Stderr = p.stderr
	}
	cmd.WaitDelay = tendGrace // a child that left the group may hold the output open forever
	if err := p.start(); err != nil {
		serverPipe.Close()
		return nil, fmt.Errorf("start %s: %w", spec.Path, err)
	}
	return p, nil
}

// start connects the pipes and starts the command. It does not use StdoutPipe, because Wait would
// close that pipe while it is still being read.
func (p *Process) start() error {
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, child, err := os.Pipe()
	if err != nil {
		return err
	}
	p.Stdin, p.Stdout, p.cmd.Stdout = in, &output{file: out, late: limitLateRead}, child
	if p.cmd.Stderr == nil {
		p.cmd.Stderr = child
	}
	err = p.cmd.Start()
	child.Close()
	if err != nil {
		out.Close()
		return err
	}
	go func() {
		p.err = p.cmd.Wait()
		endGroup(p.cmd) // processes that ignored the tender, or that a killed tender left behind
		_ = out.SetReadDeadline(time.Now().Add(tendGrace))
		close(p.done)
	}()
	return nil
}

// Pid returns the process id of the tender, which is also the id of the process group.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Done returns a channel that is closed when the program has exited.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err returns nil if the program succeeded and a *drive.ExitError if it failed. It is valid after
// Done is closed.
func (p *Process) Err() error {
	var exit *exec.ExitError
	switch {
	case errors.Is(p.err, exec.ErrWaitDelay): // the program succeeded; another process holds its output open
		return nil
	case !errors.As(p.err, &exit):
		return p.err
	}
	stderr, _ := p.stderr.Text()
	return &drive.ExitError{Status: exit.ProcessState.String(), Stderr: hud.Redact(strings.TrimSpace(contracts.CleanText(stderr)))}
}

// ExitCode returns the program's exit code, or -1 if a signal ended it. It is valid after Done is
// closed.
func (p *Process) ExitCode() int { return p.cmd.ProcessState.ExitCode() }

// Stop ends the program and all processes in its group, and returns once they are gone. It first
// closes the program's standard input and gives the program the grace period to exit on its own.
func (p *Process) Stop(grace time.Duration) {
	p.stop.Do(func() {
		_ = p.Stdin.Close()
		select {
		case <-p.done:
		case <-time.After(grace):
		}
		_ = p.tenderPipe.Close() // the tender kills the rest
		select {
		case <-p.done:
		case <-time.After(tendGrace + time.Second):
			endGroup(p.cmd)
			<-p.done
		}
	})
	<-p.done
}
