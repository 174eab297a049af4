package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/agents"
)

func newDoctorCommand() *cobra.Command {
	s := newSettings()
	var asJSON, probe bool
	c := &cobra.Command{Use: "doctor", Short: "Check this machine and the office for problems", Args: noArgs}
	s.register(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "machine-readable output")
	c.Flags().BoolVar(&probe, "probe", false, "also ask the endpoints of models which models they have")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		findings := examine(cmd.Context(), s, probe)
		if asJSON {
			if err := printJSON(cmd.OutOrStdout(), findings); err != nil {
				return err
			}
		}
		problems := 0
		for _, f := range findings {
			mark := "ok   "
			if !f.OK {
				mark = "WRONG"
				problems++
			}
			if asJSON {
				continue
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s %-8s %s\n", mark, f.Check, f.Saw)
			if f.Do != "" {
				fmt.Fprintf(cmd.OutOrStdout(), "               %s\n", f.Do)
			}
		}
		if problems > 0 {
			return &exitError{code: exitProblems, err: fmt.Errorf("%d problem(s) found", problems)}
		}
		return nil
	}
	return c
}

// examine makes every check that the ones before it allow.
func examine(ctx context.Context, s *settings, probe bool) []agents.Finding {
	v := currentVersion()
	findings := []agents.Finding{agents.Fine("version", "%s, %s, %s, protocol %d", v.Version, v.Go, v.Platform, v.Protocol)}
	if err := s.load(); err != nil {
		return append(findings, agents.Wrong("config", "correct it; `bullpen config example` shows every key", "%v", err))
	}
	findings = append(findings, agents.Fine("config", "right"), examineScene(s), examineData(s))
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
