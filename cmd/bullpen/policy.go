package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/policy"
	"github.com/bullpen-office/bullpen/repo/repofile"
	"github.com/bullpen-office/bullpen/repo/root"
	"github.com/bullpen-office/bullpen/suggest"
)

func newPolicyCommand() *cobra.Command {
	return groupCommand("policy", "Show and test the rules for permission requests", newPolicyListCommand(), newPolicyTestCommand(), newPolicyRevokeCommand())
}

// policySource collects the rules that apply in a directory. They come from the configuration file,
// the repository and, if the office is running, its inbox.
type policySource struct {
	settings *settings
	place    string
	asJSON   bool

	rules   policy.Policy
	ignored []contracts.Rule // the repository's allow rules
	problem string           // why the repository's rules cannot be read
	missing bool             // the directory is not on this machine
	offline bool             // the office is not running
}

func (p *policySource) register(c *cobra.Command, place string) {
	p.settings = newSettings()
	p.settings.registerDirectory(c.Flags())
	c.Flags().StringVar(&p.place, "place", "", place)
	c.Flags().BoolVar(&p.asJSON, "json", false, "machine-readable output")
	onlyTyped(c.Flags(), "place", "json")
}

func (p *policySource) load(ctx context.Context) error {
	if err := p.settings.load(); err != nil {
		return err
	}
	if err := policy.Check(p.settings.staff.Policy); err != nil {
		return usageError("%s: policy: %w", p.settings.file, err)
	}
	p.rules = policy.New(p.settings.staff.Policy)
	if err := p.loadAdded(ctx); err != nil || p.place == "" {
		return err
	}
	place, err := filepath.Abs(p.place)
	if err != nil {
		return usageError("--place: %w", err)
	}
	p.place = place
	info, err := os.Stat(p.place)
	p.missing = err != nil || !info.IsDir()
	if repo := new(repofile.Reader).Rules(p.place); repo != nil {
		p.rules, p.problem = p.rules.WithRepository(repo.Rules), repo.Problem
		p.ignored = slices.DeleteFunc(slices.Clone(repo.Rules), func(r contracts.Rule) bool { return r.Effect != contracts.EffectAllow })
	}
	return nil
}

// loadAdded adds the rules that people added in the office's inbox, if the office is running.
func (p *policySource) loadAdded(ctx context.Context) error {
	var state contracts.Snapshot
	office, err := newClient(p.settings, "")
	if err == nil {
		err = office.get(ctx, "/v1/state", &state)
	}
	if p.offline = hasCode(err, exitNotRunning); p.offline {
		return nil
	}
	p.rules = p.rules.WithAdded(state.Rules)
	return err
}

// noteMissing prints a note if the directory is not on this machine. This is not an error: the
// agents of an outpost work in such directories, and rules from the inbox apply there.
func (p *policySource) noteMissing(w io.Writer) {
	if p.missing {
		printNote(w, p.asJSON, "there is no directory %q on this machine, so the rules of its repository are not included", p.place)
	}
}

func newPolicyListCommand() *cobra.Command {
	var p policySource
	c := &cobra.Command{Use: "list", Short: "List the rules, built-in ones first", Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		if err := p.load(cmd.Context()); err != nil {
			return err
		}
		p.noteMissing(cmd.ErrOrStderr())
		if p.problem != "" {
			printNote(cmd.ErrOrStderr(), p.asJSON, "%s", p.problem)
		}
		if p.asJSON {
			return printJSON(cmd.OutOrStdout(), map[string]any{"rules": p.rules.Rules(), "ignored": p.ignored, "problem": p.problem, "inbox": !p.offline})
		}
		for _, r := range p.rules.Rules() {
			printRule(cmd.OutOrStdout(), r, string(r.Origin))
		}
		for _, r := range p.ignored {
			printRule(cmd.OutOrStdout(), policy.Sourced{Rule: r}, string(policy.FromRepository)+", ignored: a repository can only tighten the policy")
		}
		if p.offline {
			printNote(cmd.ErrOrStderr(), p.asJSON, "the office is not running, so rules from its inbox (\"Always allow\" answers) are not listed")
		}
		return nil
	}}
	p.register(c, "also list the rules of the repository that this directory is in")
	return c
}

func newPolicyRevokeCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "revoke RULE", Short: "Revoke a rule that \"Always allow\" added",
		Long:    "Revoke a rule that the answer \"Always allow\" added to the policy; `bullpen policy list` shows such rules. The agent's own program may still remember the answer.",
		Example: "  bullpen policy list\n  bullpen policy revoke always.dec_d12",
		Args:    exactArgs("RULE"), ValidArgsFunction: completeFirst(ruleWords),
	}
	return newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		return v.sendAndPrint(ctx, contracts.RevokeRule{RuleID: args[0]}, "revoked "+printable(args[0]))
	})
}

func ruleWords(s *contracts.Snapshot) (words []string) {
	for _, r := range s.Rules {
		words = append(words, r.Rule.RuleID+"\t"+printable(policy.Describe(r.Rule)))
	}
	return words
}

// printRule prints one line for the effect of a rule and one line for each selector.
func printRule(w io.Writer, r policy.Sourced, origin string) {
	fmt.Fprintf(w, "%-5s  %s  (%s)", r.Effect, printable(r.RuleID), origin)
	if r.At != 0 {
		fmt.Fprintf(w, "  added by %s at %s", printable(r.By), time.UnixMilli(r.At).Format(time.RFC3339))
	}
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

// testedArgs maps tools to the only argument that `bullpen policy test` accepts for them, if any.
// Other tools accept any arguments.
var testedArgs = map[string]string{"exec": "command", "read": "path", "write": "path", "edit": "path", "append": "path", "web_fetch": "url", "web_search": ""}

// argFlags maps tool arguments to the flags that set them.
var argFlags = map[string]string{"command": "--command", "path": "--path", "url": "--fetch"}

// testedTool returns the tool to test. If tool is empty, the arguments determine it. If the
// arguments do not match the tool, testedTool returns a usage error.
func testedTool(tool string, args map[string]string) (string, error) {
	if tool == "" {
		switch {
		case args["command"] != "":
			tool = "exec"
		case args["url"] != "":
			tool = "web_fetch"
		case args["path"] != "":
			return "", usageError("--path needs --tool read, write, edit or append")
		default:
			return "", usageError("specify --command, --path or --fetch")
		}
	}
	want, known := testedArgs[hud.CanonicalTool(tool)]
	if !known {
		if near := suggest.Nearest(tool, slices.Sorted(maps.Keys(testedArgs))); len(near) > 0 {
			return "", usageError("unknown --tool %q; did you mean %s?", tool, strings.Join(near, " or "))
		}
		return tool, nil
	}
	if want != "" && args[want] == "" {
		return "", usageError("the tool %s needs %s", tool, argFlags[want])
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if name != want {
			return "", usageError("the tool %s cannot be combined with %s", tool, argFlags[name])
		}
	}
	return tool, nil
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
		Use: "test", Short: "Explain which rule decides a tool call",
		Long: "Explain which rule decides a tool call. Nothing is run. The rules come from the configuration file, from the repository and, if the office is running, from its inbox (\"Always allow\" answers).",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p.place = cmp.Or(p.place, ".")
			args := map[string]string{}
			for name, value := range map[string]string{"command": command, "path": path, "url": url} {
				if value != "" {
					args[name] = value
				}
			}
			tool, err := testedTool(tool, args)
			if err != nil {
				return err
			}
			if err := p.load(cmd.Context()); err != nil {
				return err
			}
			if agent, err = findAgent(cmd.Context(), p.settings, agent); err != nil {
				return err
			}
			p.noteMissing(cmd.ErrOrStderr())
			home, _ := os.UserHomeDir()
			call := hud.Canonical(hud.Call{Tool: tool, Args: hud.Value(args)})
			q := policy.Request{Tool: call.Tool, Args: call.Args, AgentID: agent, Dir: p.place, Home: home, AskReason: p.problem}
			if repository, ok := root.Of(p.place, home); ok {
				q.Repo = repository
			}
			outcome := p.rules.Evaluate(q)
			if p.asJSON {
				return printJSON(cmd.OutOrStdout(), policyTested{outcome, outcome.RuleID()})
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", outcome.Effect, printable(outcome.Reason))
			return err
		},
	}
	p.register(c, "directory that the call would run in (default: the current one)")
	f := c.Flags()
	f.StringVar(&tool, "tool", "", "name of the tool: exec (default with --command), web_fetch (default with --fetch), read, write, edit, append, web_search or a vendor's name")
	f.StringVar(&command, "command", "", "shell command that the tool would run")
	f.StringVar(&path, "path", "", "file that the tool would read or change; needs --tool")
	f.StringVar(&url, "fetch", "", "address that the tool would fetch")
	f.StringVar(&agent, "agent", "", "agent that makes the call, by id or name")
	completeAgents(c, "agent")
	onlyTyped(f, "tool", "command", "path", "fetch", "agent")
	return c
}
