package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/all"
)

// allHooks is the argument that selects all agents with hooks.
const allHooks = "all"

// hooksResult is the result for one agent in `bullpen hooks … all --json`.
type hooksResult struct {
	Agent    string   `json:"agent"`
	Found    bool     `json:"found"` // the agent's program is on this machine
	Report   any      `json:"report,omitzero"`
	Problems []string `json:"problems,omitzero"`
	Error    string   `json:"error,omitzero"`

	line string
}

// hooksOfAll calls do for each agent with hooks and prints one line for each. The subcommand
// install skips agents that are not on this machine. If do fails for one agent, the others are
// still handled.
func hooksOfAll(cmd *cobra.Command, h agents.HookConfig, use string, asJSON bool, do func(agents.Hooks, context.Context, agents.HookConfig) (agents.HookReport, error)) error {
	var results []hooksResult
	var failed []string
	problems := false
	for _, a := range agents.WithHooks(all.Adapters) {
		r := hooksResult{Agent: a.Source.Source, Found: a.Hooks.Found(), line: "not on this machine"}
		if r.Found || use != "install" {
			h.Program = typedValue(cmd, a.Source.Source)
			r.run(cmd.Context(), a, h, do)
		}
		if r.Error != "" {
			failed = append(failed, r.Agent)
		}
		problems = problems || len(r.Problems) > 0
		results = append(results, r)
		if !asJSON {
			fmt.Fprintln(cmd.OutOrStdout(), printable(a.Label+": "+r.line))
		}
	}
	if asJSON {
		if err := printJSON(cmd.OutOrStdout(), map[string]any{"agents": results}); err != nil {
			return err
		}
	}
	switch {
	case len(failed) > 0:
		return fmt.Errorf("hooks %[1]s failed for %[2]s: run `bullpen hooks %[1]s %[3]s` for details", use, strings.Join(failed, ", "), failed[0])
	case problems:
		return &exitError{code: exitProblems}
	}
	return nil
}

// run calls do for one agent and stores the result.
func (r *hooksResult) run(ctx context.Context, a agents.Adapter, h agents.HookConfig, do func(agents.Hooks, context.Context, agents.HookConfig) (agents.HookReport, error)) {
	report, err := do(a.Hooks, ctx, h)
	r.Report, r.Problems = report.JSON, report.Problems
	switch {
	case err != nil:
		r.Error = message(err)
		r.line = "failed: " + r.Error
	case len(r.Problems) > 0:
		r.line = strings.Join(r.Problems, "; ")
	case len(report.Lines) > 0:
		r.line = strings.Join(strings.Fields(report.Lines[0]), " ")
	}
}
