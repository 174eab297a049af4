package office

import (
	"math"
	"slices"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world/scene"
)

// players are the people in the room. They are kept in memory only.
type players struct {
	sc *scene.Scene
	ms func() int64

	mu  sync.Mutex
	all []player // most recently seen first
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

// do executes a command that moves the caller's avatar. It adds the avatar only if the command
// succeeds: a refusal changes nothing.
func (ps *players) do(cmd contracts.Command) contracts.Reply {
	if cmd.Caller.PlayerID == "" {
		return contracts.Reply{Refusal: contracts.Refuse(contracts.CodeNotAllowed, "you have no avatar in the room; connect to /ws/world first")}
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	now := ps.ms()
	p, refusal := ps.find(cmd.Caller, now)
	if refusal != nil {
		return contracts.Reply{Refusal: refusal}
	}
	var reply contracts.Reply
	switch c := cmd.Data.(type) {
	case contracts.PlayerPos:
		reply = ps.report(&p, c)
	case contracts.MovePlayerTo:
		reply = ps.move(&p, c, now)
	}
	if reply.Refusal == nil {
		ps.put(p)
	}
	return reply
}

// find returns the caller's avatar, or a new one at the door; it refuses if the room is full.
func (ps *players) find(c contracts.Caller, now int64) (player, *contracts.Refusal) {
	for _, p := range ps.all {
		if p.row.PlayerID == c.PlayerID {
			return p, nil
		}
	}
	if len(ps.all) >= contracts.LimitPlayers {
		return player{}, contracts.Refuse(contracts.CodeConflict, "the room is full (%d people); you can still watch", len(ps.all))
	}
	return player{row: contracts.Player{
		PlayerID: c.PlayerID, Name: c.Name, Pos: ps.sc.Manifest().Spawns.Player, Facing: contracts.Vec3{0, 0, -1}, Since: now,
	}}, nil
}

// put stores an avatar as the most recently seen.
func (ps *players) put(p player) {
	ps.remove(p.row.PlayerID)
	ps.all = slices.Insert(ps.all, 0, p)
}

func (ps *players) remove(id string) {
	ps.all = slices.DeleteFunc(ps.all, func(p player) bool { return p.row.PlayerID == id })
}

func (ps *players) report(p *player, c contracts.PlayerPos) contracts.Reply {
	if !ps.inside(c.Pos) {
		return contracts.Reply{Refusal: contracts.RefuseField("payload.data.pos", "the position is outside the room")}
	}
	p.path = nil
	p.row.Pos = contracts.Vec3{c.Pos[0], 0, c.Pos[2]}
	if c.Facing != nil {
		p.row.Facing = *c.Facing
	}
	return contracts.Reply{}
}

func (ps *players) move(p *player, c contracts.MovePlayerTo, now int64) contracts.Reply {
	from := p.at(now).Pos
	var path []contracts.Vec3
	ok := false
	switch {
	case c.POIID != "":
		poi, known := ps.sc.POI(c.POIID)
		if !known {
			return contracts.Reply{Refusal: contracts.Refuse(contracts.CodeNotFound, "no place %q in this room", c.POIID)}
		}
		path, ok = ps.sc.PathToAnchor(from, poi.NavAnchors[0])
	case c.Pos != nil && ps.inside(*c.Pos) && ps.sc.Walkable(*c.Pos):
		path, ok = ps.sc.Path(from, *c.Pos)
	}
	if !ok {
		return contracts.Reply{Refusal: contracts.Refuse(contracts.CodeNotAllowed, "the spot is not reachable; choose a free one")}
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
	ps.remove(id)
}
