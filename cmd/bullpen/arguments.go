package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/bullpen-office/bullpen/strictyaml"
	"github.com/bullpen-office/bullpen/suggest"
)

// noArgs rejects any argument. Like exactArgs and betweenArgs, it returns usage errors.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && cmd.HasSubCommands() {
		return unknownCommand(cmd, args[0])
	}
	return betweenArgs(0, 0)(cmd, args)
}

func exactArgs(what ...string) cobra.PositionalArgs {
	return betweenArgs(len(what), len(what), what...)
}

// betweenArgs returns a validator that accepts least to most arguments; what contains their names.
func betweenArgs(least, most int, what ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			missing := strings.Join(what[len(args):least], " and ")
			return usageError("missing %s: use `%s %s`", missing, cmd.Parent().CommandPath(), cmd.Use)
		case len(args) <= most:
			return nil
		case len(nearCommands(cmd, args[0])) > 0:
			return unknownCommand(cmd, args[0])
		case most > 0 && slices.Contains(textArgs, what[len(what)-1]):
			words := append(slices.Clone(args[:most-1]), strconv.Quote(strings.Join(args[most-1:], " ")))
			return usageError("too many arguments; quote the text: `%s %s`", cmd.CommandPath(), printable(strings.Join(words, " ")))
		}
		return usageError("unknown argument %q for `%s`; see `%[2]s --help`", args[most], cmd.CommandPath())
	}
}

// textArgs are the arguments that usually contain spaces.
var textArgs = []string{"TEXT", "QUESTION", "INSTRUCTIONS", "PAYLOAD"}

// flagsNeed returns a usage error if one of the flags is set, but given is false: the command line
// lacks what the flags need.
func flagsNeed(cmd *cobra.Command, needed string, given bool, flags ...string) error {
	for _, name := range flags {
		if !given && cmd.Flags().Changed(name) {
			return usageError("--%s needs %s", name, needed)
		}
	}
	return nil
}

// flagError returns a usage error; for an unknown flag it suggests similar names.
func flagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		err = invalidValue("--"+invalid.GetFlag().Name, invalid.GetFlag(), invalid.GetValue(), invalid.Unwrap())
	}
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

// flagWords describes the valid values of each flag type.
var flagWords = map[string]string{
	"bool": strictyaml.Switch, "int": strictyaml.WholeNumber, "uint64": strictyaml.WholeNumber + " of 0 or more",
	"float64": strictyaml.Number, "duration": strictyaml.Duration,
}

// invalidValue returns the error for a flag's value that cannot be parsed. name is where the value
// comes from: the flag, its environment variable or its key in the configuration file.
func invalidValue(name string, f *pflag.Flag, value string, cause error) error {
	if errors.Is(cause, strconv.ErrRange) {
		return fmt.Errorf("%s: %s is out of range", name, value)
	}
	if what, ok := flagWords[f.Value.Type()]; ok {
		return fmt.Errorf("%s: %q is not %s", name, value, what)
	}
	return fmt.Errorf("%s: invalid value %q: %w", name, value, cause)
}

// unknownCommand returns a usage error that suggests commands with similar names.
func unknownCommand(cmd *cobra.Command, word string) error {
	if near := nearCommands(cmd, word); len(near) > 0 {
		return usageError("unknown command %q for `%s`; did you mean `%s`?", word, cmd.CommandPath(), strings.Join(near, "` or `"))
	}
	return usageError("unknown command %q for `%s`; see `%s --help`", word, cmd.CommandPath(), cmd.CommandPath())
}

// otherNames maps command names that other programs use to the names of Bullpen's commands.
var otherNames = map[string]string{"ls": "list", "log": "tail", "logs": "tail", "answer": "decide", "rm": "remove"}

// nearCommands returns the paths of the subcommands whose names are similar to word. If there are
// none, it returns those one level deeper that have exactly this name.
func nearCommands(cmd *cobra.Command, word string) (paths []string) {
	word = cmp.Or(otherNames[word], word)
	var known, deeper, topics []string
	for _, c := range cmd.Commands() {
		if c.Hidden {
			continue
		}
		known = append(known, c.Name())
		if c.IsAdditionalHelpTopicCommand() {
			topics = append(topics, c.Name())
		}
		for _, below := range c.Commands() {
			if below.Name() == word {
				deeper = append(deeper, below.CommandPath())
			}
		}
	}
	for _, name := range suggest.Nearest(word, known) {
		if slices.Contains(topics, name) {
			name = "help " + name
		}
		paths = append(paths, cmd.CommandPath()+" "+name)
	}
	if len(paths) == 0 {
		return deeper
	}
	return paths
}
