package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/server"
)

// statusReport is what `bullpen status --json` prints.
type statusReport struct {
	URL       string           `json:"url"`
	Health    server.Health    `json:"health"`
	Readiness server.Readiness `json:"readiness"`
	Agents    []agentStatus    `json:"agents"`
	NeedsYou  []needStatus     `json:"needs_you"`
	Projects  int              `json:"projects"`
}

type agentStatus struct {
	AgentID string               `json:"agent_id"`
	Name    string               `json:"name"`
	State   contracts.AgentState `json:"state"`
	TaskID  string               `json:"task_id,omitzero"`
	Why     string               `json:"why,omitzero"`
}

// needStatus is a question or a delivery that waits for a person.
type needStatus struct {
	ID   string `json:"id"`
	What string `json:"what"`
}

func newStatusCommand() *cobra.Command {
	s := newSettings()
	var url string
	var asJSON bool
	c := &cobra.Command{Use: "status", Short: "Say how the office is doing", Args: noArgs}
	s.registerData(c.Flags())
	c.Flags().StringVar(&url, "url", "", "address of the server (default: the one of the data directory)")
	c.Flags().BoolVar(&asJSON, "json", false, "machine-readable output")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := s.load(); err != nil {
			return err
		}
		cl, err := newClient(s, url)
		if err != nil {
			return err
		}
		report, err := askStatus(cmd.Context(), cl)
		if err != nil {
			return err
		}
		if asJSON {
			err = printJSON(cmd.OutOrStdout(), report)
		} else {
			printStatus(cmd.OutOrStdout(), report)
		}
		if err == nil && !report.Readiness.Ready {
			return &exitError{code: exitProblems}
		}
		return err
	}
	return c
}

func askStatus(ctx context.Context, cl *client) (statusReport, error) {
	r := statusReport{URL: cl.shown, Agents: []agentStatus{}, NeedsYou: []needStatus{}}
	if _, err := cl.call(ctx, http.MethodGet, "/healthz", &r.Health); err != nil {
		return r, err
	}
	if _, err := cl.call(ctx, http.MethodGet, "/readyz", &r.Readiness); err != nil {
		return r, err
	}
	var state contracts.Snapshot
	if _, err := cl.call(ctx, http.MethodGet, "/v1/state", &state); err != nil {
		return r, err
	}
	r.Projects = len(state.Projects)
	for _, a := range state.Agents {
		r.Agents = append(r.Agents, agentStatus{a.AgentID, a.Name, a.State, a.TaskID, a.Why})
	}
	for _, d := range state.Decisions {
		if d.Status == contracts.DecisionOpen {
			r.NeedsYou = append(r.NeedsYou, needStatus{d.DecisionID, "answer: " + d.Prompt})
		}
	}
	for _, a := range state.Artifacts {
		if a.Status == contracts.ArtifactDelivered || a.Status == contracts.ArtifactInReview {
			r.NeedsYou = append(r.NeedsYou, needStatus{a.ArtifactID, "review: " + a.Title})
		}
	}
	return r, nil
}

func printStatus(w io.Writer, r statusReport) {
	ready := "ready"
	if !r.Readiness.Ready {
		ready = "NOT ready: " + strings.Join(r.Readiness.Reasons, "; ")
	}
	fmt.Fprintf(w, "office    %s, version %s, %s\n", r.URL, r.Health.Version, ready)
	fmt.Fprintf(w, "ledger    %d records, %s; %d viewers\n", r.Readiness.Ledger.Records, size(r.Readiness.Ledger.Bytes), r.Readiness.Hub.Sockets)
	fmt.Fprintf(w, "people    %d, with %d live projects\n", len(r.Agents), r.Projects)
	for _, a := range r.Agents {
		fmt.Fprintf(w, "  %-12s %-20s %s\n", printable(a.Name), a.State, printable(a.Why))
	}
	fmt.Fprintf(w, "needs you %d\n", len(r.NeedsYou))
	for _, n := range r.NeedsYou {
		fmt.Fprintf(w, "  %-12s %s\n", printable(n.ID), printable(n.What))
	}
}

func size(bytes int64) string {
	const unit = 1 << 10
	if bytes < unit*unit {
		return fmt.Sprintf("%d KiB", bytes/unit)
	}
	return fmt.Sprintf("%d MiB", bytes/unit/unit)
}

// printable keeps what agents wrote from driving the terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || (r >= 0x7f && r < 0xa0) {
			return ' '
		}
		return r
	}, text)
}
