// Package scene models the room that people walk in: a manifest, the grid of cells that the
// furniture leaves free, and paths across it.
//
// Guarantees: a parsed scene never changes and is safe for concurrent use; the same scene and
// arguments give the same path; a path starts and ends at the requested points and stays clear of
// all colliders, except for the step onto or off a seat.
//
// It reads no clock, uses no random numbers, does no logging or IO and starts no goroutines.
package scene

import (
	"fmt"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
)

// Scene is a parsed manifest, or a campus composed of several manifests, with its walkable grid.
type Scene struct {
	manifest contracts.SceneManifest
	encoded  []byte
	floor    floorPlan
	walls    []outline       // walls between parts of a campus
	parts    map[string]span // the POIs of each part of a campus
	pois     map[string]*contracts.POI
	anchors  map[string]anchorPlace
	seats    []*contracts.NavAnchor // anchors with an approach
	grid     grid
}

// anchorPlace is an anchor and the POI it belongs to.
type anchorPlace struct {
	anchor *contracts.NavAnchor
	poi    *contracts.POI
}

// Parse decodes a manifest strictly: an unknown or duplicate field is an error, and so is a grid
// that is too large or too coarse. Preflight checks everything else.
func Parse(manifest []byte) (*Scene, error) {
	s := &Scene{}
	if err := json.Unmarshal(manifest, &s.manifest, json.RejectUnknownMembers(true)); err != nil {
		return nil, contracts.JSONFileError(manifest, err)
	}
	r := &s.manifest.Room
	s.floor = floorPlan{{-r.W / 2, -r.D / 2, r.W / 2, r.D / 2}}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	var err error
	if s.encoded, err = json.Marshal(&s.manifest); err != nil {
		return nil, fmt.Errorf("encode scene %q: %w", s.manifest.SceneID, err)
	}
	return s, nil
}

// prepare computes everything that is derived from the manifest, the floor and the walls.
func (s *Scene) prepare() error {
	g, err := newGrid(s)
	if err != nil {
		return fmt.Errorf("scene %q: %w", s.manifest.SceneID, err)
	}
	s.grid = g
	s.pois = make(map[string]*contracts.POI, len(s.manifest.POIs))
	s.anchors = make(map[string]anchorPlace)
	for i := range s.manifest.POIs {
		p := &s.manifest.POIs[i]
		if _, taken := s.pois[p.POIID]; !taken {
			s.pois[p.POIID] = p
		}
		for j := range p.NavAnchors {
			a := &p.NavAnchors[j]
			if _, taken := s.anchors[a.ID]; !taken {
				s.anchors[a.ID] = anchorPlace{anchor: a, poi: p}
			}
			if a.Approach != nil {
				s.seats = append(s.seats, a)
			}
		}
	}
	return nil
}

var parseDefault = sync.OnceValue(func() *Scene {
	s, err := Parse(contracts.DefaultSceneManifest)
	if err != nil {
		panic("embedded scene is invalid: " + err.Error())
	}
	return s
})

// Default returns the embedded scene, which is parsed only once.
func Default() *Scene { return parseDefault() }

// ID returns the scene's id.
func (s *Scene) ID() string { return s.manifest.SceneID }

// Manifest returns the scene's own manifest, not a copy: treat it as read-only. The manifest of a
// campus is that of the house, with the objects, the places and the grid of all parts.
func (s *Scene) Manifest() *contracts.SceneManifest { return &s.manifest }

// JSON returns the manifest as it is sent to clients; for a campus, this is the manifest of the
// house. Treat it as read-only.
func (s *Scene) JSON() []byte { return s.encoded }

// POI returns the place with the given id, and reports whether it exists.
func (s *Scene) POI(id string) (*contracts.POI, bool) {
	p, ok := s.pois[id]
	return p, ok
}

// POIsOfType lists the places of a type in manifest order; for a campus, only places in the house.
func (s *Scene) POIsOfType(t contracts.POIType) []*contracts.POI { return s.POIsIn("", t) }

// POIsIn lists the places of a type in one part of the scene, in manifest order. A part is the id of
// a room, contracts.GardenScene, or empty for the house; an unknown part has no places.
func (s *Scene) POIsIn(part string, t contracts.POIType) []*contracts.POI {
	in, ok := s.parts[part]
	if s.parts == nil && part == "" {
		in, ok = span{0, len(s.manifest.POIs)}, true
	}
	if !ok {
		return nil
	}
	var found []*contracts.POI
	for i := in.first; i < in.end; i++ {
		if p := &s.manifest.POIs[i]; p.Type == t {
			found = append(found, p)
		}
	}
	return found
}

// Place returns the place with the most anchors among the places of a type; on a tie, the first. It
// returns false if there is none. Preflight reports types that the flows need but the scene does
// not have.
func (s *Scene) Place(t contracts.POIType) (*contracts.POI, bool) {
	var best *contracts.POI
	for _, p := range s.POIsOfType(t) {
		if best == nil || len(p.NavAnchors) > len(best.NavAnchors) {
			best = p
		}
	}
	return best, best != nil
}

// Anchor returns the anchor with the given id and the place that it belongs to, or false if there
// is none.
func (s *Scene) Anchor(id string) (*contracts.NavAnchor, *contracts.POI, bool) {
	at, ok := s.anchors[id]
	return at.anchor, at.poi, ok
}

// DecorAnchors lists the trophy anchors in the order they are filled.
func (s *Scene) DecorAnchors() []contracts.DecorAnchor { return s.manifest.DecorAnchors }
