package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/atomicfile"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/proof"
)

const receiptHelp = `Explain what the recorded checks prove about the files of a task. A check counts only for the
files that it ran on: after any change it is stale.

With --export, the office signs the receipt with its key and the file can be verified without
the office: see ` + "`bullpen receipt verify`" + `.`

func newReceiptCommand() *cobra.Command {
	var export string
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
		if export != "" {
			return v.exportReceipt(ctx, t.TaskID, export)
		}
		if v.asJSON {
			return printJSON(v.out, taskReceiptOf(t))
		}
		return v.printTaskReceipt(t)
	})
	c.Flags().StringVar(&export, "export", "", "write a signed receipt to this file")
	onlyTyped(c.Flags(), "export")
	c.AddCommand(newReceiptVerifyCommand(), newReceiptKeyCommand())
	return c
}

// taskReceipt is the JSON output of `bullpen receipt TASK`.
type taskReceipt struct {
	TaskID  string            `json:"task_id"`
	Verdict contracts.Verdict `json:"verdict"`
	Tree    string            `json:"tree"`
	Checks  []taskCheck       `json:"checks"`
}

type taskCheck struct {
	Command    string `json:"command"`
	ExitCode   int    `json:"exit_code"`
	Tree       string `json:"tree"`
	Stale      bool   `json:"stale"`
	Started    string `json:"started"`
	DurationMS int64  `json:"duration_ms"`
}

// taskReceiptOf returns the receipt of a task. A task without a verdict counts as VerdictOnlySaid.
func taskReceiptOf(t contracts.Task) taskReceipt {
	out := taskReceipt{t.TaskID, cmp.Or(t.Verdict, contracts.VerdictOnlySaid), t.Tree, []taskCheck{}}
	for _, r := range t.Checks {
		out.Checks = append(out.Checks, taskCheck{r.Command, r.ExitCode, r.Tree, r.Tree != t.Tree, time.UnixMilli(r.Started).UTC().Format(time.RFC3339), r.DurationMS})
	}
	return out
}

func (v *verb) printTaskReceipt(t contracts.Task) error {
	verdict := cmp.Or(t.Verdict, contracts.VerdictOnlySaid)
	fmt.Fprintf(v.out, "%s  %s  %s\n", t.TaskID, contracts.VerdictWords[verdict], contracts.VerdictNotes[verdict])
	if t.Worktree == nil {
		fmt.Fprintln(v.out, "The task has no worktree, so no checks have run.")
		return nil
	}
	var table columns
	for _, c := range t.Worktree.Checks {
		state, took := contracts.SayCheckNotRun, ""
		for i, r := range t.Checks {
			if r.Name == c.Name && r.Command == c.Command {
				state, took = checkOutcome(t.Tree, proof.RecordedResults(t.Checks[i : i+1])[0]), (time.Duration(r.DurationMS) * time.Millisecond).String()
			}
		}
		table.add(printable(c.Name), state, took, printable(c.Command))
	}
	if err := table.print(v.out); err != nil {
		return err
	}
	if t.Tree != "" {
		fmt.Fprintln(v.out, "tree "+t.Tree)
	}
	return nil
}

func (v *verb) exportReceipt(ctx context.Context, taskID, file string) error {
	content, err := v.office.Read(ctx, "/v1/tasks/"+url.PathEscape(taskID)+"/receipt", contracts.LimitReceipt)
	if err != nil {
		return v.failed(err)
	}
	if err := atomicfile.Write(file, content); err != nil {
		return err
	}
	return v.print(map[string]string{"task_id": taskID, "file": file}, "wrote "+printable(file))
}
