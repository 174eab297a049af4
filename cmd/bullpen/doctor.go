package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/agents"
)

func newDoctorCommand() *cobra.Command {
	s := newSettings()
	var asJSON, probe bool
	c := &cobra.Command{Use: "doctor", Short: "Check this machine and the office for problems", Args: noArgs}
	s.register(c.Flags())
	_ = c.Flags().MarkHidden("no-open") // it has no effect here, but the configuration file may set it
	c.Flags().BoolVar(&asJSON, "json", false, "machine-readable output")
	c.Flags().BoolVar(&probe, "probe", false, "also query model endpoints for their models")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		checks := []checkEntry{}
		problems := 0
		for _, f := range examine(cmd.Context(), s, probe) {
			e := checkEntry{Finding: f, Status: "ok"}
			if !f.OK {
				e.Status = "problem"
				problems++
			}
			checks = append(checks, e)
		}
		if err := printChecks(cmd.OutOrStdout(), checks, asJSON); err != nil {
			return err
		}
		if problems > 0 {
			return &exitError{code: exitProblems, err: fmt.Errorf("%s found", problemCount(problems))}
		}
		return nil
	}
	return c
}

// checkEntry is a check in the output of `bullpen doctor`.
type checkEntry struct {
	agents.Finding
	Status string `json:"status"` // ok or problem
}

func printChecks(w io.Writer, checks []checkEntry, asJSON bool) error {
	if asJSON {
		return printJSON(w, map[string]any{"checks": checks})
	}
	for _, c := range checks {
		fmt.Fprintf(w, "%-7s %-8s %s\n", c.Status, c.Check, c.Saw)
		if c.Do != "" {
			fmt.Fprintf(w, "%17s%s\n", "", c.Do)
		}
	}
	return nil
}

// examine runs the checks and returns their findings. After a failed check, later checks may be
// skipped.
func examine(ctx context.Context, s *settings, probe bool) []agents.Finding {
	v := currentVersion()
	findings := []agents.Finding{agents.OK("version", "%s, %s, %s, protocol %d", v.Version, v.Go, v.Platform, v.Protocol)}
	if err := s.load(); err != nil {
		return append(findings, agents.Problem("config", "fix the configuration; `bullpen config example` shows every key", "%s", message(err)))
	}
	findings = append(findings, agents.OK("config", "valid"), examineScene(s), examineData(s))
	findings = append(findings, examineVendors(ctx, s)...)
	findings = append(findings, examineStaff(ctx, s, probe)...)
	findings = append(findings, examineHooks(ctx, s)...)
	if _, err := os.Stat(s.data); err != nil {
		return append(findings, examinePort(s))
	}
	findings = append(findings, examineTokens(s)...)
	if running, found := examineRunning(ctx, s); running {
		return append(findings, found)
	}
	return append(append(findings, examinePort(s)), examineLedger(ctx, s)...)
}

// problemCount returns n with its noun, for example "1 problem" or "3 problems".
func problemCount(n int) string {
	if n == 1 {
		return "1 problem"
	}
	return fmt.Sprintf("%d problems", n)
}
