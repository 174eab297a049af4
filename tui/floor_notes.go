package tui

import (
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// placeNames maps a type of place to the name written on the floor.
var placeNames = map[contracts.POIType]string{
	contracts.POIMeetingTable: "Meeting", contracts.POILounge: "Lounge", contracts.POICoffeeBar: "Coffee", contracts.POIInbox: "Reception",
}

// crowdNames maps a type of place to the name shown next to crowds and in the roll.
var crowdNames = map[contracts.POIType]string{
	contracts.POIMeetingTable: "meeting", contracts.POILounge: "lounge", contracts.POICoffeeBar: "coffee", contracts.POIInbox: "reception",
	contracts.POIBeanbags: "beanbags", contracts.POIDevDesk: "desks", contracts.POIResearchDesk: "desks", contracts.POIDesignDesk: "desks",
	contracts.POIWritingDesk: "desks", contracts.POIDirectorDesk: "desk", contracts.POITaskBoard: "board", contracts.POIDeliveryShelf: "shelf", contracts.POITrophyShelf: "shelf",
	contracts.POIGarden: "garden",
}

// placeReach is the maximum distance, in columns, at which a crowd counts as being at a place.
const placeReach = 24

// place returns the name of the place nearest to a point on the floor, or "" if no place is near.
func (f *floor) place(scene *contracts.SceneManifest, x, y int) string {
	best, near := "", placeReach
	for _, p := range scene.POIs {
		for _, n := range p.NavAnchors {
			px, py := f.at(n.Pos)
			if d := abs(px-x) + 2*abs(py-y); d < near {
				best, near = crowdNames[p.Type], d
			}
		}
	}
	return best
}

// notes writes the names of places on the floor and returns the signs for the back wall. In the
// house, these are the signs of the board and the shelves; in other parts, the part's label.
func (s *officeScreen) notes(f *floor, part *model.Part) (wall []sign) {
	l := &s.app.look
	trophies, reviews := len(s.app.office.Rows().Decor), s.reviews()
	if part.ID != model.House {
		wall = append(wall, sign{f.w / 2, l.accents[part.Accent].Bold(true).Render(" " + clip(model.Line(part.Label), f.w-2) + " "), 0})
	}
	for _, p := range part.Manifest.POIs {
		if name := placeNames[p.Type]; name != "" {
			f.note(p.UIAnchor, name)
		}
		if part.ID != model.House {
			continue
		}
		text, things := "", 0
		switch p.Type {
		case contracts.POITaskBoard:
			text = l.soft.Render(" Board")
		case contracts.POITrophyShelf:
			things = min(8, trophies)
			text = l.soft.Render(" Trophies ") + l.need.Render(strings.Repeat("★", things))
		case contracts.POIDeliveryShelf:
			things = min(6, reviews)
			text = l.soft.Render(" Deliveries ") + l.need.Render(strings.Repeat("■", things))
		default:
			continue
		}
		x, _ := f.at(p.UIAnchor)
		wall = append(wall, sign{x, text + " ", things})
	}
	return wall
}

func (s *officeScreen) reviews() (n int) {
	for _, r := range s.app.office.Rows().Artifacts {
		if r.Status == contracts.ArtifactInReview || r.Status == contracts.ArtifactDelivered {
			n++
		}
	}
	return n
}
