package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/suggest"
)

// houseName is the name of the house in lists and filters.
const houseName = "house"

// registerStudios adds a flag that selects studios.
func registerStudios(c *cobra.Command, studios *[]string, usage string) {
	c.Flags().StringSliceVar(studios, "studio", nil, usage)
	onlyTyped(c.Flags(), "studio")
	completeStudios(c, "studio")
}

// studioIDs returns the ids of the open rooms with the wanted names or ids. Several rooms may have
// the same name.
func studioIDs(rooms []contracts.Room, wanted []string) (ids []string, err error) {
	known := []string{houseName}
	for _, r := range rooms {
		known = append(known, printable(r.Label))
	}
	for _, name := range wanted {
		before := len(ids)
		for _, r := range rooms {
			if r.RoomID == name || strings.EqualFold(r.Label, name) {
				ids = append(ids, r.RoomID)
			}
		}
		if len(ids) == before && strings.EqualFold(name, houseName) {
			ids = append(ids, model.House)
		}
		if len(ids) == before {
			return nil, &exitError{code: exitRefused, reason: contracts.CodeNotFound, err: errors.New(noStudio(name, known))}
		}
	}
	return ids, nil
}

// noStudio returns the message for an unknown studio. It suggests similar names or lists the open
// studios.
func noStudio(wanted string, known []string) string {
	if near := suggest.Nearest(wanted, known); len(near) > 0 {
		return fmt.Sprintf("no studio %q; did you mean %s?", printable(wanted), strings.Join(near, " or "))
	}
	return fmt.Sprintf("no studio %q (open: %s)", printable(wanted), strings.Join(known, ", "))
}

// studioStatus is a studio in the JSON output of `bullpen status`.
type studioStatus struct {
	RoomID  string `json:"room_id"`
	Label   string `json:"label"`
	Key     string `json:"key"` // the folder or repository that the studio is for
	Working int    `json:"working"`
	Waiting int    `json:"waiting"`
	Needing int    `json:"needs_you"`
	Free    int    `json:"free"`
}

// studiosOf lists the open studios with the number of agents in each.
func studiosOf(rows *model.Rows) (list []studioStatus) {
	tallies := rows.Tallies()
	for _, r := range rows.Rooms {
		t := tallies[r.RoomID]
		list = append(list, studioStatus{r.RoomID, r.Label, r.Key, t.Working, t.Waiting, t.Needing, t.Free})
	}
	return list
}

// words returns a studio's counts as text.
func (s *studioStatus) words() string {
	return model.Tally{Working: s.Working, Waiting: s.Waiting, Needing: s.Needing, Free: s.Free}.Words()
}
