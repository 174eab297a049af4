package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/policy"
	"github.com/bullpen-office/bullpen/policy/repofile"
	"github.com/bullpen-office/bullpen/repo/root"
)

func newPolicyCommand() *cobra.Command {
	return groupCommand("policy", "Show and test the rules for permission requests", newPolicyListCommand(), newPolicyTestCommand())
}

// policySource finds the rules that apply in a directory: from the configuration file and from the
// repository.
type policySource struct {
	settings *settings
	place    string
	asJSON   bool
}

func (p *policySource) register(c *cobra.Command, place string) {
	p.settings = newSettings()
	p.settings.registerDirectory(c.Flags())
	c.Flags().StringVar(&p.place, "place", "", place)
	c.Flags().BoolVar(&p.asJSON, "json", false, "machine-readable output")
	onlyTyped(c.Flags(), "place", "json")
}

// load returns the policy, and why the rules of the repository cannot be read.
func (p *policySource) load() (rules policy.Policy, problem string, err error) {
	if err := p.settings.load(); err != nil {
		return policy.Policy{}, "", err
	}
	if err := policy.Check(p.settings.staff.Policy); err != nil {
		return policy.Policy{}, "", usageError("%s: policy: %w", p.settings.file, err)
	}
	rules = policy.New(p.settings.staff.Policy)
	if p.place == "" {
		return rules, "", nil
	}
	if p.place, err = filepath.Abs(p.place); err != nil {
		return policy.Policy{}, "", usageError("--place: %w", err)
	}
	if repo := new(repofile.Reader).Rules(p.place); repo != nil {
		return rules.WithRepository(repo.Rules), repo.Problem, nil
	}
	return rules, "", nil
}

func newPolicyListCommand() *cobra.Command {
	var p policySource
	c := &cobra.Command{Use: "list", Short: "List the rules, built-in ones first", Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		rules, problem, err := p.load()
		if err != nil {
			return err
		}
		if problem != "" {
			fmt.Fprintln(cmd.ErrOrStderr(), "bullpen: "+problem)
		}
		if p.asJSON {
			return printJSON(cmd.OutOrStdout(), map[string]any{"rules": rules.Rules(), "problem": problem})
		}
		for _, r := range rules.Rules() {
			printRule(cmd.OutOrStdout(), r)
		}
		return nil
	}}
	p.register(c, "also list the rules of the repository that this directory is in")
	return c
}

// printRule prints a rule in a line for its effect and one for each selector.
func printRule(w io.Writer, r policy.Sourced) {
	fmt.Fprintf(w, "%-5s  %s  (%s)", r.Effect, printable(r.RuleID), r.Origin)
	if r.Reason != "" {
		fmt.Fprint(w, "  "+printable(r.Reason))
	}
	fmt.Fprintln(w)
	for _, s := range []struct {
		name     string
		patterns []string
	}{{"tool", r.Tool}, {"command", r.Command}, {"path", r.Path}, {"host", r.Host}, {"agent", r.Agent}, {"repo", r.Repo}} {
		if len(s.patterns) > 0 {
			fmt.Fprintf(w, "       %s: %s\n", s.name, printable(strings.Join(s.patterns, ", ")))
		}
	}
}

// policyTested is the JSON output of `bullpen policy test`.
type policyTested struct {
	policy.Outcome
	RuleID string `json:"rule_id,omitzero"`
}

func newPolicyTestCommand() *cobra.Command {
	var p policySource
	var tool, command, path, url, agent string
	c := &cobra.Command{
		Use: "test", Short: "Explain which rule decides about a tool call",
		Long: "Explain which rule decides about a tool call. Nothing is run, and no office is needed: the rules are those of the configuration file and of the repository.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p.place = cmp.Or(p.place, ".")
			rules, problem, err := p.load()
			if err != nil {
				return err
			}
			args := map[string]string{}
			for name, value := range map[string]string{"command": command, "path": path, "url": url} {
				if value != "" {
					args[name] = value
				}
			}
			home, _ := os.UserHomeDir()
			call := hud.Canonical(hud.Call{Tool: tool, Args: hud.Value(args)})
			q := policy.Request{Tool: call.Tool, Args: call.Args, AgentID: agent, Dir: p.place, Home: home, AskOnly: problem}
			if repository, ok := root.Of(p.place, home); ok {
				q.Repo = repository
			}
			outcome := rules.Evaluate(q)
			if p.asJSON {
				return printJSON(cmd.OutOrStdout(), policyTested{outcome, outcome.RuleID()})
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", outcome.Effect, printable(outcome.Reason))
			return err
		},
	}
	p.register(c, "directory that the call would run in (default: the current one)")
	f := c.Flags()
	f.StringVar(&tool, "tool", "exec", "name of the tool: "+strings.Join([]string{"exec", "read", "write", "edit", "web_fetch"}, ", ")+" or a vendor's name")
	f.StringVar(&command, "command", "", "shell line that the tool would run")
	f.StringVar(&path, "path", "", "file that the tool would read or change")
	f.StringVar(&url, "fetch", "", "address that the tool would fetch")
	f.StringVar(&agent, "agent", "", "id of the agent that asks")
	onlyTyped(f, "tool", "command", "path", "fetch", "agent")
	return c
}
