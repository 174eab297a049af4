package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newManCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man DIR", Short: "Write the manual pages to a directory", Args: exactArgs("DIR"), GroupID: groupProgram,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("create the directory for the manual pages: %w", err)
			}
			n, err := writeManual(args[0], cmd.Root())
			if err == nil {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "wrote %d manual pages to %s\n", n, args[0])
			}
			return err
		},
	}
}

// writeManual writes a man page for a command and each of its subcommands, and returns the number
// of pages.
func writeManual(dir string, c *cobra.Command) (pages int, err error) {
	path := filepath.Join(dir, manName(c)+".1")
	if err := os.WriteFile(path, []byte(manPage(c)), 0o644); err != nil {
		return 0, fmt.Errorf("write a manual page: %w", err)
	}
	pages = 1
	for _, below := range manCommands(c) {
		n, err := writeManual(dir, below)
		if pages += n; err != nil {
			return pages, err
		}
	}
	return pages, nil
}

func manCommands(c *cobra.Command) (list []*cobra.Command) {
	for _, below := range c.Commands() {
		if !below.Hidden && below.Runnable() && below.Name() != "help" {
			list = append(list, below)
		}
	}
	return list
}

func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage returns the man page of a command, in man(7) format.
func manPage(c *cobra.Command) string {
	var b strings.Builder
	section := func(title string) { fmt.Fprintf(&b, ".SH %s\n", title) }
	fmt.Fprintf(&b, ".TH %q 1 %q \"bullpen %s\" \"Bullpen\"\n", strings.ToUpper(manName(c)), manDate(), roff(currentVersion().Version))
	section("NAME")
	fmt.Fprintf(&b, "%s \\-\n%s\n", roff(manName(c)), prose(c.Short))
	section("SYNOPSIS")
	fmt.Fprintf(&b, ".B %s\n", roff(c.UseLine()))
	section("DESCRIPTION")
	text := c.Long
	if text == "" {
		text = c.Short + "."
	}
	fmt.Fprintf(&b, ".nf\n%s\n.fi\n", roff(text))
	if below := manCommands(c); len(below) > 0 {
		section("COMMANDS")
		for _, sub := range below {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(sub.CommandPath()), prose(sub.Short))
		}
	}
	if c.HasAvailableFlags() {
		section("OPTIONS")
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				b.WriteString(manFlag(f))
			}
		})
	}
	if c.Example != "" {
		section("EXAMPLES")
		fmt.Fprintf(&b, ".nf\n%s\n.fi\n", roff(c.Example))
	}
	section("EXIT STATUS")
	fmt.Fprintf(&b, ".nf\n%s\n.fi\n", roff(exitHelp()))
	section("ENVIRONMENT")
	fmt.Fprintf(&b, ".nf\n%s\n.fi\n", roff(environmentHelp))
	if p := c.Parent(); p != nil {
		section("SEE ALSO")
		fmt.Fprintf(&b, ".BR %s (1)\n", roff(manName(p)))
	}
	return b.String()
}

func manFlag(f *pflag.Flag) string {
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	kind, usage := pflag.UnquoteUsage(f)
	if kind != "" {
		name += " " + kind
	}
	switch f.DefValue {
	case "", "0", "false", "[]", "0s", "-1":
	default:
		usage += " (default " + f.DefValue + ")"
	}
	return fmt.Sprintf(".TP\n.B %s\n%s\n", roff(name), prose(usage))
}

// manDate returns today's date, or the date in SOURCE_DATE_EPOCH for reproducible builds.
func manDate() string {
	at := time.Now()
	if epoch, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		at = time.Unix(epoch, 0)
	}
	return at.UTC().Format(time.DateOnly)
}

// manWidth is the maximum line length of prose in the source of a page.
const manWidth = 66

// prose escapes and wraps text for a paragraph that man fills.
func prose(text string) string { return roff(wrapText(text, manWidth)) }

// roff escapes text for man(7).
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...").Replace(text)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
