package check

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os/exec"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/repo/proof"
)

// Command is a shell line with limits. All fields are required.
type Command struct {
	Line      string
	Dir       string
	Env       []string  // the complete environment; see process.Environment
	Out       io.Writer // receives the output while the command runs; its errors are ignored
	Timeout   time.Duration
	MaxOutput int // bytes that the command may print
}

// Ended describes how a command ended.
type Ended struct {
	End      proof.End
	ExitCode int    // -1 if the command did not exit on its own
	SHA256   string // hash of the output, in hex
	Bytes    int    // size of the output
}

// Run runs a command until the command exits or exceeds a limit, or until ctx is done. It then ends
// everything that the command started. The error is nil if the command ran, whatever its result.
func Run(ctx context.Context, c Command) (Ended, error) {
	shell, args := process.Shell(c.Line)
	path, err := exec.LookPath(shell)
	if err != nil {
		return Ended{}, err
	}
	p, err := process.Start(process.Spec{Path: path, Args: args, Dir: c.Dir, Env: c.Env, Merged: true})
	if err != nil {
		return Ended{}, err
	}
	_ = p.Stdin.Close() // a command that reads its input reaches the end of the file
	out := &output{hash: sha256.New(), copy: c.Out, limit: c.MaxOutput, full: make(chan struct{})}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(out, p.Stdout) // ends with the process
	}()
	e := Ended{End: await(ctx, p, out, c.Timeout), ExitCode: -1}
	p.Stop(0)
	<-read
	select {
	case <-out.full: // it may have exited just after it printed too much
		e.End = proof.EndOutput
	default:
	}
	if e.End == proof.EndExited {
		e.ExitCode = p.ExitCode()
	}
	e.SHA256, e.Bytes = hex.EncodeToString(out.hash.Sum(nil)), out.size
	return e, nil
}

// await waits until a command exits or has to be stopped, and returns the reason.
func await(ctx context.Context, p *process.Process, out *output, timeout time.Duration) proof.End {
	limit := time.NewTimer(timeout)
	defer limit.Stop()
	select {
	case <-p.Done():
		return proof.EndExited
	case <-limit.C:
		return proof.EndTimeout
	case <-out.full:
		return proof.EndOutput
	case <-ctx.Done():
		return proof.EndStopped
	}
}

// output hashes and copies what a command prints, up to a maximum size. If there is more, it closes
// full and drops the rest.
type output struct {
	hash  hash.Hash
	copy  io.Writer
	size  int
	limit int
	over  sync.Once
	full  chan struct{}
}

func (o *output) Write(p []byte) (int, error) {
	kept := p[:min(len(p), o.limit-o.size)]
	o.size += len(kept)
	o.hash.Write(kept)
	_, _ = o.copy.Write(kept)
	if len(kept) < len(p) {
		o.over.Do(func() { close(o.full) })
	}
	return len(p), nil
}
