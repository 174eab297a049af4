package scene

import "github.com/bullpen-office/bullpen/contracts"

// Plots returns the first n plots in the order they are used: in L-shaped rings around the house,
// from the inside outwards, without the plot of the garden.
func Plots(n int) []contracts.Plot {
	out := make([]contracts.Plot, 0, n)
	for ring := 1; len(out) < n; ring++ {
		for i := range ring {
			out = append(out, contracts.Plot{ring, i}, contracts.Plot{i, ring})
		}
		if corner := (contracts.Plot{ring, ring}); corner != contracts.GardenPlot {
			out = append(out, corner)
		}
	}
	return out[:n]
}

// Site is the division of the campus into plots. The position of a plot depends only on the sizes
// of the house and of a studio, so that nothing moves when a room opens or closes.
type Site struct {
	House, Studio Size
}

// Size is a width along x and a depth along z, in metres.
type Size struct{ W, D float64 }

// Area is a rectangle on the floor, in metres.
type Area struct{ X0, Z0, X1, Z1 float64 }

// floorPlan is the floor of a scene: areas that may touch each other.
type floorPlan []Area

// contains reports whether a point is on the floor or at most slack metres away from one of its
// areas; false for NaN.
func (f floorPlan) contains(x, z, slack float64) bool {
	for _, a := range f {
		if x >= a.X0-slack && x <= a.X1+slack && z >= a.Z0-slack && z <= a.Z1+slack {
			return true
		}
	}
	return false
}

// Centre returns the centre of a plot. The centre of the house is the origin.
func (s Site) Centre(p contracts.Plot) (x, z float64) {
	return round(plotCentre(p[0], s.House.W, s.Studio.W)), round(plotCentre(p[1], s.House.D, s.Studio.D))
}

// Ground returns the strips of ground under the house, the garden and the rooms on the given plots,
// and under everything between them, from back to front. Without rooms there is only the house.
func (s Site) Ground(plots []contracts.Plot) []Area {
	used := []contracts.Plot{contracts.HousePlot}
	if len(plots) > 0 {
		used = append(append(used, contracts.GardenPlot), plots...)
	}
	rows := 0
	for _, p := range used {
		rows = max(rows, p[1]+1)
	}
	var strips []Area
	left, back := round(-max(s.House.W, s.Studio.W)/2-contracts.CampusMargin), round(-max(s.House.D, s.Studio.D)/2-contracts.CampusMargin)
	for row := range rows {
		reach := 0
		for _, p := range used {
			if p[1] >= row {
				reach = max(reach, p[0])
			}
		}
		right, front := plotEnd(reach, s.House.W, s.Studio.W), plotEnd(row, s.House.D, s.Studio.D)
		if last := len(strips) - 1; last >= 0 && strips[last].X1 == right {
			strips[last].Z1 = front
		} else {
			strips = append(strips, Area{left, back, right, front})
		}
		back = front
	}
	return strips
}

// plotCentre returns the centre of a column or row. The first column or row is as large as the
// house or a studio, whichever is larger. All others are as large as a studio.
func plotCentre(i int, house, studio float64) float64 {
	if i == 0 {
		return 0
	}
	return max(house, studio)/2 + contracts.CampusGap + studio/2 + float64(i-1)*(studio+contracts.CampusGap)
}

// plotEnd returns the coordinate at which the ground of a column or row ends.
func plotEnd(i int, house, studio float64) float64 {
	size := studio
	if i == 0 {
		size = max(house, studio)
	}
	return round(plotCentre(i, house, studio) + size/2 + contracts.CampusMargin)
}
