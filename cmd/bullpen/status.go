package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/all"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/outpost"
	"github.com/bullpen-office/bullpen/server"
	"github.com/bullpen-office/bullpen/view"
)

// statusReport is the JSON output of `bullpen status`.
type statusReport struct {
	URL       string           `json:"url"`
	Health    server.Health    `json:"health"`
	Readiness server.Readiness `json:"readiness"`
	Agents    []agentStatus    `json:"agents"`
	NeedsYou  []needStatus     `json:"needs_you"`
	Studios   []studioStatus   `json:"studios,omitzero"` // studios of a campus, in opening order
	Projects  int              `json:"projects"`
	Live      int              `json:"live_projects"` // projects that are neither completed nor archived
	Runners   map[string]int   `json:"runners"`       // crew members by runner
	Hooks     []hooksStatus    `json:"hooks"`         // one for each vendor with hooks

	hooks      []string        // text output
	reviewHint string          // text output: how to review a deliverable
	outpost    *outpost.Health // health of an outpost, which reports nothing else; nil for an office
}

// hooksStatus is a vendor's hooks. The output of `bullpen hooks status --json` has more details.
type hooksStatus struct {
	Agent string `json:"agent"`
	agents.HookSummary
}

type agentStatus struct {
	AgentID  string               `json:"agent_id"`
	Name     string               `json:"name"`
	State    contracts.AgentState `json:"state"`
	Activity contracts.Activity   `json:"activity,omitzero"` // guests only
	Source   string               `json:"source,omitzero"`   // guests only
	Place    string               `json:"place,omitzero"`    // guests only
	Runner   string               `json:"runner,omitzero"`
	TaskID   string               `json:"task_id,omitzero"`
	NeedsYou bool                 `json:"needs_you,omitzero"`
	Why      string               `json:"why,omitzero"`
	Doing    string               `json:"doing"`
	Label    string               `json:"source_label,omitzero"` // guests only: the source's display name
	RoomID   string               `json:"room_id,omitzero"`      // guests only; empty means the house
	Studio   string               `json:"studio,omitzero"`       // guests only: the label of the room in RoomID
}

// needStatus is an item that is waiting for a person.
type needStatus struct {
	ID       string         `json:"id"`
	Kind     model.NeedKind `json:"kind"`
	AgentID  string         `json:"agent_id,omitzero"`  // the waiting agent
	Title    string         `json:"title"`              // title of the question, plan or deliverable
	Options  []string       `json:"options,omitzero"`   // answers to choose from
	FreeText bool           `json:"free_text,omitzero"` // any other text is also accepted
	What     string         `json:"what"`
	Do       string         `json:"do,omitzero"`     // command that answers the item; empty if it is answered elsewhere
	Studio   string         `json:"studio,omitzero"` // the waiting agent's studio, if it has one
}

func newStatusCommand() *cobra.Command {
	c := &cobra.Command{Use: "status", Short: "Show office status", Args: noArgs}
	var serving bool
	c.Flags().BoolVar(&serving, "serving", false, "check only that the office is serving viewers, not that it can record events")
	return newVerb(c, func(ctx context.Context, v *verb, _ []string) error {
		if serving {
			return checkServing(ctx, v)
		}
		r, err := askStatus(ctx, v.client)
		if err != nil {
			return err
		}
		r.summarizeHooks(v.client, v.settings)
		if r.outpost != nil {
			return r.printOutpost(v)
		}
		if v.asJSON {
			err = printJSON(v.out, r)
		} else {
			err = r.print(v.out)
		}
		if err == nil && !r.Readiness.Ready {
			return &exitError{code: exitProblems}
		}
		return err
	})
}

// checkServing prints whether the office is serving viewers, for probes that decide whether to
// route people to it. If it is not, the exit code is exitProblems.
func checkServing(ctx context.Context, v *verb) error {
	var ready server.Readiness
	err := v.client.get(ctx, readyPath+"?serving=1", &ready)
	switch {
	case err != nil:
		return err
	case v.asJSON:
		err = printJSON(v.out, ready)
	case ready.Ready:
		_, err = fmt.Fprintln(v.out, "serving and ready")
	case ready.Serving:
		_, err = fmt.Fprintf(v.out, "serving, but NOT ready: %s\n", strings.Join(ready.Reasons, "; "))
	default:
		_, err = fmt.Fprintf(v.out, "NOT serving: %s\n", strings.Join(ready.Reasons, "; "))
	}
	if err == nil && !ready.Serving {
		return &exitError{code: exitProblems}
	}
	return err
}

// summarizeHooks records, for each vendor, whether its hooks report to this office.
func (r *statusReport) summarizeHooks(cl *client, s *settings) {
	address := ""
	if cl.own {
		address = cl.base
	}
	for _, a := range agents.WithHooks(all.Adapters) {
		h := a.Hooks.Summary(address)
		if showsHooks(a, h) {
			r.hooks = append(r.hooks, printable(a.HookLine(h, s.line("hooks install "+a.Source.Source))))
		}
		r.Hooks = append(r.Hooks, hooksStatus{a.Source.Source, h})
	}
}

func askStatus(ctx context.Context, cl *client) (statusReport, error) {
	r := statusReport{URL: cl.shown, Agents: []agentStatus{}, NeedsYou: []needStatus{}, Runners: map[string]int{}}
	if err := cl.get(ctx, "/healthz", &r.Health); err != nil {
		return r, err
	}
	var ready struct {
		server.Readiness
		Outpost *outpost.Health `json:"outpost"`
	}
	if err := cl.get(ctx, readyPath, &ready); err != nil {
		return r, err
	}
	if r.Readiness, r.outpost = ready.Readiness, ready.Outpost; r.outpost != nil {
		return r, nil
	}
	var state contracts.Snapshot
	if err := cl.get(ctx, "/v1/state", &state); err != nil {
		return r, err
	}
	r.Projects = len(state.Projects)
	for _, p := range state.Projects {
		if p.Status != contracts.ProjectCompleted && p.Status != contracts.ProjectArchived {
			r.Live++
		}
	}
	rows := rowsOf(&state)
	r.Studios = studiosOf(rows)
	for _, a := range state.Agents {
		r.Agents = append(r.Agents, agentStatus{
			a.AgentID, a.Name, a.State, a.Activity, a.Source, a.Place, a.Runner, a.TaskID, a.NeedsYou, a.Why,
			doing(&view.AgentRow{State: a.State, Activity: a.Activity, NeedsYou: a.NeedsYou}), state.Sources.Of(a.Source).Label, a.RoomID, rows.RoomLabel(a.RoomID),
		})
		if !a.Guest() {
			r.Runners[a.Runner]++
		}
	}
	r.reviewHint = fmt.Sprintf("read a deliverable with `%s`; request changes with `%s`", cl.line("artifact show", "ARTIFACT"), cl.line("changes", "ARTIFACT INSTRUCTIONS"))
	r.NeedsYou = needsOf(&state)
	for i := range r.NeedsYou {
		if verb, rest, ok := strings.Cut(r.NeedsYou[i].Do, " "); ok {
			r.NeedsYou[i].Do = cl.line(verb, rest)
		}
	}
	return r, nil
}

// needsOf lists the items that are waiting for a person, most urgent first. Do is the command that
// answers an item, without the program name; it is empty for an item that can only be answered
// elsewhere.
func needsOf(state *contracts.Snapshot) []needStatus {
	needs := []needStatus{}
	rows := rowsOf(state)
	for _, n := range rows.Needs() {
		s := needStatus{ID: n.Ref, Kind: n.Kind, AgentID: n.AgentID, Title: n.Title}
		if a := rows.Agent(n.AgentID); a != nil {
			s.Studio = rows.RoomLabel(a.RoomID)
		}
		switch n.Kind {
		case model.NeedReview:
			s.What, s.Do = "review: "+n.Title, "approve "+n.Ref
		case model.NeedPlan:
			s.Options = []string{optionStart}
			s.What, s.Do = "start: "+n.Title, "decide "+n.Ref+" "+optionStart
		case model.NeedElsewhere:
			s.What = model.AnswerPlaceWords(rows.Agent(n.Ref)) + ": " + n.Title
		case model.NeedUnchecked:
			d := rows.Decision(n.Ref)
			s.Options = d.Options
			s.What = rows.NeedAgent(n) + " " + contracts.SayEndedUnchecked + ": " + model.CheckedWords(&d.Session.Checked, time.Now())
			s.Do = "decide " + n.Ref + " " + contracts.OptionDismiss
		default:
			d := rows.Decision(n.Ref)
			s.Options, s.FreeText = d.Options, d.AllowFreeText
			s.What, s.Do = "answer: "+n.Title, "decide "+n.Ref+" ANSWER"
		}
		if p := rows.NeedProject(n); p != "" {
			s.What += " (" + p + ")"
		}
		needs = append(needs, s)
	}
	return needs
}
