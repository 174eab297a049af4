package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// noArgs, exactArgs and betweenArgs give usage errors their exit code.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && cmd.HasSubCommands() {
		return unknownCommand(cmd, args[0])
	}
	if len(args) > 0 {
		return usageError("unknown argument %q for `%s`; see `%s --help`", args[0], cmd.CommandPath(), cmd.CommandPath())
	}
	return nil
}

func exactArgs(what ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != len(what) {
			return usageError("`%s` takes %d argument(s) %v, not %d", cmd.CommandPath(), len(what), what, len(args))
		}
		return nil
	}
}

func betweenArgs(least, most int, what ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usageError("`%s` takes %d to %d arguments (%s), not %d; put quotes around a text", cmd.CommandPath(), least, most, strings.Join(what, ", "), len(args))
		}
		return nil
	}
}

// unknownCommand names what was probably meant.
func unknownCommand(cmd *cobra.Command, word string) error {
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(word); len(near) > 0 {
		return usageError("unknown command %q for `%s`; did you mean `%s`?", word, cmd.CommandPath(), cmd.CommandPath()+" "+strings.Join(near, "` or `"+cmd.CommandPath()+" "))
	}
	return usageError("unknown command %q for `%s`; see `%s --help`", word, cmd.CommandPath(), cmd.CommandPath())
}
