package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/go-json-experiment/json"

	office "github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/model"
)

// The width of the name column and the maximum width of the text, in cells.
const (
	tailName  = 14
	tailWords = 400
)

// tailPrinter writes one line for each message.
type tailPrinter struct {
	out    io.Writer
	asJSON bool
	paint  paint
	filter *tailFilter
	shown  int
	day    string
}

func newTailPrinter(v *verb, filter *tailFilter) *tailPrinter {
	return &tailPrinter{out: v.out, asJSON: v.asJSON, paint: paintFor(v.out), filter: filter}
}

func (p *tailPrinter) print(e *office.Message) error {
	p.shown++
	if p.asJSON {
		_, err := fmt.Fprintf(p.out, "%s\n", e.Raw)
		return err
	}
	at := time.UnixMilli(e.TS)
	if day := at.Format(time.DateOnly); day != p.day {
		p.day = day
		if _, err := fmt.Fprintln(p.out, p.paint.dim(day)); err != nil {
			return err
		}
	}
	who, what, urgent := p.words(e)
	if _, plain := p.out.(asciiFile); plain {
		what = model.Unsigned(what) // tool icons have no ASCII replacement
	}
	what = ansi.Truncate(what, tailWords, "…")
	if urgent {
		what = p.paint.strong(what)
	}
	gap := strings.Repeat(" ", max(1, tailName+1-ansi.StringWidth(who)))
	_, err := fmt.Fprintln(p.out, p.paint.dim(at.Format(time.TimeOnly))+"  "+who+gap+what)
	return err
}

// words returns who did what; urgent means that a person must act.
func (p *tailPrinter) words(e *office.Message) (who, what string, urgent bool) {
	switch contracts.Kind(e.Type) {
	case contracts.KindEvent:
		var ev contracts.Event
		if json.Unmarshal(e.Payload, &ev) == nil {
			urgent = ev.Name == contracts.EventDecisionRequested || ev.Name == contracts.EventReviewRequested
			return p.name(ev.AgentID), p.event(&ev), urgent
		}
	case contracts.KindChat:
		var c contracts.Chat
		if json.Unmarshal(e.Payload, &c) == nil {
			return p.name(c.From), fmt.Sprintf("to %s: %s", p.name(c.To), model.Line(c.Text)), false
		}
	case contracts.KindHUD:
		var h contracts.HUD
		if json.Unmarshal(e.Payload, &h) == nil {
			return p.name(h.AgentID), hudWords(&h), false
		}
	case contracts.KindUI:
		var u contracts.UI
		if json.Unmarshal(e.Payload, &u) == nil {
			return p.name(u.AgentID), uiWords(&u), u.Kind == contracts.UIAsk
		}
	case contracts.KindGoal:
		var g contracts.AgentGoal
		if json.Unmarshal(e.Payload, &g) == nil {
			return p.name(g.AgentID), model.Line(cmp.Or(g.Why, spaced(string(g.Goal.Kind)))), false
		}
	}
	return "", model.Line(string(e.Type) + " " + e.ID), false
}

// event describes an event with the same labels as other clients.
func (p *tailPrinter) event(e *contracts.Event) string {
	about := e.PreviewText
	switch {
	case about != "":
	case e.Status != nil:
		about = e.Status.Why
	case e.Decision != nil:
		about = e.Decision.Prompt + " (" + e.Decision.DecisionID + ")"
	case e.Artifact != nil:
		about = e.Artifact.Title + " (" + e.Artifact.ArtifactID + ")"
	case e.Choice != "":
		about = e.Choice
	case e.Meta != nil:
		about = cmp.Or(e.Meta.Summary, e.Meta.Title)
	}
	about = cmp.Or(about, p.filter.tasks[e.TaskID].Title, e.Reason)
	if e.Name == contracts.EventTaskProgress {
		about = fmt.Sprintf("%d%% %s", e.Percent, about)
	}
	if e.Name == contracts.EventReviewRequested {
		about += " (" + e.ArtifactID + ")"
	}
	line := model.EventWords(e.Name)
	if about != "" {
		line += ": " + model.Line(about)
	}
	if e.By != "" {
		by := "by " + e.By + ", "
		if e.Name == contracts.EventAudited && strings.Contains(about, e.By) {
			by = ""
		}
		if by += e.Via; by != "" {
			line += " (" + model.Line(strings.TrimSuffix(by, ", ")) + ")"
		}
	}
	return line
}

// hudWords describes an activity, with its result if the activity has ended.
func hudWords(h *contracts.HUD) string {
	line := model.Line(model.FactWords(h))
	if h.Said != "" {
		line = model.Line(h.Said)
		if !strings.HasPrefix(line, crew.DeliveredPrefix) {
			line = "Answered: " + line
		}
	}
	switch h.Event {
	case contracts.HUDToolEnd, contracts.HUDTurnEnd, contracts.HUDThinkEnd:
	default:
		return line
	}
	var result struct {
		OK       *bool `json:"ok"`
		ExitCode int   `json:"exitCode"` // -1 if unknown
	}
	end := "done"
	if json.Unmarshal(h.Result, &result) == nil && result.OK != nil && !*result.OK {
		end = "failed"
		if result.ExitCode > 0 {
			end += fmt.Sprintf(" with exit code %d", result.ExitCode)
		}
	}
	if h.DurationMS != nil {
		end += " after " + contracts.FormatDuration(*h.DurationMS)
	}
	if note := strings.TrimPrefix(contracts.SayOverwrite, "%s"); strings.HasSuffix(line, note) { // in parentheses too
		return strings.TrimSuffix(line, ")") + ", " + end + ")"
	}
	return line + " (" + end + ")"
}

func uiWords(u *contracts.UI) string {
	if u.Ignored != "" {
		return model.Line(u.Name + " (not shown: " + u.Ignored + ")")
	}
	text := model.SaidIn(u.Normalized)
	var at struct {
		Percent *float64 `json:"percent"`
	}
	switch {
	case u.Kind == contracts.UIProgress && json.Unmarshal(u.Normalized, &at) == nil && at.Percent != nil:
		text = strings.TrimSpace(fmt.Sprintf("%.0f%% %s", *at.Percent, text))
	case text == "" && u.Kind == contracts.UIStatus:
		return "status cleared"
	}
	return spaced(string(u.Kind)) + ": " + model.Line(text)
}

func spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

func (p *tailPrinter) name(id string) string {
	return model.Line(cmp.Or(p.filter.names[id], id, "office"))
}
