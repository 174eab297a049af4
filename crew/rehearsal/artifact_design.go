package rehearsal

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// palette is a set of colours by role.
type palette struct {
	name                         string
	ground, ink, accent, support string
}

var palettes = map[string]palette{
	"calm":    {"Calm", "#F4F1EA", "#27313A", "#3E6E75", "#C9D6CF"},
	"bold":    {"Bold", "#FFFFFF", "#111111", "#C81E3A", "#FFD84D"},
	"playful": {"Playful", "#FFF8EF", "#2B2140", "#B0307A", "#7FD1C1"},
	"elegant": {"Elegant", "#FAF8F5", "#1F1B24", "#7A5C2E", "#D9CFC1"},
	"warm":    {"Warm", "#FFF6EC", "#3A2318", "#A8461C", "#F2C894"},
	"cool":    {"Cool", "#F2F7FB", "#16283A", "#1F6391", "#BBD7E8"},
	"neutral": {"Neutral", "#FAFAFA", "#222222", "#555555", "#DDDDDD"},
	"dark":    {"Dark", "#15171C", "#F1F1EE", "#F2B84B", "#3A404C"},
}

// likePalettes maps tones to the palette that is nearest.
var likePalettes = map[string]string{
	"friendly": "warm", "casual": "warm", "formal": "neutral", "professional": "cool", "serious": "neutral", "technical": "cool",
	"funny": "playful", "witty": "playful", "luxurious": "elegant", "confident": "bold", "plain": "neutral",
}

func (b brief) palette() palette {
	for _, w := range newPhrase(b.emphasis + " " + b.tone) {
		k := key(w)
		if like, ok := likePalettes[k]; ok {
			k = like
		}
		if p, ok := palettes[k]; ok {
			return p
		}
	}
	return palettes["calm"]
}

func (b brief) composeDesign(d *document) {
	p := b.palette()
	d.add("Purpose", "%s has to be understood by %s at first sight, and be pleasant at the second.", title(b.topic()), b.readers())
	mood := p.name
	if b.tone != "" {
		mood = title(b.tone)
	}
	d.add("Mood", "**%s**, with the %s palette. Whatever does not carry this mood is left out.", mood, strings.ToLower(p.name))
	d.add("Palette", "| Role | Colour | Contrast on ground |\n|---|---|---|\n| Ground | `%s` | – |\n| Ink | `%s` | %.1f : 1 |\n| Accent | `%s` | %.1f : 1 |\n| Support | `%s` | decoration only |",
		p.ground, p.ink, contrast(p.ink, p.ground), p.accent, contrast(p.accent, p.ground), p.support)
	d.add("Typography", "%s", bullets(
		"One family for everything; headings in its bold weight",
		"Body 16–18 px, line height 1.5, at most 70 characters a line",
		"Headings in three sizes: 40, 28, 20 px",
	))
	d.add("Layout", "%s", numbered(b.layout()...))
	d.add("Components", "%s", bullets(b.components()...))
	d.add("Accessibility", "%s", bullets(
		"Text keeps at least 4.5 : 1 contrast; the figures above are computed from the colours",
		"Nothing is said by colour alone",
		"Everything works with the keyboard and in black and white",
	))
	d.add("Deliverables", "%s", bullets(
		fmt.Sprintf("One sheet with %s in its final form", b.topic()),
		"The palette and type as named styles",
		"A small version and a version on dark ground",
	))
}

// layout follows from what is to be designed.
func (b brief) layout() []string {
	switch {
	case mentions(b.text, words("logo icon brand branding")):
		return []string{"Mark: one shape that is readable at 16 px", "Word: the name beside or under the mark", "Clear space: half the mark's height on each side", "Variants: colour, one colour, reversed"}
	case mentions(b.text, words("poster flyer banner")):
		return []string{"One picture or shape that carries the subject", "One line that can be read from three metres", "Place, time and what to do", "A quiet margin all around"}
	case mentions(b.text, words("deck slide presentation")):
		return []string{"Opening: the one sentence to remember", "Problem, answer, proof: one slide each", "One picture or number per slide", "Closing: what we ask for"}
	case mentions(b.text, words("app ui ux interface dashboard wireframe prototype")):
		return []string{"Start: what needs attention now", "List: everything, filtered by state", "Detail: one thing with its actions", "Empty, loading and error states of each"}
	}
	return []string{
		fmt.Sprintf("Hero: what %s is, for whom, and one action", b.topic()),
		"Proof: three short reasons, each with a picture",
		"How it works: three steps",
		"Questions: the four that are asked most",
		"Closing: the same action again",
	}
}

func (b brief) components() []string {
	return []string{
		"Button: one primary, one quiet; both at least 44 px high",
		"Card: picture, title, two lines, one action",
		"Notice: for success, warning and failure, each with an icon and words",
		fmt.Sprintf("A small sign that says “%s” wherever space is tight", title(b.subject)),
	}
}

// contrast is the WCAG contrast ratio of two colours.
func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(hex string) float64 {
	n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil {
		return 0
	}
	channel := func(shift uint) float64 {
		c := float64(n>>shift&0xff) / 255
		if c <= 0.03928 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(16) + 0.7152*channel(8) + 0.0722*channel(0)
}
