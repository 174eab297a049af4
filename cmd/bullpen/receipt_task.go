package main

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/atomicfile"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/proof"
)

const receiptHelp = `Explain what the recorded checks prove about a task's files. A check counts only for the
files that it ran on; any later change makes it stale. Agents' reviews of the task's newest
patch are shown below, with the file and line of each finding.

With --output, the end of a check's output is shown instead, with credentials redacted.

With --export, the office signs the receipt with its key and the file can be verified without
the office: see ` + "`bullpen receipt verify`" + `.`

func newReceiptCommand() *cobra.Command {
	var export, output string
	c := &cobra.Command{
		Use: "receipt TASK", Short: "Show, export and verify what checks prove", Long: receiptHelp,
		Args: exactArgs("TASK"), ValidArgsFunction: completeFirst(taskWords),
	}
	newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		var t contracts.Task
		if _, err := v.task(ctx, args[0]); err != nil {
			return err
		}
		if err := v.row(ctx, "tasks", args[0], &t); err != nil {
			return err
		}
		switch {
		case output != "" && export != "":
			return usageError("use either --output or --export, not both")
		case output != "":
			return v.printCheckOutput(ctx, t, output)
		case export != "":
			return v.exportReceipt(ctx, t.TaskID, export)
		}
		rows, err := v.rows(ctx)
		if err != nil {
			return err
		}
		patch := patchOf(rows, t.TaskID)
		if v.asJSON {
			out := taskReceiptOf(t)
			out.Reviews = reviewReports(rows, patch)
			return printJSON(v.out, out)
		}
		if err := v.printTaskReceipt(t); err != nil || patch == nil {
			return err
		}
		return printReviews(v.out, rows, patch)
	})
	c.Flags().StringVar(&export, "export", "", "write a signed receipt to this file")
	c.Flags().StringVar(&output, "output", "", "print the end of this check's output")
	onlyTyped(c.Flags(), "export", "output")
	c.AddCommand(newReceiptVerifyCommand(), newReceiptKeyCommand())
	return c
}

// taskReceipt is the JSON output of `bullpen receipt TASK`.
type taskReceipt struct {
	TaskID  string            `json:"task_id"`
	Verdict contracts.Verdict `json:"verdict,omitzero"` // absent while there is no tree
	Tree    string            `json:"tree"`
	Checks  []taskCheck       `json:"checks"`
	Reviews []reviewReport    `json:"reviews"`
}

type taskCheck struct {
	Name       string `json:"name"`
	Command    string `json:"command"`
	ExitCode   int    `json:"exit_code"`
	Tree       string `json:"tree"`
	Stale      bool   `json:"stale"`
	Started    string `json:"started"`
	DurationMS int64  `json:"duration_ms"`
	By         string `json:"by,omitzero"`
	Reason     string `json:"reason,omitzero"` // why the check did not run
}

func taskReceiptOf(t contracts.Task) taskReceipt {
	out := taskReceipt{t.TaskID, t.Verdict, t.Tree, []taskCheck{}, []reviewReport{}}
	for _, r := range t.Checks {
		out.Checks = append(out.Checks, taskCheckOf(r, t.Tree))
	}
	return out
}

func taskCheckOf(r contracts.CheckResult, tree string) taskCheck {
	return taskCheck{r.Name, r.Command, r.ExitCode, r.Tree, r.Tree != tree, time.UnixMilli(r.Started).UTC().Format(time.RFC3339), r.DurationMS, r.By, r.Reason}
}

// checkOutput is the JSON output of `bullpen receipt TASK --output CHECK`.
type checkOutput struct {
	taskCheck
	Output      string `json:"output"`       // the stored end of the output, with credentials redacted
	OutputBytes int64  `json:"output_bytes"` // size of the whole output
}

func (v *verb) printTaskReceipt(t contracts.Task) error {
	verdict, note := "-", "The task has delivered no files to a repository, so there is nothing to check."
	if t.Verdict != "" {
		verdict, note = contracts.VerdictWords[t.Verdict], contracts.VerdictNotes[t.Verdict]
	}
	fmt.Fprintf(v.out, "%s  %s  %s\n", t.TaskID, verdict, note)
	if t.Worktree == nil {
		return nil
	}
	var table columns
	for _, c := range proof.RecordedChecks(t.Worktree.Checks, t.Checks) {
		state, took := contracts.SayCheckNotRun, ""
		for _, r := range t.Checks {
			if r.Name == c.Name && r.Command == c.Command {
				state, took = r.Outcome(t.Tree), (time.Duration(r.DurationMS) * time.Millisecond).String()
			}
		}
		command := printable(c.Command)
		if c.Name == contracts.AcceptPrefix+c.Command { // the name already contains it
			command = ""
		}
		table.add(printable(c.Name), state, took, command)
	}
	if err := table.print(v.out); err != nil {
		return err
	}
	if t.Tree != "" {
		fmt.Fprintln(v.out, "tree "+t.Tree)
	}
	return nil
}

// printCheckOutput prints the stored output of a check: the output of its run on the task's files
// or, if there was no such run, the output of its last run.
func (v *verb) printCheckOutput(ctx context.Context, t contracts.Task, name string) error {
	i := slices.IndexFunc(t.Checks, func(r contracts.CheckResult) bool { return r.Name == name })
	if i < 0 {
		return noRow("result for check", name, "checks that ran", ids(t.Checks, func(r contracts.CheckResult) string { return r.Name }))
	}
	r, text := t.Checks[i], []byte(nil)
	if r.LogSHA256 != "" {
		var err error
		if text, err = v.office.Read(ctx, contracts.CheckOutputPath(t.TaskID, name), contracts.LimitCheckLog*2); err != nil {
			return v.requestFailed(err)
		}
	}
	if v.asJSON {
		return printJSON(v.out, checkOutput{taskCheckOf(r, t.Tree), string(text), r.OutputBytes})
	}
	if text == nil {
		v.note("check %s printed nothing, or its output was not stored", printable(name))
		return nil
	}
	return writeText(v.out, text)
}

func (v *verb) exportReceipt(ctx context.Context, taskID, file string) error {
	content, err := v.office.Read(ctx, "/v1/tasks/"+url.PathEscape(taskID)+"/receipt", contracts.LimitReceipt)
	if err != nil {
		return v.requestFailed(err)
	}
	if err := atomicfile.Write(file, content); err != nil {
		return err
	}
	return v.print(map[string]string{"task_id": taskID, "file": file}, "wrote "+printable(file))
}
