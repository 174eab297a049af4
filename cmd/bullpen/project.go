package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

func newProjectCommand() *cobra.Command {
	return groupCommand("project", "List and show projects", newProjectListCommand(), newProjectShowCommand())
}

// projectRow is a project in `bullpen project list --json`.
type projectRow struct {
	contracts.Project
	Tasks   int `json:"tasks_total"`
	Done    int `json:"tasks_done"`
	Percent int `json:"percent"`
}

// projectDetail is the JSON output of `bullpen project show`.
type projectDetail struct {
	contracts.Project
	Percent   int                  `json:"percent"`
	Tasks     []contracts.Task     `json:"tasks"`
	Artifacts []contracts.Artifact `json:"artifacts"`
	Decisions []contracts.Decision `json:"decisions"` // open decisions
}

// rows returns the office's current rows.
func (v *verb) rows(ctx context.Context) (*model.Rows, error) {
	var s contracts.Snapshot
	if err := v.get(ctx, "/v1/state", &s); err != nil {
		return nil, err
	}
	return rowsOf(&s), nil
}

func rowsOf(s *contracts.Snapshot) *model.Rows {
	return &model.Rows{Agents: s.Agents, Projects: s.Projects, Tasks: s.Tasks, Artifacts: s.Artifacts, Decisions: s.Decisions, Rooms: s.Rooms, Repos: s.Repos}
}

// row reads one complete row into out; the rows in /v1/state are shortened.
func (v *verb) row(ctx context.Context, kind, id string, out any) error {
	err := v.get(ctx, "/v1/"+kind+"/"+url.PathEscape(id), out)
	return err
}

func newProjectListCommand() *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List projects, except archived ones", Args: noArgs}
	return newVerb(c, func(ctx context.Context, v *verb, _ []string) error {
		rows, err := v.rows(ctx)
		if err != nil {
			return err
		}
		list := []projectRow{}
		for _, p := range rows.Projects {
			tasks := rows.TasksOf(p.ProjectID)
			row := projectRow{Project: p, Tasks: len(tasks), Percent: model.ProjectPercent(tasks)}
			for _, t := range tasks {
				if t.Status == contracts.TaskDone {
					row.Done++
				}
			}
			list = append(list, row)
		}
		if v.asJSON {
			return printJSON(v.out, map[string]any{"projects": list})
		}
		if len(list) == 0 {
			return v.print(nil, "No projects. Start one with `bullpen request TEXT`.")
		}
		var table columns
		table.add("ID", "STATUS", "TASKS", "TITLE")
		for _, p := range list {
			table.add(p.ProjectID, projectStatus(rows, &p.Project), fmt.Sprintf("%d of %d done", p.Done, p.Tasks), shortLine(p.Title))
		}
		return table.print(v.out)
	})
}

// projectStatus returns the text for a project's status, or "Waiting for you" if its plan is
// waiting to be started.
func projectStatus(rows *model.Rows, p *contracts.Project) string {
	if len(rows.Unstarted(p)) > 0 {
		return contracts.ActivityWords[contracts.ActivityWaiting]
	}
	return caption(p.Status)
}

func newProjectShowCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "show PROJECT", Short: "Show a project: its request, tasks, deliverables and open questions",
		Args: exactArgs("PROJECT"), ValidArgsFunction: completeFirst(projectWords),
	}
	return newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		rows, err := v.rows(ctx)
		if err != nil {
			return err
		}
		if err := knownProject(rows, args[0]); err != nil {
			return err
		}
		d := projectDetail{Tasks: rows.TasksOf(args[0]), Artifacts: []contracts.Artifact{}, Decisions: []contracts.Decision{}}
		if err := v.row(ctx, "projects", args[0], &d.Project); err != nil {
			return err
		}
		d.Percent = model.ProjectPercent(d.Tasks)
		for _, a := range rows.Artifacts {
			if a.ProjectID == args[0] {
				d.Artifacts = append(d.Artifacts, a)
			}
		}
		for _, q := range rows.Decisions {
			if q.ProjectID == args[0] && q.Status == contracts.DecisionOpen {
				d.Decisions = append(d.Decisions, q)
			}
		}
		if v.asJSON {
			return printJSON(v.out, d)
		}
		return d.print(v, rows)
	})
}

func (d *projectDetail) print(v *verb, rows *model.Rows) error {
	fmt.Fprintf(v.out, "%s  %s, %d%%\n", paintFor(v.out).strong(printable(d.Title)), projectStatus(rows, &d.Project), d.Percent)
	fmt.Fprintln(v.out, printableText(cmp.Or(d.Request, d.Title)))
	fmt.Fprintln(v.out, "\ntasks")
	if err := printTasks(v, rows, d.Tasks); err != nil {
		return err
	}
	if len(d.Artifacts) > 0 {
		fmt.Fprintln(v.out, "\ndeliverables")
		if err := printArtifacts(v, rows, d.Artifacts); err != nil {
			return err
		}
	}
	if len(d.Decisions) > 0 {
		fmt.Fprintln(v.out, "\nopen questions")
	}
	table := columns{indent: "  "}
	for _, q := range d.Decisions {
		table.add(q.DecisionID, printable(rows.Name(q.AskedBy)), shortLine(q.Prompt))
	}
	return table.print(v.out)
}

// projectFlag adds --project to a list command.
func projectFlag(c *cobra.Command, project *string, usage string) {
	c.Flags().StringVar(project, "project", "", usage)
	onlyTyped(c.Flags(), "project")
	completeProjects(c, "project")
}

// knownProject returns nil if the project exists, and otherwise an error that lists the known
// projects.
func knownProject(rows *model.Rows, id string) error {
	if rows.Project(id) != nil {
		return nil
	}
	return noRow("project", id, "known", ids(rows.Projects, func(p contracts.Project) string { return p.ProjectID }))
}

// noRow returns the error for an unknown id, or for the id of something else. The error also lists
// the existing ids, after a label such as "open".
func noRow(kind, id, which string, there []string) error {
	if n := len(there); n > limitKnown {
		there = append(slices.Clone(there[:limitKnown]), fmt.Sprintf("and %d more", n-limitKnown))
	}
	what := cmp.Or(contracts.OtherKind(id, kind), fmt.Sprintf("no %s %q", kind, printable(id)))
	err := fmt.Errorf("%s (%s: %s)", what, which, cmp.Or(joined(there), "none"))
	return &exitError{code: exitRefused, reason: contracts.CodeNotFound, err: err}
}
