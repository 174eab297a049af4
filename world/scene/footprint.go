package scene

import (
	"math"

	"github.com/bullpen-office/bullpen/contracts"
)

// outline is a collider in room coordinates.
type outline struct {
	shape    contracts.FootprintShape
	x, z     float64 // centre
	sin, cos float64
	w, d     float64 // half extents
}

// outlineOf converts an object's footprint to room coordinates. ok is false for objects
// that can be walked over.
func outlineOf(o *contracts.SceneObject) (_ outline, ok bool) {
	f := o.Footprint
	if f.Passable || f.Shape == contracts.FootprintNone {
		return outline{}, false
	}
	sin, cos := math.Sincos(o.RotationY)
	return outline{
		shape: f.Shape,
		x:     o.Pos[0] + f.Offset[0]*cos + f.Offset[1]*sin,
		z:     o.Pos[2] - f.Offset[0]*sin + f.Offset[1]*cos,
		sin:   sin,
		cos:   cos,
		w:     f.W / 2,
		d:     f.D / 2,
	}, true
}

// touch is the greatest distance inside an outline at which a point counts as only touching it, so
// that rounding never decides whether a cell is walkable.
const touch = 1e-9

// covers reports whether the point is inside the outline enlarged by margin.
func (o *outline) covers(x, z, margin float64) bool {
	margin -= touch
	dx, dz := x-o.x, z-o.z
	lx, lz := dx*o.cos-dz*o.sin, dx*o.sin+dz*o.cos
	if o.shape == contracts.FootprintEllipse {
		w, d := o.w+margin, o.d+margin
		if w <= 0 || d <= 0 {
			return false
		}
		return (lx*lx)/(w*w)+(lz*lz)/(d*d) < 1
	}
	ox, oz := math.Abs(lx)-o.w, math.Abs(lz)-o.d // negative inside
	if ox > 0 && oz > 0 {
		return math.Hypot(ox, oz) < margin
	}
	return max(ox, oz) < margin
}
