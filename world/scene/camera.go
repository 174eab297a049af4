package scene

import (
	"math"

	"github.com/bullpen-office/bullpen/contracts"
)

// ShowsFace reports whether a person at an anchor is seen from the front by the scene's overview
// camera.
func (s *Scene) ShowsFace(a *contracts.NavAnchor) bool {
	sin, cos := math.Sincos(s.manifest.Ambience.Camera.Azimuth * math.Pi / 180)
	return a.Facing[0]*sin+a.Facing[2]*cos > 0
}
