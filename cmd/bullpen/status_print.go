package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/cluster"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/model"
)

// statusWords is the maximum width of an entry in a list, in cells. Longer entries, such as a
// permission request for a whole script, are truncated.
const statusWords = 120

// shortLine shortens text to one line of a list.
func shortLine(text string) string { return ansi.Truncate(model.Line(text), statusWords, "…") }

func (r statusReport) print(w io.Writer) error {
	p := paintFor(w)
	ready := "ready"
	if !r.Readiness.Ready {
		ready = "NOT ready: " + strings.Join(r.Readiness.Reasons, "; ")
	}
	fmt.Fprintf(w, "office    %s, version %s, %s\n", r.URL, r.Health.Version, ready)
	fmt.Fprintf(w, "ledger    %s; %s\n", ledgerWords(r.Readiness.Ledger), model.Counted(r.Readiness.Hub.Sockets, "viewer", "viewers"))
	if c := r.Readiness.Cluster; c != nil {
		fmt.Fprintf(w, "cluster   %s\n", clusterWords(c))
	}
	if r.Readiness.Paused != "" {
		fmt.Fprintf(w, "warning   %s\n", printable(r.Readiness.Paused))
	}
	if runners := r.runnerWords(); runners != "" {
		fmt.Fprintf(w, "crew      %s\n", runners)
	}
	fmt.Fprintf(w, "agents    %d, %d of them guests; %s\n", len(r.Agents), r.guests(), model.Counted(r.Live, "live project", "live projects"))
	if words := crowdWords(r.Readiness.Guests); words != "" {
		fmt.Fprintf(w, "guests    %s\n", words)
	}
	fmt.Fprintf(w, "turns     %d in progress\n", r.Readiness.Turns)
	if err := r.printPeople(w); err != nil {
		return err
	}
	for _, s := range r.Studios {
		fmt.Fprintf(w, "studio    %s: %s\n", shortLine(s.Label), cmp.Or(s.words(), "empty"))
	}
	for _, g := range r.Readiness.Gateways {
		fmt.Fprintf(w, "gateway   %s\n", gatewayWords(g))
	}
	for _, o := range r.Readiness.Outposts {
		fmt.Fprintf(w, "outpost   %s\n", outpostWords(&o, time.Now().UnixMilli()))
	}
	for _, line := range r.hooks {
		fmt.Fprintf(w, "hooks     %s\n", line)
	}
	_, err := fmt.Fprintf(w, "needs you %d\n", len(r.NeedsYou))
	for _, n := range r.NeedsYou {
		line := "  " + p.strong(shortLine(n.What))
		if n.Do != "" {
			line += "  " + p.dim(printable(n.Do)+n.choices())
		}
		_, err = fmt.Fprintln(w, line)
	}
	if slices.ContainsFunc(r.NeedsYou, func(n needStatus) bool { return n.Kind == model.NeedReview }) {
		_, err = fmt.Fprintln(w, "  "+p.dim(r.reviewHint))
	}
	return err
}

// ledgerWords describes the size of the ledger. An office always has records, so 0 means that they
// could not be counted.
func ledgerWords(s ledger.Stats) string {
	if s.Records == 0 {
		return "size unknown"
	}
	return model.Counted(int(s.Records), "record", "records") + ", " + size(s.Bytes)
}

// clusterWords describes the node that responded, its office, the office's writer, and the NATS server
// that the node is connected to.
func clusterWords(c *cluster.Status) string {
	writer := "no writer"
	switch {
	case c.Writes:
		writer = "this node is the writer"
	case c.Writer != "":
		writer = fmt.Sprintf("the writer is node %q", c.Writer)
	}
	server := "not connected to NATS"
	if c.Server != "" {
		server = "connected to NATS server " + c.Server
	}
	return printable(fmt.Sprintf("node %q of office %q: %s; %s", c.Node, c.Office, writer, server))
}

// crowdWords describes how many guests have been refused or displaced since the server started. It
// returns "" if there were none.
func crowdWords(c intake.Crowd) string {
	if c.Displaced == 0 && c.Refused == 0 {
		return ""
	}
	return fmt.Sprintf("refused %s to join, displaced %s; %d of %d places taken, %d by guests known only from hooks or events",
		model.Counted(int(c.Refused), "attempt", "attempts"), model.Counted(int(c.Displaced), "unproven guest", "unproven guests"), c.Guests, c.Limit, c.Unproven)
}

// choices returns the answers that a question offers, in parentheses, or "" if there are none.
func (n needStatus) choices() string {
	if len(n.Options) == 0 || n.Kind == model.NeedPlan || n.Kind == model.NeedUnchecked {
		return ""
	}
	list := n.Options
	if n.FreeText {
		list = append(slices.Clone(list), "or any text")
	}
	return " (" + shortLine(strings.Join(list, ", ")) + ")"
}

func (r statusReport) printPeople(w io.Writer) error {
	table := columns{indent: "  "}
	for _, a := range r.Agents {
		from := origin(a.Source, a.Label)
		if a.Place != "" {
			from += " in " + a.Place
		}
		table.add(model.Line(a.Name), model.Line(from), caption(a.Doing), shortLine(reason(a.Doing, a.Why)))
	}
	return table.print(w)
}

func (r statusReport) guests() (n int) {
	for _, a := range r.Agents {
		if a.Source != "" {
			n++
		}
	}
	return n
}

func (r statusReport) runnerWords() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(r.Runners)) {
		parts = append(parts, fmt.Sprintf("%d on %s", r.Runners[name], printable(cmp.Or(name, "nothing"))))
	}
	return strings.Join(parts, ", ")
}

func gatewayWords(g agents.Link) string {
	if !g.Connected {
		line := g.URL + " is not connected: " + cmp.Or(g.Problem, "connecting")
		if g.Do != "" {
			line += "; " + g.Do
		}
		return printable(line)
	}
	return printable(fmt.Sprintf("%s is connected, with %s", g.URL, model.Counted(g.People, "agent", "agents")))
}

// outpostWords describes an outpost; now is the office's time.
func outpostWords(o *contracts.OutpostHealth, now int64) string {
	line := fmt.Sprintf("%s: %s, %s", o.Name, strings.ToLower(model.OutpostLinkWords(o.State)), model.OutpostWords(o, now))
	if o.Problem != "" {
		line += "; " + o.Problem
	}
	return printable(line)
}

func size(bytes int64) string {
	const unit = 1 << 10
	if bytes < unit*unit {
		return fmt.Sprintf("%d KiB", bytes/unit)
	}
	return fmt.Sprintf("%d MiB", bytes/unit/unit)
}

// printable replaces control characters with spaces, so that text cannot control the terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || (r >= 0x7f && r < 0xa0) {
			return ' '
		}
		return r
	}, text)
}
