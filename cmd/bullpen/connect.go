package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/agents/all"
	"github.com/bullpen-office/bullpen/connect"
	"github.com/bullpen-office/bullpen/contracts"
)

const connectHelp = `Show which agents and models on this machine can be connected to the office, and
the command that connects each. Bullpen looks for supported agents, their hooks
and gateways, and for model servers that speak the OpenAI protocol (OPENAI_BASE_URL,
and the default ports of Ollama, LM Studio, llama.cpp and vLLM). It contacts nothing
outside this machine and changes nothing.`

func newConnectCommand() *cobra.Command {
	v := &verb{settings: newSettings()}
	c := &cobra.Command{Use: "connect", Short: "Show the agents and models on this machine that can be connected", Long: connectHelp, Args: noArgs}
	v.register(c.Flags())
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := v.settings.load(); err != nil {
			return err
		}
		report, err := v.findAgents(cmd.Context())
		if err != nil {
			return err
		}
		if v.asJSON {
			return printJSON(cmd.OutOrStdout(), report)
		}
		printConnect(cmd.OutOrStdout(), report)
		return nil
	}
	return c
}

// findAgents asks the running office for agents on this machine, or looks for them itself if no
// office is running.
func (v *verb) findAgents(ctx context.Context) (report contracts.ConnectReport, err error) {
	if v.client, err = v.find(); err == nil {
		err = v.get(ctx, "/v1/connect", &report)
	}
	if err == nil || v.url != "" || !hasCode(err, exitNotRunning) {
		return report, err
	}
	return connect.New(v.settings.connectConfig()).Look(ctx), nil
}

// connectConfig returns where to look for agents on this machine. If the path of this program is
// unknown, as in a container without /proc, the commands in the report contain only its name.
func (s *settings) connectConfig() connect.Config {
	program, _ := stableExecutable()
	return connect.Config{Vendors: all.Adapters, Program: program, DataDir: s.otherData(), Dirs: s.vendorDirs()}
}

// otherData returns the data directory, or "" if it is the default directory.
func (s *settings) otherData() string {
	if s.sources["data"] == "default" {
		return ""
	}
	data, err := filepath.Abs(s.data)
	if err != nil {
		return s.data
	}
	return data
}

func printConnect(w io.Writer, report contracts.ConnectReport) {
	for i, g := range contracts.ConnectGroups {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, contracts.ConnectGroupWords[g])
		for _, it := range report.Items {
			if it.Group != g {
				continue
			}
			fmt.Fprintf(w, "\n  %s (%s)\n", printable(it.Name), spaced(string(it.State)))
			for _, text := range []string{it.Saw, it.Does} {
				for line := range strings.SplitSeq(wrapText(printable(text), connectWidth), "\n") {
					fmt.Fprintln(w, "    "+line)
				}
			}
			fmt.Fprintln(w, "    $ "+printable(it.Command))
		}
	}
	if len(report.Outposts) > 0 {
		fmt.Fprintf(w, "\n%s\n\n", contracts.SayOutposts)
	}
	for _, o := range report.Outposts {
		fmt.Fprintln(w, "  "+outpostWords(&o, time.Now().UnixMilli()))
	}
}

// connectWidth is the column where text wraps.
const connectWidth = 76

// wrapText breaks text into lines of at most width cells. It breaks only at spaces, and not inside a
// command in backquotes, even if the command is longer than a line.
func wrapText(text string, width int) string {
	const space, hyphen = "\u00a0", "\u2011" // ansi.Wordwrap does not break at these
	parts := strings.Split(text, "`")
	for i := 1; i < len(parts)-1; i += 2 {
		parts[i] = strings.ReplaceAll(parts[i], " ", space)
	}
	text = strings.ReplaceAll(strings.Join(parts, "`"), "-", hyphen)
	return strings.NewReplacer(space, " ", hyphen, "-").Replace(ansi.Wordwrap(text, width, ""))
}
