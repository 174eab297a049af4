package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/repo/git"
)

// handGroup is the group of snapshots taken by hand.
const handGroup = "hand"

func newRepoCommand() *cobra.Command {
	return groupCommand("repo", "Manage the office's git repositories; save and restore working trees",
		newRepoAddCommand(), newRepoListCommand(), newRepoRemoveCommand(), newRepoSnapshotCommand(), newRepoRecoverCommand())
}

// snapshotRow is a snapshot in the JSON output.
type snapshotRow struct {
	SnapshotID string   `json:"snapshot_id"`
	Commit     string   `json:"commit"`
	Tree       string   `json:"tree"`
	Made       string   `json:"made"`
	Reason     string   `json:"reason"`
	Directory  string   `json:"directory"`
	Branch     string   `json:"branch,omitzero"`
	Complete   bool     `json:"complete"`
	Skipped    []string `json:"skipped,omitzero"`
	Nested     []string `json:"nested,omitzero"`
}

func rowOf(s git.Snapshot) snapshotRow {
	return snapshotRow{s.ID, s.Commit, s.Tree, s.Made.UTC().Format(time.RFC3339), s.Reason, s.Top, s.Branch, s.Complete(), s.Skipped, s.Nested}
}

func newRepoSnapshotCommand() *cobra.Command {
	var asJSON bool
	var reason string
	c := &cobra.Command{
		Use: "snapshot [DIR]", Short: "Save everything in a working tree, without touching it",
		Long: "Save everything in a working tree except ignored files: changes, staged files, untracked files, stashes and an unfinished merge or rebase. " +
			"Files, index and branches stay as they are. The snapshot is a hidden ref in the repository, under refs/bullpen; `bullpen repo recover` restores it.",
		Args: betweenArgs(0, 1, "DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			repo, err := git.Open(cmd.Context(), dir)
			if err != nil {
				return err
			}
			s, err := repo.Snapshot(cmd.Context(), handGroup, reason)
			if err != nil {
				return err
			}
			if asJSON {
				if err := printJSON(cmd.OutOrStdout(), rowOf(s)); err != nil {
					return err
				}
			} else {
				fmt.Fprintf(cmd.OutOrStdout(), "saved %s as %s\n", printable(s.Top), s.ID)
			}
			return incomplete(s)
		},
	}
	c.Flags().StringVar(&reason, "reason", "taken by hand", "reason for taking the snapshot")
	c.Flags().BoolVar(&asJSON, "json", false, "machine-readable output")
	onlyTyped(c.Flags(), "reason", "json")
	return c
}

// incomplete returns an error that lists what is missing from a snapshot, or nil if the snapshot is
// complete.
func incomplete(s git.Snapshot) error {
	if s.Complete() {
		return nil
	}
	var problems []error
	for _, list := range []struct {
		paths []string
		what  string
	}{{s.Skipped, "git cannot read it"}, {s.Nested, "a separate repository; only its commit is saved, so take a snapshot there too"}} {
		for i, path := range list.paths {
			if i == contracts.LimitSurveyList {
				problems = append(problems, fmt.Errorf("and %d more", len(list.paths)-i))
				break
			}
			problems = append(problems, fmt.Errorf("%s: %s", hud.Line(path, contracts.LimitPreview), list.what))
		}
	}
	return &exitError{code: exitProblems, err: fmt.Errorf("the snapshot is incomplete:\n%w", errors.Join(problems...))}
}

func newRepoRecoverCommand() *cobra.Command {
	var asJSON bool
	var dir, into string
	c := &cobra.Command{
		Use: "recover [SNAPSHOT]", Short: "List snapshots, or restore one into a new directory",
		Long: "List the snapshots of a repository, newest first, or restore one into a new directory. " +
			"The restored directory is a linked worktree without a branch, with the same files, index, commit and unfinished merge or rebase.",
		Example: "  bullpen repo recover\n  bullpen repo recover hand/1794009600000-1f2e3d4c --into ../shop-recovered",
		Args:    betweenArgs(0, 1, "SNAPSHOT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) > 0) != (into != "") {
				missing := "--into DIR"
				if into != "" {
					missing = "SNAPSHOT"
				}
				return usageError("missing %s: to restore a snapshot, use `bullpen repo recover SNAPSHOT --into DIR`", missing)
			}
			repo, err := git.Open(cmd.Context(), dir)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return listSnapshots(cmd, repo, asJSON)
			}
			s, err := repo.Find(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			restored, err := repo.Restore(cmd.Context(), s, into)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]any{"snapshot": rowOf(s), "restored": restored.Top})
			}
			fmt.Fprintf(cmd.OutOrStdout(), "restored %s into %s\n", s.ID, printable(restored.Top))
			if s.Branch != "" {
				fmt.Fprintf(cmd.OutOrStdout(), "The snapshot was taken on branch %s; the new directory is not on a branch.\n", printable(strings.TrimPrefix(s.Branch, "refs/heads/")))
			}
			return nil
		},
	}
	c.Flags().StringVar(&dir, "repo", ".", "a directory in the repository")
	c.Flags().StringVar(&into, "into", "", "new directory for the restored files")
	c.Flags().BoolVar(&asJSON, "json", false, "machine-readable output")
	onlyTyped(c.Flags(), "repo", "into", "json")
	return c
}

func listSnapshots(cmd *cobra.Command, repo *git.Repo, asJSON bool) error {
	list, err := repo.Snapshots(cmd.Context())
	if err != nil {
		return err
	}
	if asJSON {
		rows := []snapshotRow{}
		for _, s := range list {
			rows = append(rows, rowOf(s))
		}
		return printJSON(cmd.OutOrStdout(), map[string]any{"snapshots": rows})
	}
	if len(list) == 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "bullpen: %s has no snapshots; `bullpen repo snapshot` takes one\n", printable(repo.Top))
		return nil
	}
	var c columns
	for _, s := range list {
		note := ""
		if !s.Complete() {
			note = "  (incomplete)"
		}
		c.add(s.ID, s.Made.Local().Format(time.DateTime), printable(s.Top), printable(s.Reason)+note)
	}
	return c.print(cmd.OutOrStdout())
}
