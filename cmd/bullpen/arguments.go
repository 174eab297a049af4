package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/suggest"
)

// noArgs rejects any argument. Like exactArgs and betweenArgs, it returns usage errors.
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
			return usageError("`%s` expects %s, got %s; see `%s --help`", cmd.CommandPath(), strings.Join(what, " "), model.Counted(len(args), "argument", "arguments"), cmd.CommandPath())
		}
		return nil
	}
}

func betweenArgs(least, most int, what ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			hint := "see `" + cmd.CommandPath() + " --help`"
			if len(args) > most {
				hint = "quote text that contains spaces"
			}
			return usageError("`%s` expects %s (%d to %d arguments), got %d; %s", cmd.CommandPath(), strings.Join(what, " "), least, most, len(args), hint)
		}
		return nil
	}
}

// unknownFlag returns a usage error; for an unknown flag it suggests similar names.
func unknownFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		if near := suggest.Nearest(unknown.GetSpecifiedName(), known); len(near) > 0 {
			return usageError("%w; did you mean --%s?", err, strings.Join(near, " or --"))
		}
	}
	return usageError("%w; see `%s --help`", err, cmd.CommandPath())
}

// unknownCommand returns a usage error that suggests commands with a similar name.
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
