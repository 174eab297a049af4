package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newConfigCommand() *cobra.Command {
	return groupCommand("config", "Validate, show and document the configuration", newConfigCheck(), newConfigShow(), newConfigExample())
}

// configReport is the JSON output of `bullpen config check`.
type configReport struct {
	OK       bool     `json:"ok"`
	File     string   `json:"file"` // empty if there is none
	Problems []string `json:"problems"`
}

func newConfigCheck() *cobra.Command {
	s := newSettings()
	var asJSON bool
	c := &cobra.Command{Use: "check [FILE]", Short: "Validate the configuration", Args: betweenArgs(0, 1, "FILE")}
	s.register(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "machine-readable output")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			if err := cmd.Flags().Set("config", args[0]); err != nil {
				return err
			}
		}
		if err := s.load(); err != nil && asJSON {
			problems := strings.Split(message(err), "\n")
			if err := printJSON(cmd.OutOrStdout(), configReport{false, s.file, problems}); err != nil {
				return err
			}
			return usageError("the configuration has %s", problemCount(len(problems)))
		} else if err != nil {
			return err
		}
		s.warnStaff(cmd.ErrOrStderr())
		if asJSON {
			return printJSON(cmd.OutOrStdout(), configReport{true, s.file, []string{}})
		}
		line := s.file + " is valid"
		if s.file == "" {
			line = "no configuration file " + filepath.Join(s.data, configName) + "; the settings are valid"
		}
		_, err := fmt.Fprintln(cmd.OutOrStdout(), line)
		return err
	}
	return c
}

// setEntry is an effective setting with its source.
type setEntry struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Source string `json:"source"`
}

func newConfigShow() *cobra.Command {
	s := newSettings()
	var asJSON bool
	c := &cobra.Command{Use: "show", Short: "Show every setting and where it is set", Args: noArgs}
	s.register(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "machine-readable output")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := s.load(); err != nil {
			return err
		}
		var list []setEntry
		for _, f := range inFile() {
			list = append(list, setEntry{fileKey(f.Name), strings.Trim(s.flags.Lookup(f.Name).Value.String(), "[]"), s.sources[f.Name]})
		}
		list = append(list, s.nested...)
		if asJSON {
			return printJSON(cmd.OutOrStdout(), map[string]any{"settings": list})
		}
		var table columns
		for _, e := range list {
			table.add(e.Key, e.Value, e.Source)
		}
		return table.print(cmd.OutOrStdout())
	}
	return c
}

func newConfigExample() *cobra.Command {
	return &cobra.Command{Use: "example", Short: "Print a configuration file with every key and its default", Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		printExample(cmd.OutOrStdout())
		return nil
	}}
}

func exampleValue(f *pflag.Flag) string {
	if f.DefValue == "" {
		return `""`
	}
	return f.DefValue
}
