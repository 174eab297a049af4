package tui

import (
	"math"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/bullpen-office/bullpen/contracts"
)

// cell is one character of the floor. A wide character also occupies the next cell, whose sign is
// then empty.
type cell struct {
	sign  string
	style *lipgloss.Style
	taken bool // shows a person or part of a person's name
}

// floor is the room seen from above, drawn from the server's manifest: walls, furniture, and the
// people at their current positions.
type floor struct {
	w, h  int // characters inside the walls
	room  contracts.SceneRoom
	cells []cell
	look  *look
}

// floorSize returns the size of the largest floor within w×h characters that keeps the room's
// proportions; a character is twice as tall as it is wide.
func floorSize(room contracts.SceneRoom, w, h int) (int, int) {
	if room.W <= 0 || room.D <= 0 {
		return w, h
	}
	ratio := room.D / room.W / 2
	if rows := int(math.Round(float64(w-2)*ratio)) + 2; rows <= h {
		return w, rows
	}
	return min(w, int(math.Round(float64(h-2)/ratio))+2), h
}

func newFloor(s *contracts.SceneManifest, l *look, w, h int) *floor {
	f := &floor{w: max(1, w-2), h: max(1, h-2), room: s.Room, look: l}
	f.cells = make([]cell, f.w*f.h)
	for i := range f.cells {
		f.cells[i].sign = " "
	}
	for i := range s.Objects {
		f.furnish(&s.Objects[i])
	}
	return f
}

// at returns the cell for a point in the room, or the nearest cell if the point is outside the
// room.
func (f *floor) at(p contracts.Vec3) (x, y int) {
	x = int(math.Floor((p[0]/f.room.W + 0.5) * float64(f.w)))
	y = int(math.Floor((p[2]/f.room.D + 0.5) * float64(f.h)))
	return max(0, min(x, f.w-1)), max(0, min(y, f.h-1))
}

// furnitureSigns maps a kind of furniture to its sign; other kinds are drawn as a plain block.
var furnitureSigns = map[string]string{
	"desk": "▒", "meeting_table": "▒", "coffee_table": "▒", "side_table": "▒", "island": "▒", "reception_stand": "▒",
	"sofa": "░", "armchair": "░", "beanbag": "░", "monstera": "♣", "plant_leafy": "♣", "bush": "♣", "planter": "♣", "cat": "~", "floor_lamp": "¤",
	"bench": "░", "picnic_table": "▒", "tree": "♣", "pond": "≈", "fire_pit": "¤", "lamp_post": "¤",
}

// furnish draws the area that an object covers. Passable objects, such as rugs and seats, are
// left out, so that people on them are visible.
func (f *floor) furnish(o *contracts.SceneObject) {
	fp := o.Footprint
	if fp.Shape == contracts.FootprintNone || fp.Shape == "" || fp.Passable {
		return
	}
	sign, known := furnitureSigns[o.Kind]
	if !known {
		sign = "▓"
	}
	style := &f.look.furniture
	if sign == "♣" {
		style = &f.look.plant
	}
	scale := 1.0
	if o.Scale > 0 {
		scale = o.Scale
	}
	sin, cos := math.Sincos(o.RotationY)
	drawn := false
	for y := range f.h {
		for x := range f.w {
			dx := (float64(x)+0.5)/float64(f.w)*f.room.W - f.room.W/2 - o.Pos[0]
			dz := (float64(y)+0.5)/float64(f.h)*f.room.D - f.room.D/2 - o.Pos[2]
			u, v := (dx*cos-dz*sin)/scale-fp.Offset[0], (dx*sin+dz*cos)/scale-fp.Offset[1]
			if covers(fp, u, v) {
				f.cells[y*f.w+x] = cell{sign: sign, style: style}
				drawn = true
			}
		}
	}
	if !drawn { // smaller than a character
		x, y := f.at(o.Pos)
		f.cells[y*f.w+x] = cell{sign: sign, style: style}
	}
}

func covers(fp contracts.Footprint, u, v float64) bool {
	u, v = 2*u/fp.W, 2*v/fp.D
	if fp.Shape == contracts.FootprintEllipse {
		return u*u+v*v <= 1
	}
	return math.Abs(u) <= 1 && math.Abs(v) <= 1
}

// person draws a person's sign and, if there is space, the name or its first letter next to the
// sign. It returns the position and width of the two together. A name never covers another person.
func (f *floor) person(p contracts.Vec3, sign string, name string, style *lipgloss.Style) (x, y, w int) {
	x, y = f.at(p)
	f.set(x, y, sign, style)
	for _, side := range [][]string{letters(name, nameOnFloor), letters(name, 1)} {
		n := len(side)
		if n == 0 {
			break
		}
		if f.free(x+1, y, n) {
			f.write(x+1, y, side, style)
			return x, y, n + 1
		}
		if f.free(x-n, y, n) {
			f.write(x-n, y, side, style)
			return x - n, y, n + 1
		}
	}
	return x, y, 1
}

func (f *floor) free(x, y, n int) bool {
	if x < 0 || x+n > f.w {
		return false
	}
	for i := x; i < x+n; i++ {
		if f.cells[y*f.w+i].taken {
			return false
		}
	}
	return true
}

func (f *floor) write(x, y int, letters []string, style *lipgloss.Style) {
	for i, one := range letters {
		f.set(x+i, y, one, style)
	}
}

// set writes one character; a wide character that it half covers is removed.
func (f *floor) set(x, y int, sign string, style *lipgloss.Style) {
	row := f.cells[y*f.w : (y+1)*f.w]
	if row[x].sign == "" {
		row[x-1].sign = " "
	}
	if x+1 < f.w && row[x+1].sign == "" {
		row[x+1].sign = " "
	}
	row[x] = cell{sign, style, true}
}

// note writes faint text centred on a point. It writes nothing if the text does not fit or if
// someone stands there.
func (f *floor) note(p contracts.Vec3, words string) {
	x, y := f.at(p)
	x = max(0, min(x-len(words)/2, f.w-len(words)))
	if len(words) <= f.w && f.free(x, y, len(words)) {
		for i, r := range words {
			f.cells[y*f.w+x+i] = cell{sign: string(r), style: &f.look.soft}
		}
	}
}

// sign is a label on the back wall, centred on x.
type sign struct {
	x      int
	text   string
	things int // number of items on the shelf
}

// lines draws the floor with its walls; the signs are part of the back wall.
func (f *floor) lines(wall []sign) []string {
	out := []string{f.look.rule.Render("╭") + f.backWall(wall) + f.look.rule.Render("╮")}
	side := f.look.rule.Render("│")
	for y := range f.h {
		var b strings.Builder
		b.WriteString(side)
		row := f.cells[y*f.w : (y+1)*f.w]
		for x := 0; x < len(row); {
			end := x + 1
			for end < len(row) && row[end].style == row[x].style {
				end++
			}
			text := ""
			for _, c := range row[x:end] {
				text += c.sign
			}
			if style := row[x].style; style != nil {
				text = style.Render(text)
			}
			b.WriteString(text)
			x = end
		}
		out = append(out, b.String()+side)
	}
	return append(out, f.look.rule.Render("╰"+strings.Repeat("─", f.w)+"╯"))
}

// backWall draws the back wall with its signs. Overlapping signs move to the right; if there is not
// enough space, signs without items are left out.
func (f *floor) backWall(signs []sign) string {
	slices.SortFunc(signs, func(a, b sign) int { return a.x - b.x })
	room := 0
	for _, s := range signs {
		room += lipgloss.Width(s.text)
	}
	for i := 0; i < len(signs) && room > f.w; {
		if signs[i].things > 0 {
			i++
			continue
		}
		room -= lipgloss.Width(signs[i].text)
		signs = slices.Delete(signs, i, i+1)
	}
	var b strings.Builder
	at := 0
	for _, s := range signs {
		w := lipgloss.Width(s.text)
		x := max(at, min(s.x-w/2, f.w-room))
		if x+w > f.w {
			break
		}
		b.WriteString(f.look.rule.Render(strings.Repeat("─", x-at)) + s.text)
		at, room = x+w, room-w
	}
	return b.String() + f.look.rule.Render(strings.Repeat("─", f.w-at))
}
