package office

import (
	"maps"
	"slices"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world/scene"
)

// Players are the people in the room. They are kept in memory only. All methods are safe for
// concurrent use.
type Players struct {
	ms func() int64

	mu     sync.Mutex
	scene  SceneFunc                     // where people walk
	all    []player                      // players on this node, most recently seen first
	others map[string][]contracts.Player // players on other nodes, by node
}

// NewPlayers returns an empty Players. ms returns the office's time in Unix milliseconds.
func NewPlayers(sc *scene.Scene, ms func() int64) *Players {
	return &Players{scene: func() *scene.Scene { return sc }, ms: ms, others: map[string][]contracts.Player{}}
}

// SceneFunc returns the current scene of an office, which changes when rooms open and close. It must
// be safe for concurrent use.
type SceneFunc func() *scene.Scene

// SetSceneFunc makes people walk in the current scene instead of the scene passed to NewPlayers.
func (ps *Players) SetSceneFunc(current SceneFunc) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.scene = current
}

func (ps *Players) currentScene() *scene.Scene {
	ps.mu.Lock()
	current := ps.scene
	ps.mu.Unlock()
	return current()
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

// Do executes a command that moves the caller's avatar. A new avatar is added only if the command
// succeeds, because a refusal changes nothing.
func (ps *Players) Do(cmd contracts.Command) contracts.Reply {
	if cmd.Caller.PlayerID == "" {
		return contracts.Reply{Refusal: contracts.Refuse(contracts.CodeNotAllowed, "you have no avatar in the room; connect to /ws/world first")}
	}
	sc := ps.currentScene()
	ps.mu.Lock()
	defer ps.mu.Unlock()
	now := ps.ms()
	p, refusal := ps.find(sc, cmd.Caller, now)
	if refusal != nil {
		return contracts.Reply{Refusal: refusal}
	}
	var reply contracts.Reply
	switch c := cmd.Data.(type) {
	case contracts.PlayerPos:
		reply = p.report(sc, c)
	case contracts.MovePlayerTo:
		reply = p.move(sc, c, now)
	}
	if reply.Refusal == nil {
		ps.put(p)
	}
	return reply
}

// find returns the caller's avatar, or a new avatar at the door. It refuses if the room is full.
func (ps *Players) find(sc *scene.Scene, c contracts.Caller, now int64) (player, *contracts.Refusal) {
	for _, p := range ps.all {
		if p.row.PlayerID == c.PlayerID {
			return p, nil
		}
	}
	people := len(ps.all)
	for _, list := range ps.others {
		people += len(list)
	}
	if people >= contracts.LimitPlayers {
		return player{}, contracts.Refuse(contracts.CodeConflict, "the room is full (%d people); you can still watch", people)
	}
	return player{row: contracts.Player{
		PlayerID: c.PlayerID, Name: c.Name, Pos: sc.Manifest().Spawns.Player, Facing: contracts.Vec3{0, 0, -1}, Since: now,
	}}, nil
}

// put stores an avatar as the most recently seen one.
func (ps *Players) put(p player) {
	ps.remove(p.row.PlayerID)
	ps.all = slices.Insert(ps.all, 0, p)
}

func (ps *Players) remove(id string) {
	ps.all = slices.DeleteFunc(ps.all, func(p player) bool { return p.row.PlayerID == id })
}

func (p *player) report(sc *scene.Scene, c contracts.PlayerPos) contracts.Reply {
	if !sc.OnFloor(c.Pos) {
		return contracts.Reply{Refusal: contracts.RefuseField("payload.data.pos", "the position is outside the room")}
	}
	p.path = nil
	p.row.Pos = contracts.Vec3{c.Pos[0], 0, c.Pos[2]}
	if c.Facing != nil {
		p.row.Facing = *c.Facing
	}
	return contracts.Reply{}
}

func (p *player) move(sc *scene.Scene, c contracts.MovePlayerTo, now int64) contracts.Reply {
	from := p.at(now).Pos
	if !sc.OnFloor(from) { // the room there has closed
		from = sc.Manifest().Spawns.Player
	}
	var path []contracts.Vec3
	ok := false
	switch {
	case c.POIID != "":
		poi, known := sc.POI(c.POIID)
		if !known {
			return contracts.Reply{Refusal: contracts.Refuse(contracts.CodeNotFound, "no place %q in this room", c.POIID)}
		}
		path, ok = sc.PathToAnchor(from, poi.NavAnchors[0])
	case c.Pos != nil && sc.OnFloor(*c.Pos) && sc.Walkable(*c.Pos):
		path, ok = sc.Path(from, *c.Pos)
	}
	if !ok {
		return contracts.Reply{Refusal: contracts.Refuse(contracts.CodeNotAllowed, "this spot cannot be reached; choose another one")}
	}
	p.path, p.started = path, now
	return contracts.Reply{Result: contracts.Result{Path: path, SpeedMPS: contracts.WalkSpeed}}
}

// List returns the people in the room: people on this node first, most recently seen first.
func (ps *Players) List() []contracts.Player {
	out := ps.Local()
	ps.mu.Lock()
	defer ps.mu.Unlock()
	for _, node := range slices.Sorted(maps.Keys(ps.others)) {
		out = append(out, ps.others[node]...)
	}
	return out
}

// SetOthers replaces the list of people on another node; an empty list removes them.
func (ps *Players) SetOthers(node string, list []contracts.Player) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if len(list) == 0 {
		delete(ps.others, node)
		return
	}
	ps.others[node] = list
}

// Local returns the people on this node, most recently seen first.
func (ps *Players) Local() []contracts.Player {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	now := ps.ms()
	out := make([]contracts.Player, len(ps.all))
	for i, p := range ps.all {
		out[i] = p.at(now)
	}
	return out
}

// Remove removes a person on this node from the room.
func (ps *Players) Remove(id string) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.remove(id)
}
