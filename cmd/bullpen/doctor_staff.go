package main

import (
	"context"
	"maps"
	"os"
	"slices"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/all"
	"github.com/bullpen-office/bullpen/agents/directory"
	"github.com/bullpen-office/bullpen/gate"
)

// examineStaff runs the vendor checks of every runner that is configured or used, and checks budgets
// and bridge roots. It makes network requests only if probe is set, because they may be billed.
func examineStaff(ctx context.Context, s *settings, probe bool) []agents.Finding {
	names := slices.Sorted(maps.Keys(s.staff.Runners))
	for _, name := range append(s.staff.Used(), s.staff.Bridge.Runner) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	found := examineRunners(ctx, s, probe, names)
	for _, p := range s.staff.Unenforced() {
		found = append(found, agents.Problem("budget", "configure a price, or use a token budget", "%v", s.withLine(p)))
	}
	for _, p := range s.broadRoots() {
		found = append(found, agents.Problem("roots", "list only project directories in bridge.roots", "%v", s.withLine(p)))
	}
	return found
}

// examineRunners runs the vendor checks of the named runners.
func examineRunners(ctx context.Context, s *settings, probe bool, names []string) (found []agents.Finding) {
	for _, name := range names {
		r, _ := s.staff.Runner(name)
		for _, a := range all.Adapters {
			if a.Kind() == r.Kind && a.Check != nil {
				_, withheld := directory.Inherited(s.staff, r, os.Environ())
				found = append(found, a.Check(ctx, agents.CheckConfig{Name: name, Runner: r, Probe: probe, Withheld: withheld, Getenv: os.Getenv, ReadFile: gate.ReadFile})...)
			}
		}
	}
	return found
}
