package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/server"
)

// limitKnown is how many agents an error names.
const limitKnown = 12

func newAgentCommand() *cobra.Command {
	return groupCommand("agent", "Look at the agents in the office and direct them", append([]*cobra.Command{newAgentListCommand(), newAgentExplainCommand()}, newAgentControlCommands()...)...)
}

// agentCommand is a command that asks the running server.
func agentCommand(c *cobra.Command, run func(cmd *cobra.Command, args []string, cl *client, asJSON bool) error) *cobra.Command {
	s := newSettings()
	var url string
	var asJSON bool
	s.registerData(c.Flags())
	c.Flags().StringVar(&url, "url", "", "address of the server (default: the one of the data directory)")
	c.Flags().BoolVar(&asJSON, "json", false, "machine-readable output")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if err := s.load(); err != nil {
			return err
		}
		cl, err := newClient(s, url)
		if err != nil {
			return err
		}
		return run(cmd, args, cl, asJSON)
	}
	return c
}

func newAgentListCommand() *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List who is in the office and what they are doing", Args: noArgs}
	return agentCommand(c, func(cmd *cobra.Command, _ []string, cl *client, asJSON bool) error {
		list, err := askAgents(cmd.Context(), cl)
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(cmd.OutOrStdout(), list)
		}
		return printAgents(cmd.OutOrStdout(), list.Agents)
	})
}

func newAgentExplainCommand() *cobra.Command {
	c := &cobra.Command{Use: "explain ID|NAME", Short: "Say why an agent is shown as it is", Args: exactArgs("ID|NAME")}
	return agentCommand(c, func(cmd *cobra.Command, args []string, cl *client, asJSON bool) error {
		list, err := askAgents(cmd.Context(), cl)
		if err != nil {
			return err
		}
		id, err := pickAgent(list.Agents, args[0])
		if err != nil {
			return err
		}
		var e server.AgentExplanation
		if _, err := cl.call(cmd.Context(), http.MethodGet, "/v1/agents/"+id+"/explain", &e); err != nil {
			return err
		}
		if asJSON {
			return printJSON(cmd.OutOrStdout(), e)
		}
		return printExplanation(cmd.OutOrStdout(), &e)
	})
}

func askAgents(ctx context.Context, cl *client) (list server.AgentList, err error) {
	_, err = cl.call(ctx, http.MethodGet, "/v1/agents", &list)
	return list, err
}

// pickAgent takes an id, or a name that is somebody's alone, in whatever case.
func pickAgent(agents []server.AgentRow, wanted string) (id string, err error) {
	var known, named []string
	for _, a := range agents {
		if a.AgentID == wanted {
			return a.AgentID, nil
		}
		if strings.EqualFold(a.Name, wanted) {
			named = append(named, a.AgentID)
		}
		known = append(known, fmt.Sprintf("%s (%s)", printable(a.Name), a.AgentID))
	}
	switch n := len(known); {
	case len(named) == 1:
		return named[0], nil
	case len(named) > 1:
		return "", fmt.Errorf("%d agents are called %q; give the id, one of %s", len(named), wanted, strings.Join(named, ", "))
	case n == 0:
		return "", fmt.Errorf("there is no agent %q: nobody is in the office", wanted)
	case n > limitKnown:
		known = append(known[:limitKnown], fmt.Sprintf("and %d more; see `bullpen agent list`", n-limitKnown))
	}
	return "", fmt.Errorf("there is no agent %q; there are %s", wanted, strings.Join(known, ", "))
}

func printAgents(w io.Writer, agents []server.AgentRow) error {
	if len(agents) == 0 {
		_, err := fmt.Fprintln(w, "Nobody is in the office.")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tNAME\tFROM\tDOING\tWHY")
	for _, a := range agents {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", a.AgentID, printable(a.Name), origin(a), doing(a), glance(a.Why))
	}
	return table.Flush()
}

func origin(a server.AgentRow) string {
	if a.Source == "" {
		return "crew"
	}
	return printable(a.Source)
}

// doing is what the evidence says of a guest, and what the office says of others.
func doing(a server.AgentRow) string {
	if a.Activity != "" {
		return string(a.Activity)
	}
	return string(a.State)
}

func printExplanation(w io.Writer, e *server.AgentExplanation) error {
	fmt.Fprintf(w, "%s (%s, %s) is %s\n", printable(e.Name), e.AgentID, origin(e.AgentRow), doing(e.AgentRow))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(table, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	line("why", "%s", printable(e.Why))
	line("decided by", "%s", e.Authority)
	if e.Since > 0 {
		line("since", "%s", ago(e.Now-e.Since))
	}
	if e.DecaysAt > 0 {
		line("holds for", "%s unless something is heard", words(e.DecaysAt-e.Now))
	}
	if e.Line != "" {
		line("shows", "%s", printable(e.Line))
	}
	if e.PID != 0 {
		line("process", "pid %d", e.PID)
	}
	printUsage(line, e)
	for i, v := range e.Evidence {
		line(heading("evidence", i), "%s\t%s\t%s", ago(e.Now-v.At), v.Source, printable(v.Says))
	}
	for i, v := range e.Recent {
		line(heading("activity", i), "%s\t%s\t%s", ago(e.Now-v.At), v.Event, printable(v.Label))
	}
	return table.Flush()
}

// printUsage says what it used; what has no price is said, never counted as free.
func printUsage(line func(string, string, ...any), e *server.AgentExplanation) {
	u := e.Usage
	if u == nil {
		return
	}
	cost := fmt.Sprintf("$%.4f", u.CostUSD)
	switch {
	case u.Priced == 0:
		cost = "price unknown"
	case u.Unpriced > 0:
		cost += fmt.Sprintf(" and %d reports without a price", u.Unpriced)
	}
	line("used", "%d tokens in, %d out, %s", u.TokensIn, u.TokensOut, cost)
}

// heading names the first line of several.
func heading(name string, i int) string {
	if i > 0 {
		return ""
	}
	return name
}

func ago(ms int64) string {
	if ms < time.Second.Milliseconds() {
		return "just now"
	}
	return words(ms) + " ago"
}

func words(ms int64) string { return status.Words(time.Duration(max(ms, 0)) * time.Millisecond) }
