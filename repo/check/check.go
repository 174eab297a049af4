// Package check runs a repository's checks, and records which tree of files each check ran on.
package check

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/git"
	"github.com/bullpen-office/bullpen/repo/proof"
)

// Runner runs checks in a working tree. All fields except Need and Hosts are required.
type Runner struct {
	Repo  *git.Repo
	Env   []string  // the complete environment of the checks; see process.Environment
	Out   io.Writer // receives the output while a check runs; its errors are ignored
	Need  []string  // files that must be part of the tree
	Hosts []string  // hosts on other machines that URL checks may contact
	Now   func() time.Time
}

// Run runs a check until it exits, the timeout expires or ctx is done, and then ends everything
// that the check started. The error is nil if the check ran, whatever its result.
func (r *Runner) Run(ctx context.Context, c proof.Check, timeout time.Duration) (proof.Result, error) {
	return r.around(ctx, c, func(string) (Ended, error) {
		return Run(ctx, Command{Line: c.Command, Dir: r.Repo.Top, Env: r.Env, Out: r.Out, Timeout: timeout, MaxOutput: contracts.LimitCheckOutput})
	})
}

// around calls run with the tree of the files, and reads the tree again afterwards.
func (r *Runner) around(ctx context.Context, c proof.Check, run func(tree string) (Ended, error)) (proof.Result, error) {
	before, err := r.Repo.ExactTree(ctx, r.Need...)
	if err != nil {
		return proof.Result{}, err
	}
	result := proof.Result{Check: c, TreeBefore: before, Started: r.Now()}
	ended, err := run(before)
	if err != nil {
		return proof.Result{}, fmt.Errorf("run the check %s: %w", c.Name, err)
	}
	result.Duration = r.Now().Sub(result.Started)
	result.End, result.ExitCode, result.Output = ended.End, ended.ExitCode, ended.SHA256
	// The files are read even after a stopped check, so that the result shows whether they changed.
	if after, err := r.Repo.ExactTree(context.WithoutCancel(ctx), r.Need...); err == nil {
		result.TreeAfter = after
	}
	return result, nil
}
