package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/tui/model"
	"github.com/bullpen-office/bullpen/view"
)

// limitKnown is how many agents an error names.
const limitKnown = 12

func newAgentCommand() *cobra.Command {
	return groupCommand("agent", "Look at the agents in the office and direct them", append([]*cobra.Command{newAgentListCommand(), newAgentExplainCommand()}, newAgentControlCommands()...)...)
}

func newAgentListCommand() *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List who is in the office and what they are doing", Args: noArgs}
	return newVerb(c, func(ctx context.Context, v *verb, _ []string) error {
		list, err := askAgents(ctx, v.client)
		if err != nil {
			return err
		}
		if v.asJSON {
			return printJSON(v.out, list)
		}
		return printAgents(v.out, list.Agents)
	})
}

func newAgentExplainCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "explain ID|NAME", Short: "Say why an agent is shown as it is",
		Args: exactArgs("ID|NAME"), ValidArgsFunction: completeFirst(agentWords),
	}
	return newVerb(c, func(ctx context.Context, v *verb, args []string) error {
		list, err := askAgents(ctx, v.client)
		if err != nil {
			return err
		}
		who, err := pickAgent(list.Agents, args[0])
		switch {
		case err != nil && contracts.HasPrefix(args[0], contracts.PrefixAgent):
			who.AgentID = args[0] // the office may know why it left
		case err != nil:
			return err
		}
		var e view.AgentExplanation
		if err := v.get(ctx, "/v1/agents/"+who.AgentID+"/explain", &e); err != nil {
			return err
		}
		if v.asJSON {
			return printJSON(v.out, e)
		}
		return printExplanation(v.out, &e)
	})
}

func askAgents(ctx context.Context, cl *client) (list view.AgentList, err error) {
	err = cl.get(ctx, "/v1/agents", &list)
	return list, err
}

// pickAgent takes an id, or a name that is somebody's alone, in whatever case.
func pickAgent(agents []view.AgentRow, wanted string) (who view.AgentRow, err error) {
	var known, named []string
	for _, a := range agents {
		if a.AgentID == wanted {
			return a, nil
		}
		if strings.EqualFold(a.Name, wanted) {
			named, who = append(named, a.AgentID), a
		}
		known = append(known, fmt.Sprintf("%s (%s)", printable(a.Name), a.AgentID))
	}
	n := len(known)
	if n > limitKnown {
		known = append(known[:limitKnown], fmt.Sprintf("and %d more; see `bullpen agent list`", n-limitKnown))
	}
	switch {
	case len(named) == 1:
		return who, nil
	case len(named) > 1:
		return who, usageError("%d agents are called %q; give the id, one of %s", len(named), wanted, strings.Join(named, ", "))
	case n == 0:
		err = fmt.Errorf("there is no agent %q: nobody is in the office", wanted)
	default:
		err = fmt.Errorf("there is no agent %q; there are %s", wanted, strings.Join(known, ", "))
	}
	return who, &exitError{code: exitRefused, err: err}
}

func printAgents(w io.Writer, agents []view.AgentRow) error {
	if len(agents) == 0 {
		_, err := fmt.Fprintln(w, "Nobody is in the office.")
		return err
	}
	var table columns
	table.add("ID", "NAME", "FROM", "DOING", "WHY")
	for _, a := range agents {
		table.add(a.AgentID, printable(a.Name), origin(a.Source, a.Label), doing(&a), glance(a.Why))
	}
	return table.print(w)
}

// origin says where somebody comes from.
func origin(source, label string) string {
	if source == "" {
		return "crew"
	}
	return printable(cmp.Or(label, source))
}

// doing is what the evidence says of a guest, and what the office says of others,
// in the words of the other clients.
func doing(a *view.AgentRow) string {
	who := contracts.Agent{State: a.State, NeedsYou: a.NeedsYou}
	who.Source, who.Activity = a.Source, a.Activity
	return model.Doing(&who)
}

func printExplanation(w io.Writer, e *view.AgentExplanation) error {
	fmt.Fprintf(w, "%s (%s, %s): %s\n", printable(e.Name), e.AgentID, origin(e.Source, e.Label), doing(&e.AgentRow))
	var table columns
	table.add("why", printable(e.Why))
	table.add("decided by", model.SourceWords(e.Authority))
	if e.Since > 0 {
		table.add("since", ago(e.Now-e.Since))
	}
	if e.DecaysAt > 0 {
		table.add("holds for", words(e.DecaysAt-e.Now)+" unless something is heard")
	}
	if e.Line != "" {
		table.add("shows", printable(e.Line))
	}
	if e.Said != "" {
		table.add("said", printable(e.Said))
	}
	if e.PID != 0 {
		table.add("process", fmt.Sprintf("pid %d", e.PID))
	}
	if e.Usage != nil {
		table.add("used", usageWords(e.Usage))
	}
	for _, t := range e.Turns {
		table.add("in a turn", "for "+words(e.Now-t.Since), printable(t.Label))
		for i, c := range t.Calls {
			table.add(heading("  now", i), "for "+words(e.Now-c.Since), printable(callWords(c)))
		}
	}
	for i, v := range e.Evidence {
		table.add(heading("evidence", i), ago(e.Now-v.At), model.SourceWords(v.Source), printable(v.Says))
	}
	for i, v := range e.Recent {
		table.add(heading("activity", i), ago(e.Now-v.At), model.RecentWords(v.Event, v.Tool, v.Label))
	}
	return table.print(w)
}

// usageWords say what it used; what has no price is said, never counted as free.
func usageWords(u *contracts.UsageTotal) string {
	cost := fmt.Sprintf("%s$%.4f", guessed(u.Estimated+u.Listed), u.CostUSD)
	switch {
	case u.Priced == 0:
		cost = "price unknown"
	case u.Unpriced > 0:
		cost += fmt.Sprintf(" and %d reports without a price", u.Unpriced)
	}
	if u.Estimated > 0 {
		cost += ", estimated"
	}
	return fmt.Sprintf("%d tokens in, %d out, %s", u.TokensIn, u.TokensOut, cost)
}

func callWords(c contracts.OpenCall) string {
	if c.Tool == "" {
		return "thinks"
	}
	return cmp.Or(c.Label, c.Tool)
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
