package world

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world/scene"
)

// Room is an open room of the campus.
type Room struct {
	contracts.Room
	EmptySince int64 `json:"empty_since,omitzero"` // when the last of its agents left or went offline; 0 while it is in use
}

// PastRoom is the last room that was closed on a plot.
type PastRoom struct {
	Key  string         `json:"key"`
	Plot contracts.Plot `json:"plot"`
}

// Rooms returns the open rooms in opening order.
func (w *World) Rooms() []Room { return w.s.Rooms }

// Room returns the open room with the given id, or nil if there is none.
func (w *World) Room(id string) *Room {
	i := slices.IndexFunc(w.s.Rooms, func(r Room) bool { return r.RoomID == id })
	if i < 0 {
		return nil
	}
	return &w.s.Rooms[i]
}

// RoomsMade returns the newest room's number, whether the room is open or closed, or 0 if there was
// none.
func (w *World) RoomsMade() int { return w.s.RoomsMade }

// PastRooms returns the last closed room of every plot that was used before and is now vacant.
func (w *World) PastRooms() []PastRoom { return w.s.PastRooms }

// Plots returns all plots of the campus in the order they are used.
func (w *World) Plots() []contracts.Plot { return w.campus().Plots() }

func (w *World) campus() *scene.Campus {
	if w.cachedCampus == nil {
		w.cachedCampus = scene.NewCampus(w.house)
	}
	return w.cachedCampus
}

func (w *World) foldRoom(e *contracts.Event) error {
	if e.Name == contracts.EventRoomClosed {
		return w.foldRoomClosed(e.RoomID)
	}
	if e.Room == nil {
		return errors.New(string(e.Name) + " has no room")
	}
	if have := w.Room(e.Room.RoomID); have != nil {
		have.Label, have.Accent, have.Desks = e.Room.Label, e.Room.Accent, e.Room.Desks
		return nil
	}
	if number, err := strconv.Atoi(strings.TrimPrefix(e.Room.RoomID, string(contracts.PrefixRoom)+"_")); err == nil {
		w.s.RoomsMade = max(w.s.RoomsMade, number)
	}
	w.s.Rooms = append(w.s.Rooms, Room{Room: *e.Room})
	w.s.PastRooms = slices.DeleteFunc(w.s.PastRooms, func(p PastRoom) bool { return p.Plot == e.Room.Plot })
	return w.recompose()
}

func (w *World) foldRoomClosed(id string) error {
	room := w.Room(id)
	if room == nil {
		return errors.New("unknown room " + strconv.Quote(id))
	}
	w.s.PastRooms = append(w.s.PastRooms, PastRoom{Key: room.Key, Plot: room.Plot})
	w.s.Rooms = slices.DeleteFunc(w.s.Rooms, func(r Room) bool { return r.RoomID == id })
	for _, a := range w.s.Agents {
		if a.RoomID == id {
			a.RoomID, a.SeatID = "", ""
		}
	}
	return w.recompose()
}

// HasPlot reports whether a plot is on the campus. A plot may be missing if the office was opened
// with a different house.
func (w *World) HasPlot(p contracts.Plot) bool { return slices.Contains(w.Plots(), p) }

// recompose computes the scene of the campus from the open rooms that have a plot.
func (w *World) recompose() error {
	if len(w.s.Rooms) == 0 {
		w.sc = w.house
		return nil
	}
	var rooms []contracts.Room
	for i := range w.s.Rooms {
		if r := w.s.Rooms[i].Room; w.HasPlot(r.Plot) {
			rooms = append(rooms, r)
		}
	}
	sc, err := w.campus().Compose(rooms)
	if err == nil {
		w.sc = sc
	}
	return err
}

// foldRoomUse records when rooms became empty, after an event that may have changed who uses them.
func (w *World) foldRoomUse(ts int64) {
	for i := range w.s.Rooms {
		r := &w.s.Rooms[i]
		switch {
		case slices.ContainsFunc(w.s.Agents, func(a *Agent) bool { return a.RoomID == r.RoomID && !a.offline() }):
			r.EmptySince = 0
		case r.EmptySince == 0:
			r.EmptySince = ts
		}
	}
}

// offline reports whether a guest is offline according to its status.
func (a *Agent) offline() bool {
	return a.Status != nil && a.Status.Activity == contracts.ActivityOffline
}

// roomRows returns the open rooms for a snapshot, or nil if there are none.
func (w *World) roomRows() []contracts.Room {
	var rows []contracts.Room
	for i := range w.s.Rooms {
		rows = append(rows, w.s.Rooms[i].Room)
	}
	return rows
}
