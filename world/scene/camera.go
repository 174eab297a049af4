package scene

import (
	"math"

	"github.com/bullpen-office/bullpen/contracts"
)

// ShowsFace reports whether the scene's overview camera sees the face of a person at an anchor.
func (s *Scene) ShowsFace(a *contracts.NavAnchor) bool {
	sin, cos := math.Sincos(s.manifest.Ambience.Camera.Azimuth * math.Pi / 180)
	return a.Facing[0]*sin+a.Facing[2]*cos > 0
}
