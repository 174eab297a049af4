package main

import (
	"fmt"
	"io"
	"net/http"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/server"
)

func newCostCommand() *cobra.Command {
	s := newSettings()
	var url string
	var days int
	var asJSON bool
	c := &cobra.Command{Use: "cost", Short: "Say what the agents used and what it cost, as far as it is known", Args: noArgs}
	s.registerData(c.Flags())
	c.Flags().StringVar(&url, "url", "", "address of the server (default: the one of the data directory)")
	c.Flags().IntVar(&days, "days", 7, "how many days to list")
	c.Flags().BoolVar(&asJSON, "json", false, "machine-readable output")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := s.load(); err != nil {
			return err
		}
		cl, err := newClient(s, url)
		if err != nil {
			return err
		}
		var u server.Usage
		if _, err := cl.call(cmd.Context(), http.MethodGet, fmt.Sprintf("/v1/usage?days=%d", days), &u); err != nil {
			return err
		}
		if asJSON {
			return printJSON(cmd.OutOrStdout(), u)
		}
		return printCost(cmd.OutOrStdout(), u)
	}
	return c
}

// printCost is a small table: the whole, the days, the people.
func printCost(w io.Writer, u server.Usage) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\tcost\ttokens in\ttokens out\tcached")
	line := func(what string, x server.UsageTotal) {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\n", printable(what), price(x), x.TokensIn, x.TokensOut, x.CacheRead)
	}
	line("ever", u.Lifetime)
	line("today", u.Today)
	for _, d := range u.Days {
		line("  "+d.Day, d.UsageTotal)
	}
	for _, a := range u.Agents {
		name := a.Name
		if name == "" {
			name = a.AgentID
		}
		line("  "+name, a.UsageTotal)
	}
	for _, task := range u.Tasks {
		line("  "+task.TaskID, task.UsageTotal)
	}
	return t.Flush()
}

// price never makes a zero of what nobody priced.
func price(u server.UsageTotal) string {
	switch {
	case u.Priced+u.Unpriced == 0:
		return "–"
	case u.CostUSD == nil:
		return "unknown"
	case u.Unpriced > 0:
		return fmt.Sprintf("$%.4f + unknown", *u.CostUSD)
	}
	return fmt.Sprintf("$%.4f", *u.CostUSD)
}
