package tui

import (
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// studios are the groups that a list is divided into: the house and the studios.
type studios []model.Part

// studios returns the groups that lists are divided into, or none while there is only the house.
func (a *app) studios() studios {
	parts := a.office.Parts()
	if len(parts) < 2 {
		return nil
	}
	return slices.DeleteFunc(parts, func(p model.Part) bool { return p.ID == contracts.GardenScene })
}

// of returns the index of the group with the given room, or of the house if the room is unknown.
func (s studios) of(room string) int {
	return max(0, slices.IndexFunc(s, func(p model.Part) bool { return p.ID == room }))
}

// label returns the label of a room, or "" while there is only the house.
func (s studios) label(room string) string {
	if len(s) == 0 {
		return ""
	}
	return s[s.of(room)].Label
}

// studioHead returns the heading of a studio in a list, with its counts.
func (a *app) studioHead(p *model.Part) string {
	t := a.office.Rows().Tallies()[p.ID]
	counts := a.look.soft
	if t.Needing > 0 {
		counts = a.look.need
	}
	words := t.Words()
	if words != "" {
		words = "  " + words
	}
	return " " + a.look.accents[p.Accent].Render("▌") + a.look.strong.Render(model.Line(p.Label)) + counts.Render(words)
}
