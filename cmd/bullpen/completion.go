package main

import (
	"context"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
)

// completionPatience is how long a shell waits for the office while somebody types.
const completionPatience = 800 * time.Millisecond

type completer = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective)

// completeWords offers words for the first argument.
func completeWords(words ...string) completer {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeFirst offers what the office has now for the first argument.
func completeFirst(rows func(*contracts.Snapshot) []string) completer {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return completeState(cmd, rows), cobra.ShellCompDirectiveNoFileComp
	}
}

func completeAgents(c *cobra.Command, flag string)   { completeFlag(c, flag, agentWords) }
func completeProjects(c *cobra.Command, flag string) { completeFlag(c, flag, projectWords) }

func completeFlag(c *cobra.Command, flag string, rows func(*contracts.Snapshot) []string) {
	_ = c.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return completeState(cmd, rows), cobra.ShellCompDirectiveNoFileComp
	})
}

// completeState asks the office; where none answers nothing is offered.
func completeState(cmd *cobra.Command, rows func(*contracts.Snapshot) []string) []string {
	s := newSettings()
	s.flags = cmd.Flags()
	flag := func(name string) string {
		if f := cmd.Flags().Lookup(name); f != nil {
			return f.Value.String()
		}
		return ""
	}
	if s.loadEnvironment() != nil {
		return nil
	}
	s.data, s.tokenFile = flag("data"), flag("token-file")
	if s.defaultData() != nil {
		return nil
	}
	s.defaultToken()
	c, err := newClient(s, flag("url"))
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionPatience)
	defer cancel()
	var state contracts.Snapshot
	if _, err := c.call(ctx, http.MethodGet, "/v1/state", &state); err != nil {
		return nil
	}
	return rows(&state)
}

func agentWords(s *contracts.Snapshot) (words []string) {
	for _, a := range s.Agents {
		words = append(words, a.AgentID+"\t"+printable(a.Name))
	}
	return words
}

func projectWords(s *contracts.Snapshot) (words []string) {
	for _, p := range s.Projects {
		words = append(words, p.ProjectID+"\t"+printable(p.Title))
	}
	return words
}

func decisionWords(s *contracts.Snapshot) (words []string) {
	for _, d := range s.Decisions {
		if d.Status == contracts.DecisionOpen {
			words = append(words, d.DecisionID+"\t"+printable(d.Prompt))
		}
	}
	return words
}

func artifactWords(s *contracts.Snapshot) (words []string) {
	for _, a := range s.Artifacts {
		if a.Status == contracts.ArtifactInReview {
			words = append(words, a.ArtifactID+"\t"+printable(a.Title))
		}
	}
	return words
}

// completeChoice offers the options of the decision that was named.
func completeChoice(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return completeFirst(decisionWords)(cmd, args, typed)
	}
	return completeState(cmd, func(s *contracts.Snapshot) []string {
		for _, d := range s.Decisions {
			if d.DecisionID == args[0] {
				return d.Options
			}
		}
		return nil
	}), cobra.ShellCompDirectiveNoFileComp
}
