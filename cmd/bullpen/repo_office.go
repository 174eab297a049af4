package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

func newRepoAddCommand() *cobra.Command {
	var name, target, remote string
	c := &cobra.Command{
		Use: "add [DIR]", Short: "Add a git repository for the crew to work in",
		Long: "Add a git repository for the crew to work in. The directory must be on the office's machine. Adding it again with another --target changes the branch that work lands in.\n\n" +
			"Pull requests are pushed only to the address that the remote has when the repository is added. After you change the remote, add the repository again with --remote and the new address.",
		Args: betweenArgs(0, 1, "DIR"),
	}
	newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		dir := "."
		if len(args) > 0 {
			dir = args[0]
		}
		path, err := filepath.Abs(dir)
		if err != nil {
			return usageError("%s: %w", dir, err)
		}
		before, err := v.rows(ctx)
		if err != nil {
			return err
		}
		ack, err := v.command(ctx, contracts.AddRepo{Path: path, Name: name, Target: target, Remote: remote})
		if err != nil {
			return err
		}
		done := "added " + ack.Result.Repo
		if i := slices.IndexFunc(before.Repos, func(r contracts.Repo) bool { return r.Name == ack.Result.Repo }); i >= 0 {
			done = ack.Result.Repo + " is already in the office"
			if known := before.Repos[i]; cmp.Or(target, known.Target) != known.Target || cmp.Or(remote, known.Remote) != known.Remote {
				done = "changed " + ack.Result.Repo
			}
		}
		return v.print(commanded{ack.Seq, ack.Duplicate, ack.Result}, done)
	})
	c.Flags().StringVar(&name, "name", "", "name of the repository (default: the name of the directory)")
	c.Flags().StringVar(&target, "target", "", "branch to land work in (default: the checked-out branch)")
	c.Flags().StringVar(&remote, "remote", "", "accept this remote URL for pull requests")
	onlyTyped(c.Flags(), "name", "target", "remote")
	return c
}

// repoRow is a repository in the JSON output.
type repoRow struct {
	contracts.Repo
	OpenTasks int `json:"open_tasks"`
}

func newRepoListCommand() *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List the office's repositories", Args: noArgs}
	return newVerb(c, func(ctx context.Context, v *verb, _ []string) error {
		rows, err := v.rows(ctx)
		if err != nil {
			return err
		}
		list := []repoRow{}
		for _, r := range rows.Repos {
			list = append(list, repoRow{r, openTasks(rows, r.Name)})
		}
		if v.asJSON {
			return printJSON(v.out, map[string]any{"repos": list})
		}
		if len(list) == 0 {
			return v.print(nil, "No repositories; `bullpen repo add DIR` adds one.")
		}
		var table columns
		table.add("NAME", "TARGET", "OPEN TASKS", "PATH", "PULL REQUESTS TO")
		for _, r := range list {
			target := "(checked out)"
			if r.Target != "" {
				target = printable(r.Target)
			}
			table.add(r.Name, target, fmt.Sprint(r.OpenTasks), printable(r.Path), printable(cmp.Or(r.Remote, "-")))
		}
		return table.print(v.out)
	})
}

// openTasks returns the number of unfinished tasks in the projects of a repository.
func openTasks(rows *model.Rows, repo string) (n int) {
	for _, p := range rows.Projects {
		if p.Repo != repo {
			continue
		}
		for _, t := range rows.TasksOf(p.ProjectID) {
			if !t.Status.Final() {
				n++
			}
		}
	}
	return n
}

func newRepoRemoveCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "remove NAME", Short: "Remove a repository from the office; its files stay as they are",
		Args: exactArgs("NAME"), ValidArgsFunction: completeFirst(repoWords),
	}
	return newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		return v.sendAndPrint(ctx, contracts.RemoveRepo{Repo: args[0]}, "removed "+printable(args[0]))
	})
}

func repoWords(s *contracts.Snapshot) (words []string) {
	for _, r := range s.Repos {
		words = append(words, r.Name+"\t"+printable(r.Path))
	}
	return words
}

func repoNames(rows *model.Rows) []string {
	return ids(rows.Repos, func(r contracts.Repo) string { return r.Name })
}

// repo returns the name of the repository with the given name or directory. If the directory is not
// yet a repository of the office, repo adds it first.
func (v *verb) repo(ctx context.Context, given string) (string, error) {
	rows, err := v.rows(ctx)
	if err != nil {
		return "", err
	}
	if slices.Contains(repoNames(rows), given) {
		return given, nil
	}
	if info, err := os.Stat(given); err != nil || !info.IsDir() {
		return "", noRow("repository or directory", given, "known", repoNames(rows))
	}
	path, err := filepath.Abs(given)
	if err != nil {
		return "", usageError("--repo %s: %w", given, err)
	}
	ack, err := v.command(ctx, contracts.AddRepo{Path: path})
	return ack.Result.Repo, err
}
