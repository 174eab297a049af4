package scene

import (
	"math"

	"github.com/bullpen-office/bullpen/contracts"
)

// Length returns the length of a path in metres.
func Length(path []contracts.Vec3) float64 {
	total := 0.0
	for i := 1; i < len(path); i++ {
		total += gap(path[i-1], path[i])
	}
	return total
}

// Along returns the point dist metres along a path, the heading there, and whether the path ends
// there. For an empty path it returns the origin and true; a path of length zero has a zero
// heading.
func Along(path []contracts.Vec3, dist float64) (pos, heading contracts.Vec3, arrived bool) {
	if len(path) == 0 {
		return pos, heading, true
	}
	if !(dist > 0) { // also NaN
		dist = 0
	}
	for i := 1; i < len(path); i++ {
		a, b := path[i-1], path[i]
		leg := gap(a, b)
		if leg == 0 {
			continue
		}
		heading = contracts.Vec3{(b[0] - a[0]) / leg, (b[1] - a[1]) / leg, (b[2] - a[2]) / leg}
		if dist < leg {
			t := dist / leg
			return contracts.Vec3{a[0] + (b[0]-a[0])*t, a[1] + (b[1]-a[1])*t, a[2] + (b[2]-a[2])*t}, heading, false
		}
		dist -= leg
	}
	return path[len(path)-1], heading, true
}

// Position returns where a person is at the time now, their heading, and whether they have arrived.
// The person started to walk along the path at startedAt. Times are in Unix milliseconds. Before
// the start, Position returns the path's first point.
func Position(path []contracts.Vec3, speedMPS float64, startedAt, now int64) (pos, heading contracts.Vec3, arrived bool) {
	return Along(path, speedMPS*float64(now-startedAt)/1000)
}

// gap returns the distance between two points.
func gap(a, b contracts.Vec3) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

// gapFlat returns the horizontal distance between two points.
func gapFlat(a, b contracts.Vec3) float64 { return math.Hypot(a[0]-b[0], a[2]-b[2]) }
