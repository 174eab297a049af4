package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/atomicfile"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/repo/check"
	"github.com/bullpen-office/bullpen/repo/git"
	"github.com/bullpen-office/bullpen/repo/proof"
	"github.com/bullpen-office/bullpen/repo/repofile"
	"github.com/bullpen-office/bullpen/repo/signer"
)

// checkVerb is `bullpen check`.
type checkVerb struct {
	settings *settings
	receipt  string
	only     []string
	asJSON   bool
	out, err io.Writer
}

func newCheckCommand() *cobra.Command {
	v := &checkVerb{settings: newSettings()}
	c := &cobra.Command{
		Use: "check [DIR]", Short: "Run a repository's checks and report what they prove",
		Long: "Run the checks in a repository's " + repofile.Name + " and report what they prove about the files as they are now. " +
			"A check counts only for the files that it ran on: if it changes a file that git does not ignore, it proves nothing. " +
			"Checks do not receive environment variables whose names suggest a secret. When a check ends, the processes that it started are terminated.",
		Args: betweenArgs(0, 1, "DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			v.out, v.err = cmd.OutOrStdout(), cmd.ErrOrStderr()
			if err := v.settings.load(); err != nil {
				return err
			}
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return v.run(ctx, dir)
		},
	}
	v.settings.registerDirectory(c.Flags())
	c.Flags().StringVar(&v.receipt, "receipt", "", "write a signed receipt to this file")
	c.Flags().StringSliceVar(&v.only, "only", nil, "run only these checks; the others count as not run")
	c.Flags().BoolVar(&v.asJSON, "json", false, "machine-readable output; the output of the checks goes to standard error")
	onlyTyped(c.Flags(), "receipt", "only", "json")
	return c
}

func (v *checkVerb) run(ctx context.Context, dir string) error {
	repo, err := git.Open(ctx, dir)
	if err != nil {
		return err
	}
	list, err := repofile.Checks(repo.Top)
	if err != nil {
		return &exitError{code: exitProblems, err: err}
	}
	if len(list) == 0 {
		return &exitError{code: exitProblems, err: fmt.Errorf("%s has no checks; add them to %s:\n%s", repo.Top, repofile.Name, repofile.Format(check.Propose(ctx, repo.Top)))}
	}
	for _, name := range v.only {
		if !slices.ContainsFunc(list, func(c repofile.Check) bool { return c.Name == name }) {
			return usageError("--only: there is no check %q in %s", name, repofile.Name)
		}
	}
	if err := v.checkReceiptPath(ctx, repo); err != nil {
		return err
	}
	receipt, err := v.runAll(ctx, repo, list)
	if err != nil {
		return err
	}
	if err := v.write(receipt); err != nil {
		return err
	}
	if v.asJSON {
		if err := printJSON(v.out, reportOf(receipt)); err != nil {
			return err
		}
	} else {
		printReceipt(v.out, receipt)
	}
	if receipt.Verdict != proof.Proven {
		return &exitError{code: exitProblems, err: errors.New(verdictWords[receipt.Verdict])}
	}
	return nil
}

// runAll runs the selected checks in order and returns a receipt for the files as they are afterwards.
func (v *checkVerb) runAll(ctx context.Context, repo *git.Repo, list []repofile.Check) (proof.Receipt, error) {
	output := v.out
	if v.asJSON {
		output = v.err
	}
	runner := &check.Runner{Repo: repo, Env: process.Environment(os.Environ()), Out: output, Now: time.Now, Need: []string{repofile.Name}}
	r := proof.Receipt{Subject: filepath.Base(repo.Top)}
	for _, c := range list {
		r.Checks = append(r.Checks, c.Check)
		if len(v.only) > 0 && !slices.Contains(v.only, c.Name) {
			continue
		}
		printNote(v.err, v.asJSON, "running %s: %s", printable(c.Name), printable(c.Command))
		result, err := runner.Run(ctx, c.Check, c.Timeout)
		if err != nil {
			return proof.Receipt{}, err
		}
		r.Results = append(r.Results, result)
		if result.End == proof.EndStopped {
			return proof.Receipt{}, &exitError{code: exitForced, err: fmt.Errorf("%s was stopped", printable(c.Name))}
		}
	}
	var err error
	if r.Tree, err = repo.ExactTree(ctx, repofile.Name); err != nil {
		return proof.Receipt{}, err
	}
	r.Verdict = proof.Judge(r.Tree, r.Checks, r.Results)
	return r, nil
}

// checkReceiptPath returns an error if the receipt would be written among the files that it covers.
func (v *checkVerb) checkReceiptPath(ctx context.Context, repo *git.Repo) error {
	if v.receipt == "" {
		return nil
	}
	path, err := filepath.Abs(v.receipt)
	if err != nil {
		return err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(repo.Top, filepath.Join(dir, filepath.Base(path))); err == nil && filepath.IsLocal(rel) && !repo.Ignores(ctx, rel) {
		return usageError("--receipt %s: the receipt would change the files that it covers; write it outside %s, or make git ignore it", v.receipt, repo.Top)
	}
	return nil
}

func (v *checkVerb) write(r proof.Receipt) error {
	if v.receipt == "" {
		return nil
	}
	key, err := signer.Key(v.settings.data)
	if err != nil {
		return err
	}
	content, err := proof.Sign(r, key)
	if err != nil {
		return err
	}
	return atomicfile.Write(v.receipt, append(content, '\n'))
}

// verdictWords describes each verdict.
var verdictWords = map[proof.Verdict]string{
	proof.Proven:   "PROVEN: all required checks passed on these files",
	proof.Partly:   "PARTLY: some required checks did not run on these files",
	proof.OnlySaid: "ONLY SAID: no required check ran on these files",
	proof.Failed:   "FAILED: a required check failed on these files",
}

func printReceipt(w io.Writer, r proof.Receipt) {
	var c columns
	for _, result := range r.Results {
		c.add(printable(result.Check.Name), result.Recorded().Outcome(r.Tree), result.Duration.Round(time.Millisecond).String(), printable(result.Check.Command))
	}
	_ = c.print(w)
	if r.Verdict == proof.Proven {
		fmt.Fprintln(w, verdictWords[r.Verdict])
	}
	fmt.Fprintln(w, "tree "+r.Tree)
}

// receiptReport is a receipt in the JSON output.
type receiptReport struct {
	Subject string        `json:"subject"`
	Verdict proof.Verdict `json:"verdict"`
	Tree    string        `json:"tree"`
	Checks  []checkReport `json:"checks"`
}

type checkReport struct {
	Name       string    `json:"name"`
	Command    string    `json:"command"`
	Optional   bool      `json:"optional,omitzero"`
	End        proof.End `json:"end"`
	ExitCode   int       `json:"exit_code"`
	Tree       string    `json:"tree"`
	TreeAfter  string    `json:"tree_after"`
	Stale      bool      `json:"stale"`
	Started    string    `json:"started"`
	DurationMS int64     `json:"duration_ms"`
	Output     string    `json:"output_sha256"`
}

func reportOf(r proof.Receipt) receiptReport {
	out := receiptReport{r.Subject, r.Verdict, r.Tree, []checkReport{}}
	for _, c := range r.Results {
		out.Checks = append(out.Checks, checkReport{
			c.Check.Name, c.Check.Command, c.Check.Optional, c.End, c.ExitCode, c.TreeBefore, c.TreeAfter, c.Stale(r.Tree),
			c.Started.UTC().Format(time.RFC3339), c.Duration.Milliseconds(), c.Output,
		})
	}
	return out
}
