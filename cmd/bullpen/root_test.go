package main

import (
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// everyCommand calls fn for each command, with its path. It skips the commands in formerNames.
func everyCommand(c *cobra.Command, fn func(path string, c *cobra.Command)) {
	for _, below := range c.Commands() {
		if !slices.Contains(formerNames, pathBelowRoot(below)) {
			fn(pathBelowRoot(below), below)
			everyCommand(below, fn)
		}
	}
}

// formerNames are the earlier names of commands.
var formerNames = []string{"channel"}

// Every command prints JSON, or `bullpen help json` lists it as an exception; every example belongs
// to a command.
func TestEveryCommandPrintsJSON(t *testing.T) {
	root := newRoot()
	left := maps.Clone(examples)
	everyCommand(root, func(path string, c *cobra.Command) {
		delete(left, path)
		if !c.Runnable() || c.HasSubCommands() || c.Parent().Hidden {
			return
		}
		has := c.Flags().Lookup("json") != nil
		first, _, _ := strings.Cut(path, " ")
		if listed := slices.Contains(withoutJSON, path) || slices.Contains(withoutJSON, first); has == listed {
			t.Errorf("`bullpen %s`: has --json: %v; listed in `bullpen help json` as without: %v", path, has, listed)
		}
	})
	for path := range left {
		t.Errorf("an example for `bullpen %s`, which does not exist", path)
	}
}

// imperatives are the verbs that the help of a command may start with.
var imperatives = strings.Fields(`Accept Add Answer Approve Ask Assign Cancel Check Connect Copy Create Describe Erase Explain Export
	Forward Generate Hand Install Kill Land List Manage Open Print Read Remove Report Request Restore Revoke Run Save Send Serve Show Start Stop Submit
	Validate Verify Write`)

// The help of every command starts with an imperative verb, does not end with a period, and has
// examples whose commands, flags and arguments exist.
func TestHelpOfEveryCommand(t *testing.T) {
	root := newRoot()
	everyCommand(root, func(path string, c *cobra.Command) {
		if !imperative(c.Short) || strings.HasSuffix(c.Short, ".") || len(c.Short) > 80 {
			t.Errorf("`bullpen %s`: %q does not start with an imperative verb, has a final period, or is longer than 80 characters", path, c.Short)
		}
		if !c.Runnable() {
			return // a help topic
		}
		if c.Long != "" && !imperative(c.Long) {
			t.Errorf("`bullpen %s`: the long help does not start with an imperative verb: %.40q", path, c.Long)
		}
		if !strings.Contains(c.Example, "bullpen "+path) {
			t.Errorf("`bullpen %s` has no example: %q", path, c.Example)
		}
		for line := range strings.Lines(c.Example) {
			if !strings.HasPrefix(line, "  ") {
				t.Errorf("`bullpen %s`: the example %q is not indented", path, line)
			}
		}
		for line := range strings.Lines(c.Long) {
			if len(strings.TrimSuffix(line, "\n")) > helpWidth {
				t.Errorf("`bullpen %s`: the line %q is too long", path, line)
			}
		}
		checkExamples(t, path, c.Example)
	})
	checkExamples(t, "", root.Example)
	if !imperative(root.Long) {
		t.Errorf("the help of bullpen does not start with an imperative verb: %.40q", root.Long)
	}
}

func imperative(text string) bool {
	return slices.Contains(imperatives, strings.TrimSuffix(strings.Fields(text)[0], ","))
}

// checkExamples parses each bullpen command line in the examples of a command.
func checkExamples(t *testing.T, path, examples string) {
	t.Helper()
	for line := range strings.Lines(examples) {
		for _, words := range calls(line) {
			root := newRoot()
			root.SetOut(io.Discard)
			c, rest, err := root.Find(words)
			if err == nil {
				err = c.ParseFlags(rest)
			}
			if err == nil {
				err = c.ValidateArgs(c.Flags().Args())
			}
			if err != nil {
				t.Errorf("the example of `bullpen %s`, %q: %v", path, strings.TrimSpace(line), err)
			}
		}
	}
}

var shellWord = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'[^']*'|[|;<>()]+|[^\s|;<>()"']+`)

// calls returns the arguments of each bullpen call in a line of shell.
func calls(line string) (list [][]string) {
	within, starts := false, true // inside the arguments of a call; at the start of a command
	var scan func(text string)
	scan = func(text string) {
		for _, word := range shellWord.FindAllString(text, -1) {
			bare := strings.Trim(word, `"'`)
			switch {
			case strings.HasPrefix(word, `"$(`):
				starts = true
				scan(bare)
				within = false
			case bare == "bullpen" && starts:
				list, within = append(list, nil), true
			case strings.ContainsAny(word[:1], "|;<>()"):
				within, starts = false, true
				continue
			case within:
				list[len(list)-1] = append(list[len(list)-1], bare)
			}
			starts = bare == "--" && !within || bare == "then"
		}
	}
	scan(line)
	return list
}
