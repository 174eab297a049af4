package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/suggest"
	"github.com/bullpen-office/bullpen/view"
)

// limitKnown is the maximum number of known names that an error lists.
const limitKnown = 12

func newAgentCommand() *cobra.Command {
	return groupCommand("agent", "List and direct agents, and explain their status", append([]*cobra.Command{newAgentListCommand(), newAgentExplainCommand()}, newAgentControlCommands()...)...)
}

func newAgentListCommand() *cobra.Command {
	c := &cobra.Command{Use: "list", Short: "List the agents in the office and what they are doing", Args: noArgs}
	var studios []string
	newVerb(c, func(ctx context.Context, v *verb, _ []string) error {
		list, err := askAgents(ctx, v.client)
		if err != nil {
			return err
		}
		if len(studios) > 0 {
			ids, err := studioIDs(list.Rooms, studios)
			if err != nil {
				return err
			}
			list.Agents = slices.DeleteFunc(list.Agents, func(a view.AgentRow) bool { return !slices.Contains(ids, a.RoomID) })
		}
		if v.asJSON {
			entries := []agentEntry{}
			for _, a := range list.Agents {
				entries = append(entries, agentEntry{a, doing(&a)})
			}
			return printJSON(v.out, map[string]any{"agents": entries})
		}
		return printAgents(v.out, list.Agents)
	})
	registerStudios(c, &studios, "only these studios, by name or id; house selects the office's own room")
	return c
}

func newAgentExplainCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "explain ID|NAME", Short: "Explain an agent's status",
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
			who.AgentID = args[0] // the agent may have left; the office can then explain why
		case err != nil:
			return err
		}
		var e agentExplanation
		if err := v.get(ctx, "/v1/agents/"+who.AgentID+"/explain", &e.AgentExplanation); err != nil {
			return err
		}
		e.Doing = doing(&e.AgentRow)
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

// pickAgent returns the agent with this id or, ignoring case, the only agent with this name.
func pickAgent(agents []view.AgentRow, wanted string) (who view.AgentRow, err error) {
	var refs []agentRef
	var named []string
	for _, a := range agents {
		if a.AgentID == wanted {
			return a, nil
		}
		if strings.EqualFold(a.Name, wanted) {
			named, who = append(named, a.AgentID), a
		}
		refs = append(refs, agentRef{a.AgentID, a.Name})
	}
	switch len(named) {
	case 0:
		return who, &exitError{code: exitRefused, reason: contracts.CodeNotFound, err: errors.New(noAgent(wanted, refs))}
	case 1:
		return who, nil
	}
	return who, usageError("%d agents are named %q; use an id: %s", len(named), wanted, strings.Join(named, ", "))
}

// agentRef identifies an agent.
type agentRef struct{ id, name string }

// noAgent returns the message for an unknown id or name. It suggests similar names or lists the
// known agents.
func noAgent(wanted string, refs []agentRef) string {
	var names, known []string
	for _, r := range refs {
		names = append(names, printable(r.name), r.id)
		known = append(known, fmt.Sprintf("%s (%s)", printable(r.name), r.id))
	}
	near := suggest.Nearest(wanted, names)
	switch n := len(known); {
	case len(near) > 0:
		return fmt.Sprintf("no agent %q; did you mean %s?", printable(wanted), strings.Join(near, " or "))
	case n == 0:
		return fmt.Sprintf("no agent %q: the office is empty", printable(wanted))
	case n > limitKnown:
		known = append(known[:limitKnown], fmt.Sprintf("and %d more; see `bullpen agent list`", n-limitKnown))
	}
	return fmt.Sprintf("no agent %q (known: %s)", printable(wanted), joined(known))
}

func printAgents(w io.Writer, agents []view.AgentRow) error {
	if len(agents) == 0 {
		_, err := fmt.Fprintln(w, "There are no agents in the office.")
		return err
	}
	var table columns
	campus := slices.ContainsFunc(agents, func(a view.AgentRow) bool { return a.RoomID != model.House })
	add := func(studio string, cells ...string) {
		if campus {
			cells = slices.Insert(cells, 3, studio)
		}
		table.add(cells...)
	}
	add("STUDIO", "ID", "NAME", "FROM", "DOING", "WHY")
	for _, a := range agents {
		add(cmp.Or(shortLine(a.Studio), houseName), a.AgentID, printable(a.Name), origin(a.Source, a.Label), caption(doing(&a)), shortLine(reason(doing(&a), a.Why)))
	}
	return table.print(w)
}

// origin returns where an agent comes from: "crew", or a guest's label or source.
func origin(source, label string) string {
	if source == "" {
		return "crew"
	}
	return printable(cmp.Or(label, source))
}

// doingWords maps the states of crew members to values of "doing" in JSON.
var doingWords = map[contracts.AgentState]string{
	contracts.StateIdle: "free", contracts.StateWalking: "walking", contracts.StateWorking: "working", contracts.StateMeeting: "in_meeting",
	contracts.StateDelivering: "delivering", contracts.StateSeeking: "needs_you", contracts.StateToPlayer: "coming_to_you",
	contracts.StateWaiting: "waiting", contracts.StateOffline: "offline",
}

// doing returns the value of "doing" in JSON: "needs_you", a guest's activity, or a word for a crew
// member's state.
func doing(a *view.AgentRow) string {
	switch {
	case a.NeedsYou:
		return "needs_you"
	case a.Activity != "":
		return string(a.Activity)
	}
	return cmp.Or(doingWords[a.State], string(a.State))
}

// reason removes the beginning of why if it only repeats doing: "Working: Building" becomes
// "Building", and "Working." becomes "".
func reason(doing, why string) string { return model.Reason(why, caption(doing), "") }

// caption returns the display text of a JSON value: "In progress" for in_progress.
func caption[T ~string](value T) string {
	text := spaced(string(value))
	return strings.ToUpper(text[:min(1, len(text))]) + text[min(1, len(text)):]
}

// agentEntry is an agent in the JSON output of `bullpen agent list`.
type agentEntry struct {
	view.AgentRow
	Doing string `json:"doing"`
}

// agentExplanation is the JSON output of `bullpen agent explain`.
type agentExplanation struct {
	view.AgentExplanation
	Doing string `json:"doing"`
}

func printExplanation(w io.Writer, e *agentExplanation) error {
	lasted := ""
	if since := e.Now - e.Since; e.Since > 0 && since >= time.Second.Milliseconds() {
		lasted = " for " + words(since)
	}
	fmt.Fprintf(w, "%s (%s, %s): %s%s\n", printable(e.Name), e.AgentID, origin(e.Source, e.Label), caption(e.Doing), lasted)
	why := printable(model.Reason(e.Why, caption(e.Doing), e.Authority))
	var table columns
	if why != "" {
		table.add("why", why)
	}
	if e.Authority != "" {
		table.add("decided by", caption(e.Authority))
	}
	if e.DecaysAt > 0 {
		table.add("expires", "in "+words(e.DecaysAt-e.Now)+" unless a new report arrives")
	}
	if e.Line != "" && !strings.Contains(why, printable(e.Line)) && e.Line != caption(e.Doing) {
		table.add("status line", printable(e.Line))
	}
	if e.Studio != "" {
		table.add("studio", shortLine(e.Studio))
	}
	if e.Said != "" {
		table.add("last answer", printable(e.Said))
	}
	if c := e.Checked; c != nil {
		table.add("edits", printable(model.CheckedWords(c, time.UnixMilli(e.Now))))
	}
	if e.Outpost != nil {
		table.add("outpost", outpostWords(e.Outpost, e.Now))
	}
	if e.PID != 0 {
		table.add("process", fmt.Sprintf("pid %d", e.PID))
	}
	if e.Usage != nil {
		table.add("used", usageWords(e.Usage))
	}
	for _, t := range e.Turns {
		table.add("turn", "for "+words(e.Now-t.Since), printable(t.Label))
		for i, c := range t.Calls {
			table.add(heading("  now", i), "for "+words(e.Now-c.Since), printable(callWords(c)))
		}
	}
	for i, v := range e.Evidence {
		table.add(heading("evidence", i), ago(e.Now-v.At), caption(v.Source), printable(v.Says))
	}
	for i, v := range merged(e.Recent) {
		table.add(heading("activity", i), ago(e.Now-v.at), v.text)
	}
	return table.print(w)
}

type recentLine struct {
	at   int64
	text string
}

// merged returns recent activity, with consecutive identical lines merged into one line with a
// count.
func merged(recent []view.RecentActivity) (lines []recentLine) {
	for i := 0; i < len(recent); {
		line := recentLine{recent[i].At, recentWords(recent[i])}
		n := 1
		for ; i+n < len(recent) && recentWords(recent[i+n]) == line.text; n++ {
		}
		if i += n; n > 1 {
			line.text += fmt.Sprintf(" (%d times)", n)
		}
		lines = append(lines, line)
	}
	return lines
}

func recentWords(a view.RecentActivity) string { return model.Line(a.Label) }

// usageWords formats token usage and cost. An unknown cost is shown as unknown, not as zero.
func usageWords(u *contracts.UsageTotal) string {
	cost := fmt.Sprintf("%s$%.4f", estimateMark(u.Estimated+u.Listed), u.CostUSD)
	switch {
	case u.Priced == 0:
		cost = "cost unknown"
	case u.Unpriced > 0:
		cost += " plus " + model.Counted(int(u.Unpriced), "report", "reports") + " without a price"
	}
	if u.Estimated > 0 {
		cost += ", estimated"
	}
	return fmt.Sprintf("%d tokens in, %d out, %s", u.TokensIn, u.TokensOut, cost)
}

func callWords(c contracts.OpenCall) string {
	if c.Tool == "" {
		return "thinking"
	}
	return cmp.Or(c.Label, c.Tool)
}

// heading returns name for the first of several lines, and "" for the others.
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

func words(ms int64) string {
	return status.FormatDuration(time.Duration(max(ms, 0)) * time.Millisecond)
}
