package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/all"
)

// allHooks is the argument that selects all agents with hooks.
const allHooks = "all"

// hooksResult is the result for one agent in the JSON output of `bullpen hooks`.
type hooksResult struct {
	Agent  string         `json:"agent"`
	Found  bool           `json:"found"`  // the agent's program is on this machine
	Report jsontext.Value `json:",embed"` // members of the vendor's report
	Error  string         `json:"error,omitzero"`

	line string
}

func printHooksJSON(cmd *cobra.Command, results ...hooksResult) error {
	return printJSON(cmd.OutOrStdout(), map[string]any{"hooks": results})
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
			report, err := r.run(cmd.Context(), a, h, do)
			if err != nil {
				failed = append(failed, r.Agent)
			}
			problems = problems || len(report.Problems) > 0
		}
		results = append(results, r)
		if !asJSON {
			fmt.Fprintln(cmd.OutOrStdout(), printable(a.Label+": "+r.line))
		}
	}
	if asJSON {
		if err := printHooksJSON(cmd, results...); err != nil {
			return err
		}
	}
	switch {
	case len(failed) > 0:
		return fmt.Errorf("hooks %s failed for %s: run `%s` for details", use, strings.Join(failed, ", "), h.Command(use, failed[0]))
	case problems:
		return &exitError{code: exitProblems}
	}
	return nil
}

// run calls do for one agent, stores the result, and returns the report.
func (r *hooksResult) run(ctx context.Context, a agents.Adapter, h agents.HookConfig, do func(agents.Hooks, context.Context, agents.HookConfig) (agents.HookReport, error)) (agents.HookReport, error) {
	report, err := do(a.Hooks, ctx, h)
	if err == nil && report.JSON != nil {
		r.Report, err = json.Marshal(report.JSON, json.Deterministic(true))
	}
	switch {
	case err != nil:
		r.Error = message(err)
		r.line = "failed: " + r.Error
	case len(report.Problems) > 0:
		r.line = strings.Join(report.Problems, "; ")
	case len(report.Lines) > 0:
		r.line = strings.Join(strings.Fields(report.Lines[0]), " ")
	}
	return report, err
}
