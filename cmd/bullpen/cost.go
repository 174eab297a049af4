package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/all"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/view"
)

func newCostCommand() *cobra.Command {
	var days int
	c := &cobra.Command{Use: "cost", Short: "Show token usage and cost", Args: noArgs}
	newVerb(c, func(ctx context.Context, v *verb, _ []string) error {
		if days < 1 || days > contracts.LimitUsageDays {
			return usageError("--days is %d; use 1 to %d", days, contracts.LimitUsageDays)
		}
		var u view.Usage
		if err := v.get(ctx, fmt.Sprintf("/v1/usage?days=%d", days), &u); err != nil {
			return err
		}
		if v.asJSON {
			return printJSON(v.out, u)
		}
		return printCost(v.out, u)
	})
	c.Flags().IntVar(&days, "days", 7, "number of days to list")
	return c
}

// printCost prints the totals, then a line for each day, each agent and each task.
func printCost(w io.Writer, u view.Usage) error {
	var t columns
	t.add("", "cost", "tokens in", "tokens out", "cached")
	line := func(what string, x view.UsageTotal) {
		t.add(printable(what), price(x), estimateMark(x.Estimated)+fmt.Sprint(x.TokensIn), estimateMark(x.Estimated)+fmt.Sprint(x.TokensOut), fmt.Sprint(x.CacheRead))
	}
	line("total", u.Lifetime)
	line("today", u.Today)
	for _, d := range u.Days {
		line("  "+d.Day, d.UsageTotal)
	}
	for _, a := range u.Agents {
		line("  "+cmp.Or(a.Name, a.AgentID), a.UsageTotal)
	}
	for _, task := range u.Tasks {
		line("  "+task.TaskID, task.UsageTotal)
	}
	if err := t.print(w); err != nil {
		return err
	}
	if u.Lifetime.Estimated > 0 {
		fmt.Fprintln(w, "\n~ estimated from the length of the text, because the endpoint does not report usage")
	}
	if u.Lifetime.Listed > 0 {
		fmt.Fprintf(w, "\n~ estimated with public list prices as of %s; set your own in bullpen.yaml\n", agents.PricesAsOf(all.Adapters))
	}
	return nil
}

// price formats a cost. An unknown cost is never shown as zero.
func price(u view.UsageTotal) string {
	switch {
	case u.Priced+u.Unpriced == 0:
		return "–"
	case u.CostUSD == nil:
		return "unknown"
	}
	cost := fmt.Sprintf("%s$%.4f", estimateMark(u.Estimated+u.Listed), *u.CostUSD)
	if u.Unpriced > 0 {
		cost += " + unknown"
	}
	return cost
}

// estimateMark returns "~" if a sum includes estimates, and "" otherwise.
func estimateMark(estimates int64) string {
	if estimates > 0 {
		return "~"
	}
	return ""
}
