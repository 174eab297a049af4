package hud

import (
	"slices"
	"strconv"
	"strings"
)

// pen is the current style of the terminal: SGR attributes and two colours.
type pen struct {
	on     [10]bool // indexed by the code that turns an attribute on
	fg, bg string   // SGR codes; empty means the default colour
}

// attributes are the SGR attributes that viewers draw. "Hidden" is not among them, so that hidden
// text is shown.
var attributes = []int{1, 2, 3, 4, 7, 9}

// ends maps an SGR code to the attributes that the code turns off.
var ends = map[int][]int{22: {1, 2}, 23: {3}, 24: {4}, 27: {7}, 29: {9}}

// codes returns the pen's state as SGR codes in a fixed order.
func (p *pen) codes() string {
	var list []string
	for _, a := range attributes {
		if p.on[a] {
			list = append(list, strconv.Itoa(a))
		}
	}
	for _, colour := range []string{p.fg, p.bg} {
		if colour != "" {
			list = append(list, colour)
		}
	}
	return strings.Join(list, ";")
}

// set applies the parameters of one SGR sequence.
func (p *pen) set(params []string) {
	for len(params) > 0 {
		first := params[0]
		params = params[1:]
		if strings.Contains(first, ":") {
			p.setParts(strings.Split(first, ":"))
			continue
		}
		code, err := strconv.Atoi(first)
		if first != "" && err != nil {
			continue
		}
		if code == 38 || code == 48 {
			colour, used := colourOf(params)
			p.colour(code, colour)
			params = params[used:]
			continue
		}
		p.code(code)
	}
}

// setParts applies one SGR parameter whose parts are separated by colons.
func (p *pen) setParts(parts []string) {
	switch code, _ := strconv.Atoi(parts[0]); code {
	case 4:
		p.on[4] = parts[1] != "0"
	case 38, 48:
		rest := parts[1:]
		if len(rest) >= 5 && rest[0] == "2" { // a colour space precedes the colour
			rest = append([]string{"2"}, rest[2:]...)
		}
		colour, _ := colourOf(rest)
		p.colour(code, colour)
	}
}

func (p *pen) code(code int) {
	switch {
	case code == 0:
		*p = pen{}
	case slices.Contains(attributes, code):
		p.on[code] = true
	case code == 21:
		p.on[4] = true
	case ends[code] != nil:
		for _, a := range ends[code] {
			p.on[a] = false
		}
	case code >= 30 && code <= 37, code >= 90 && code <= 97:
		p.fg = strconv.Itoa(code)
	case code >= 40 && code <= 47, code >= 100 && code <= 107:
		p.bg = strconv.Itoa(code)
	case code == 39:
		p.fg = ""
	case code == 49:
		p.bg = ""
	}
}

func (p *pen) colour(code int, colour string) {
	switch {
	case colour == "":
	case code == 38:
		p.fg = "38;" + colour
	default:
		p.bg = "48;" + colour
	}
}

// colourOf returns the colour that follows the code 38 or 48, and the number of parameters used. If
// the colour is invalid, colour is empty.
func colourOf(params []string) (colour string, used int) {
	if len(params) == 0 {
		return "", 0
	}
	size := map[string]int{"5": 2, "2": 4}[params[0]]
	if size == 0 {
		return "", 1
	}
	if len(params) < size {
		return "", len(params)
	}
	out := []string{params[0]}
	for _, part := range params[1:size] {
		n, err := strconv.Atoi(part)
		if part != "" && err != nil || n < 0 || n > 255 {
			return "", size
		}
		out = append(out, strconv.Itoa(n))
	}
	return strings.Join(out, ";"), size
}
