// Package check runs the checks of a repository, and records on which tree of files each ran.
package check

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/repo/git"
	"github.com/bullpen-office/bullpen/repo/proof"
)

// Runner runs checks in a working tree. All fields except Need are required.
type Runner struct {
	Repo *git.Repo
	Env  []string  // the checks' whole environment; see Environment
	Out  io.Writer // gets the output while a check runs; its errors are ignored
	Need []string  // files that must be part of the tree
	Now  func() time.Time
}

// Run runs a check until it exits, the timeout passes or ctx ends, and then ends everything that the
// check started. The error is nil if the check ran, whatever its result.
func (r *Runner) Run(ctx context.Context, c proof.Check, timeout time.Duration) (proof.Result, error) {
	before, err := r.Repo.ExactTree(ctx, r.Need...)
	if err != nil {
		return proof.Result{}, err
	}
	shell, option := "sh", "-c"
	if runtime.GOOS == "windows" {
		shell, option = "cmd", "/c"
	}
	path, err := exec.LookPath(shell)
	if err != nil {
		return proof.Result{}, fmt.Errorf("run the check %s: %w", c.Name, err)
	}
	result := proof.Result{Check: c, TreeBefore: before, Started: r.Now()}
	p, err := process.Start(process.Spec{Path: path, Args: []string{option, c.Command}, Dir: r.Repo.Top, Env: r.Env, Merged: true, Adopt: true})
	if err != nil {
		return proof.Result{}, fmt.Errorf("run the check %s: %w", c.Name, err)
	}
	_ = p.Stdin.Close() // a check that reads its input gets an end of file
	out := &output{hash: sha256.New(), copy: r.Out, full: make(chan struct{})}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(out, p.Stdout) // ends with the process
	}()
	result.End = r.await(ctx, p, out, timeout)
	p.Stop(0)
	<-read
	select {
	case <-out.full: // it may have exited just after it printed too much
		result.End = proof.EndOutput
	default:
	}
	result.Duration = r.Now().Sub(result.Started)
	result.ExitCode = -1
	if result.End == proof.EndExited {
		result.ExitCode = p.ExitCode()
	}
	result.Output = hex.EncodeToString(out.hash.Sum(nil))
	// After a stopped check the files are read too, so that its result says whether they changed.
	if after, err := r.Repo.ExactTree(context.WithoutCancel(ctx), r.Need...); err == nil {
		result.TreeAfter = after
	}
	return result, nil
}

// await waits for the end of a check and says why it ended.
func (r *Runner) await(ctx context.Context, p *process.Process, out *output, timeout time.Duration) proof.End {
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

// output hashes what a check prints, and copies it. After contracts.LimitCheckOutput bytes it closes
// full and drops the rest.
type output struct {
	hash hash.Hash
	copy io.Writer
	size int
	over sync.Once
	full chan struct{}
}

func (o *output) Write(p []byte) (int, error) {
	kept := p[:min(len(p), contracts.LimitCheckOutput-o.size)]
	o.size += len(kept)
	o.hash.Write(kept)
	_, _ = o.copy.Write(kept)
	if len(kept) < len(p) {
		o.over.Do(func() { close(o.full) })
	}
	return len(p), nil
}

// Environment returns own without variables that hold secrets, redirect git or belong to the office.
func Environment(own []string) (env []string) {
	for _, pair := range own {
		name, _, _ := strings.Cut(pair, "=")
		if !hud.SecretName(name) && name != "SSH_AUTH_SOCK" && !strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "BULLPEN_") && !strings.HasPrefix(name, "SYNTHESIS_") {
			env = append(env, pair)
		}
	}
	return env
}
