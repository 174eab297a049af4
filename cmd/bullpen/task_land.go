package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	office "github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/contracts"
)

const landHelp = `Land a task's approved work in the target branch of its repository, and wait for the
result. Work that the recorded checks do not prove is refused, unless you accept that with
--accept-unproven. With --dry-run nothing is changed.

With --pull-request, the work is pushed as the task's own branch, and a pull request is opened with
gh. The office then records the results of the pull request's checks, and whether the pull request
is merged or closed. Failed checks are sent back to the agent; landing the new version updates the
same pull request. Work is pushed only to the remote address shown by "bullpen repo list".`

func newTaskLandCommand() *cobra.Command {
	data := contracts.LandTask{}
	how := string(contracts.LandMerge)
	var pull bool
	c := &cobra.Command{
		Use: "land TASK", Short: "Land approved work in the target branch", Long: landHelp,
		Args: exactArgs("TASK"), ValidArgsFunction: completeFirst(taskWords),
	}
	newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		data.TaskID, data.How = args[0], contracts.LandHow(how)
		switch {
		case pull && c.Flags().Changed("how"):
			return usageError("use either --how or --pull-request")
		case pull:
			data.How = contracts.LandPull
		case !slices.Contains(contracts.LandHows, data.How):
			return usageError("--how %s: use merge, squash, rebase or pull_request", how)
		}
		if _, err := v.task(ctx, data.TaskID); err != nil {
			return err
		}
		ctx, stop := interruptible(ctx)
		defer stop()
		return v.land(ctx, data)
	})
	f := c.Flags()
	f.StringVar(&how, "how", how, "how to land the work: merge, squash, rebase or pull_request")
	f.BoolVar(&pull, "pull-request", false, "push the work and open a pull request with gh (--how pull_request)")
	f.BoolVar(&data.DryRun, "dry-run", false, "check whether the work can be landed, without changing anything")
	f.BoolVar(&data.AcceptUnproven, "accept-unproven", false, "land even if the checks do not prove these files")
	onlyTyped(f, "how", "pull-request", "dry-run", "accept-unproven")
	return c
}

// errLanded makes follow return when the landing has ended.
var errLanded = errors.New("landing ended")

func (v *verb) land(ctx context.Context, data contracts.LandTask) error {
	ack, err := v.command(context.WithoutCancel(ctx), data)
	if err != nil {
		return err
	}
	var l contracts.Landing
	err = v.follow(ctx, office.Timeline{Kinds: []string{string(contracts.KindEvent)}, After: ack.Seq}, func(m office.Message) error {
		var e contracts.Event
		if err := json.Unmarshal(m.Payload, &e); err != nil {
			return err
		}
		if e.TaskID != data.TaskID || e.Landing == nil || e.Landing.Status == contracts.LandRequested {
			return nil
		}
		l = *e.Landing
		return errLanded
	})
	if ctx.Err() != nil {
		return &exitError{code: exitForced, err: fmt.Errorf("stopped waiting; %s is still being landed", data.TaskID)}
	}
	if err != errLanded {
		return err
	}
	if l.Status == contracts.LandFailed {
		return &exitError{code: exitProblems, err: fmt.Errorf("%s was not landed: %s", data.TaskID, printable(l.Reason))}
	}
	return v.print(l, landingLine(data.TaskID, l))
}

// landingLine describes the outcome of a landing.
func landingLine(taskID string, l contracts.Landing) string {
	target := printable(l.Target)
	switch {
	case l.Status == contracts.LandOpen:
		return fmt.Sprintf("opened %s for %s", printable(l.Pull.URL), taskID)
	case l.Status == contracts.LandChecked && l.Pull != nil && l.Pull.URL != "":
		return fmt.Sprintf("%s can be pushed to %s as an update to %s", taskID, printable(l.Pull.Remote), printable(l.Pull.URL))
	case l.Status == contracts.LandChecked && l.Pull != nil:
		return fmt.Sprintf("%s can be pushed to %s as a new pull request against %s", taskID, printable(l.Pull.Remote), target)
	case l.Status == contracts.LandChecked:
		return fmt.Sprintf("%s can be landed in %s", taskID, target)
	}
	return fmt.Sprintf("landed %s in %s as %s", taskID, target, l.Commit)
}
