package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/agents/all"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/server"
)

// completionTimeout is the timeout for requests to the office or its NATS cluster while a shell is
// waiting for completions.
const completionTimeout = 800 * time.Millisecond

type completer = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective)

// completeWords completes the first argument from a fixed list of words.
func completeWords(words ...string) completer {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeFirst completes the first argument with ids from the office.
func completeFirst(rows func(*contracts.Snapshot) []string) completer { return completeArgs(1, rows) }

// completeArgs completes the first count arguments with ids from the office.
func completeArgs(count int, rows func(*contracts.Snapshot) []string) completer {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= count {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return completeState(cmd, rows), cobra.ShellCompDirectiveNoFileComp
	}
}

// takeFiles lists the commands whose arguments are files or programs.
var takeFiles = []string{"config check", "scene check", "scene plan", "import", "man", "exec"}

// addCompletion turns off file completion, except for the commands in takeFiles.
func addCompletion(c *cobra.Command) {
	if c.ValidArgsFunction == nil && !slices.Contains(takeFiles, pathBelowRoot(c)) {
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	for _, below := range c.Commands() {
		addCompletion(below)
	}
}

// completeValues completes the value of a flag with words.
func completeValues(c *cobra.Command, flag string, words ...string) {
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

func completeAgents(c *cobra.Command, flag string)   { completeFlag(c, flag, agentWords) }
func completeProjects(c *cobra.Command, flag string) { completeFlag(c, flag, projectWords) }

func completeStudios(c *cobra.Command, flag string) { completeFlag(c, flag, studioWords) }

func completeFlag(c *cobra.Command, flag string, rows func(*contracts.Snapshot) []string) {
	_ = c.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return completeState(cmd, rows), cobra.ShellCompDirectiveNoFileComp
	})
}

// completeSettings completes the built-in values of --crew, and the values of the log flags.
func completeSettings(c *cobra.Command) {
	var kinds []string
	for _, a := range all.Adapters {
		if a.Runner != nil {
			kinds = append(kinds, string(a.Runner.Kind))
		}
	}
	completeValues(c, "crew", append(kinds, server.CrewNone)...)
	completeValues(c, "log-level", "debug", "info", "warn", "error")
	completeValues(c, "log-format", "text", "json")
}

// settingsOf loads the settings of a command line that is still being typed.
func settingsOf(cmd *cobra.Command) (*settings, error) {
	s := newSettings()
	s.flags = cmd.Flags()
	if err := s.loadEnvironment(); err != nil {
		return nil, err
	}
	s.data, s.tokenFile = typedValue(cmd, "data"), typedValue(cmd, "token-file")
	if err := s.defaultData(); err != nil {
		return nil, err
	}
	s.defaultToken()
	return s, nil
}

func typedValue(cmd *cobra.Command, name string) string {
	if f := cmd.Flags().Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// completeState returns completions from the office's state, or none if the office does not answer.
func completeState(cmd *cobra.Command, rows func(*contracts.Snapshot) []string) []string {
	s, err := settingsOf(cmd)
	if err != nil {
		return nil
	}
	c, err := newClient(s, typedValue(cmd, "url"))
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionTimeout)
	defer cancel()
	var state contracts.Snapshot
	if err := c.get(ctx, "/v1/state", &state); err != nil {
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

func studioWords(s *contracts.Snapshot) []string {
	words := []string{houseName}
	for _, r := range s.Rooms {
		words = append(words, r.RoomID+"\t"+printable(r.Label))
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

// answerableWords lists open questions, and plans that are waiting for approval.
func answerableWords(s *contracts.Snapshot) []string {
	words := decisionWords(s)
	for _, n := range needsOf(s) {
		if n.Kind == model.NeedPlan {
			words = append(words, n.ID+"\t"+printable(n.Title))
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

// deliverableWords lists all deliverables, in any status.
func deliverableWords(s *contracts.Snapshot) (words []string) {
	for _, a := range s.Artifacts {
		words = append(words, a.ArtifactID+"\t"+printable(a.Title))
	}
	return words
}

func taskWords(s *contracts.Snapshot) (words []string) {
	for _, t := range s.Tasks {
		words = append(words, t.TaskID+"\t"+printable(t.Title))
	}
	return words
}

// completeChoice completes the id of a question or of a waiting plan, and then one of its options.
func completeChoice(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return completeFirst(answerableWords)(cmd, args, typed)
	}
	return completeState(cmd, func(s *contracts.Snapshot) []string {
		for _, n := range needsOf(s) {
			if n.ID == args[0] {
				return n.Options
			}
		}
		return nil
	}), cobra.ShellCompDirectiveNoFileComp
}

// completeTokens completes token ids from the store that the token commands use: the data
// directory, or the NATS cluster of a shared office.
func completeTokens(s *settings) completer {
	return func(cmd *cobra.Command, args []string, _ string) (words []string, _ cobra.ShellCompDirective) {
		if len(args) > 0 || s.load() != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTimeout)
		defer cancel()
		store, closeStore, err := openTokens(ctx, s)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer closeStore()
		tokens, _ := store.List()
		for _, t := range tokens {
			words = append(words, t.ID+"\t"+strings.TrimSpace(string(t.Role)+" "+printable(t.Name)))
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
}
