package workspace

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/process"
)

// Output is the result of a command.
type Output struct {
	Text     string // standard output and standard error
	Cut      bool   // the start of the text is missing
	ExitCode int    // 128 plus the signal number if a signal ended the command; -1 if TimedOut
	TimedOut bool
}

// Run runs a command line in a shell until it exits or the timeout expires, and then ends
// everything that it started. If ctx is cancelled first, Run returns the cause and the partial
// output.
func (w *Workspace) Run(ctx context.Context, line string, timeout time.Duration) (Output, error) {
	if ctx.Err() != nil {
		return Output{ExitCode: -1}, context.Cause(ctx)
	}
	shell, args := process.Shell(line)
	path, err := exec.LookPath(shell)
	if err != nil {
		return Output{ExitCode: -1}, fmt.Errorf("run the command: %w", err)
	}
	p, err := process.Start(process.Spec{Path: path, Args: args, Dir: w.dir, Root: w.dir, Env: w.env, Merged: true})
	if err != nil {
		return Output{ExitCode: -1}, fmt.Errorf("run the command: %w", err)
	}
	_ = p.Stdin.Close() // a command that reads its input sees EOF
	tail := &process.Tail{Limit: contracts.LimitCommandOutput}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(tail, p.Stdout) // returns when the process ends
	}()
	limit := time.NewTimer(timeout)
	defer limit.Stop()
	out := Output{}
	select {
	case <-p.Done():
	case <-limit.C:
		out.TimedOut = true
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	p.Stop(0)
	<-read
	out.Text, out.Cut = tail.Text()
	out.ExitCode = -1
	if err == nil && !out.TimedOut {
		out.ExitCode = p.ExitCode()
	}
	return out, err
}
