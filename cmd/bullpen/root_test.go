package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// everyCommand calls fn for each command that does something, by its words.
func everyCommand(c *cobra.Command, fn func(path string, c *cobra.Command)) {
	for _, below := range c.Commands() {
		_, path, _ := strings.Cut(below.CommandPath(), " ")
		if !below.Hidden && below.Runnable() && !below.HasSubCommands() {
			fn(path, below)
		}
		if !below.Hidden {
			everyCommand(below, fn)
		}
	}
}

// Every command prints JSON, or `bullpen help json` says that it does not; every
// command has an example that names it, and no example is without its command.
func TestCommandsAreAlike(t *testing.T) {
	root := newRoot()
	root.InitDefaultHelpCmd()
	left := maps.Clone(examples)
	everyCommand(root, func(path string, c *cobra.Command) {
		has := c.Flags().Lookup("json") != nil
		first, _, _ := strings.Cut(path, " ")
		if said := slices.Contains(withoutJSON, path) || slices.Contains(withoutJSON, first); has == said {
			t.Errorf("`bullpen %s`: --json is there: %v; `bullpen help json` says that it is not: %v", path, has, said)
		}
		if path != "help" && !strings.Contains(c.Example, "bullpen "+first) {
			t.Errorf("`bullpen %s` has no example", path)
		}
		delete(left, path)
	})
	for path := range left {
		t.Errorf("there is an example of `bullpen %s`, but no such command", path)
	}
}
