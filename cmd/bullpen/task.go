package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

func newTaskCommand() *cobra.Command {
	return groupCommand("task", "List, assign, cancel, review and land tasks", newTaskListCommand(), newTaskAssignCommand(), newTaskCancelCommand(), newTaskReviewCommand(), newTaskLandCommand())
}

func newTaskListCommand() *cobra.Command {
	var project string
	c := &cobra.Command{Use: "list", Short: "List tasks, except those of archived projects", Args: noArgs}
	newVerb(c, func(ctx context.Context, v *verb, _ []string) error {
		rows, err := v.rows(ctx)
		if err != nil {
			return err
		}
		list := rows.Tasks
		if project != "" {
			if err := knownProject(rows, project); err != nil {
				return err
			}
			list = rows.TasksOf(project)
		}
		if v.asJSON {
			return printJSON(v.out, map[string]any{"tasks": slices.Concat([]contracts.Task{}, list)})
		}
		return printTasks(v, rows, list)
	})
	projectFlag(c, &project, "only tasks of this project")
	return c
}

func printTasks(v *verb, rows *model.Rows, list []contracts.Task) error {
	if len(list) == 0 {
		return v.print(nil, "No tasks.")
	}
	var table columns
	table.add("ID", "STATUS", "DONE", "VERDICT", "WHO", "TITLE")
	for _, t := range list {
		who := "-"
		if t.Assignee != "" {
			who = printable(rows.Name(t.Assignee))
		}
		title := shortLine(t.Title)
		if t.BlockedReason != "" {
			title += " (" + shortLine(t.BlockedReason) + ")"
		}
		verdict := "-"
		if t.Verdict != "" {
			verdict = contracts.VerdictWords[t.Verdict]
		}
		table.add(t.TaskID, caption(t.Status), fmt.Sprintf("%d%%", model.Percent(&t)), verdict, who, title)
	}
	return table.print(v.out)
}

func newTaskAssignCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "assign TASK AGENT", Short: "Assign or reassign a task to an agent, by id or name",
		Args: exactArgs("TASK", "AGENT"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return completeState(cmd, agentWords), cobra.ShellCompDirectiveNoFileComp
			}
			return completeFirst(taskWords)(cmd, args, typed)
		},
	}
	return newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		t, err := v.task(ctx, args[0])
		if err != nil {
			return err
		}
		who, err := v.pick(ctx, args[1:])
		if err != nil {
			return err
		}
		var data contracts.CommandData = contracts.AssignTask{TaskID: t.TaskID, AgentID: who[0].AgentID, ExpectedTaskStatus: t.Status}
		if t.Assignee != "" {
			data = contracts.ReassignTask{TaskID: t.TaskID, ToAgentID: who[0].AgentID, ExpectedTaskStatus: t.Status}
		}
		return v.sendAndPrint(ctx, data, fmt.Sprintf("assigned %s to %s", t.TaskID, printable(who[0].Name)))
	})
}

func newTaskCancelCommand() *cobra.Command {
	var reason string
	c := &cobra.Command{Use: "cancel TASK", Short: "Cancel a task", Args: exactArgs("TASK"), ValidArgsFunction: completeFirst(taskWords)}
	newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		t, err := v.task(ctx, args[0])
		if err != nil {
			return err
		}
		data := contracts.CancelTask{TaskID: t.TaskID, Confirm: true, Reason: reason}
		return v.sendAndPrint(ctx, data, "cancelled "+t.TaskID)
	})
	c.Flags().StringVar(&reason, "reason", "", "reason for the cancellation; it is recorded")
	onlyTyped(c.Flags(), "reason")
	return c
}

func (v *verb) task(ctx context.Context, id string) (*contracts.Task, error) {
	rows, err := v.rows(ctx)
	if err != nil {
		return nil, err
	}
	if t := rows.Task(id); t != nil {
		return t, nil
	}
	return nil, noRow("task", id, "known", ids(rows.Tasks, func(t contracts.Task) string { return t.TaskID }))
}

func ids[T any](rows []T, id func(T) string) (list []string) {
	for _, r := range rows {
		list = append(list, id(r))
	}
	return list
}

func joined(words []string) string { return strings.Join(words, ", ") }
