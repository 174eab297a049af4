package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/suggest"
)

// noArgs rejects arguments. Like exactArgs and betweenArgs it returns usage errors.
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
			return usageError("`%s` takes %s, got %s; see `%s --help`", cmd.CommandPath(), strings.Join(what, " "), model.Counted(len(args), "argument", "arguments"), cmd.CommandPath())
		}
		return nil
	}
}

func betweenArgs(least, most int, what ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usageError("`%s` takes %d to %d arguments (%s), got %d; quote a text that contains spaces", cmd.CommandPath(), least, most, strings.Join(what, ", "), len(args))
		}
		return nil
	}
}

// unknownCommand suggests commands with a similar name.
func unknownCommand(cmd *cobra.Command, word string) error {
	var known []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			known = append(known, c.Name())
		}
	}
	if near := suggest.Nearest(word, known); len(near) > 0 {
		return usageError("unknown command %q for `%s`; did you mean `%s`?", word, cmd.CommandPath(), cmd.CommandPath()+" "+strings.Join(near, "` or `"+cmd.CommandPath()+" "))
	}
	return usageError("unknown command %q for `%s`; see `%s --help`", word, cmd.CommandPath(), cmd.CommandPath())
}
