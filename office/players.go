package office

import (
	"math"
	"slices"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world/scene"
)

// players are the people in the room. They live in memory only.
type players struct {
	sc *scene.Scene
	ms func() int64

	mu  sync.Mutex
	all []*player // the most recently seen first
}

type player struct {
	row     contracts.Player
	path    []contracts.Vec3
	started int64
}

func (p *player) at(now int64) contracts.Player {
	row := p.row
	if len(p.path) > 0 {
		pos, heading, arrived := scene.Position(p.path, contracts.WalkSpeed, p.started, now)
		row.Pos = pos
		if !arrived {
			row.Facing = heading
		}
	}
	return row
}

// do carries out a command that moves the caller's avatar.
func (ps *players) do(cmd contracts.Command) contracts.Reply {
	if cmd.Caller.PlayerID == "" {
		return contracts.Reply{Refusal: contracts.Refuse(contracts.CodeNotAllowed, "You have no avatar in the room: connect to /ws/world first.")}
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p, no := ps.seen(cmd.Caller)
	if no != nil {
		return contracts.Reply{Refusal: no}
	}
	switch c := cmd.Data.(type) {
	case contracts.PlayerPos:
		return ps.report(p, c)
	case contracts.MovePlayerTo:
		return ps.move(p, c)
	}
	return contracts.Reply{Refusal: contracts.Refuse(contracts.CodeInternal, "%s moves nobody.", cmd.Data.CommandName())}
}

// seen finds or lets in the caller's avatar and puts it first.
func (ps *players) seen(c contracts.Caller) (*player, *contracts.Refusal) {
	i := slices.IndexFunc(ps.all, func(p *player) bool { return p.row.PlayerID == c.PlayerID })
	if i < 0 {
		if len(ps.all) >= contracts.LimitPlayers {
			return nil, contracts.Refuse(contracts.CodeConflict, "The room is full: %d people are in it. You can still watch.", len(ps.all))
		}
		spawn := ps.sc.Manifest().Spawns.Player
		ps.all = append(ps.all, &player{row: contracts.Player{PlayerID: c.PlayerID, Name: c.Name, Pos: spawn, Facing: contracts.Vec3{0, 0, -1}, Since: ps.ms()}})
		i = len(ps.all) - 1
	}
	p := ps.all[i]
	ps.all = slices.Insert(slices.Delete(ps.all, i, i+1), 0, p)
	return p, nil
}

func (ps *players) report(p *player, c contracts.PlayerPos) contracts.Reply {
	if !ps.inside(c.Pos) {
		return contracts.Reply{Refusal: contracts.RefuseField("payload.data.pos", "That position is outside the room.")}
	}
	p.path = nil
	p.row.Pos = contracts.Vec3{c.Pos[0], 0, c.Pos[2]}
	if c.Facing != nil {
		p.row.Facing = *c.Facing
	}
	return contracts.Reply{}
}

func (ps *players) move(p *player, c contracts.MovePlayerTo) contracts.Reply {
	now := ps.ms()
	from := p.at(now).Pos
	var path []contracts.Vec3
	ok := false
	switch {
	case c.POIID != "":
		poi, known := ps.sc.POI(c.POIID)
		if !known {
			return contracts.Reply{Refusal: contracts.Refuse(contracts.CodeNotFound, "There is no place %s in this room.", c.POIID)}
		}
		path, ok = ps.sc.PathToAnchor(from, poi.NavAnchors[0])
	case c.Pos != nil && ps.inside(*c.Pos) && ps.sc.Walkable(*c.Pos):
		path, ok = ps.sc.Path(from, *c.Pos)
	}
	if !ok {
		return contracts.Reply{Refusal: contracts.Refuse(contracts.CodeNotAllowed, "You cannot walk there: something stands in the way. Choose a free spot.")}
	}
	p.path, p.started = path, now
	return contracts.Reply{Result: contracts.Result{Path: path, SpeedMPS: contracts.WalkSpeed}}
}

func (ps *players) inside(v contracts.Vec3) bool {
	room := ps.sc.Manifest().Room
	return math.Abs(v[0]) <= room.W/2 && math.Abs(v[2]) <= room.D/2 // false for NaN too
}

func (ps *players) list() []contracts.Player {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	now := ps.ms()
	out := make([]contracts.Player, len(ps.all))
	for i, p := range ps.all {
		out[i] = p.at(now)
	}
	return out
}

func (ps *players) left(id string) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.all = slices.DeleteFunc(ps.all, func(p *player) bool { return p.row.PlayerID == id })
}
