package rehearsal

import (
	"fmt"
	"strings"
)

func (b brief) composeCopy(d *document) {
	v, name, exact := voiceOf(b.tone)
	heads, subs := 5, 3
	if b.short() {
		heads, subs = 3, 2
	}
	tone := fmt.Sprintf("Voice: **%s**. Written for %s.", name, b.addressed())
	if b.tone != "" && !strings.EqualFold(name, b.tone) {
		tone = fmt.Sprintf("Tone asked for: **%s**. Written for %s in the %s voice.", b.tone, b.addressed(), name)
	}
	if !exact {
		tone += " The crew has no voice of that name; a writer should adjust the words."
	}
	d.add("Tone", "%s", tone)
	d.add("Headlines", "%s", numbered(b.filled(v.headlines[:heads])...))
	d.add("Subheads", "%s", bullets(b.filled(v.subheads[:subs])...))
	d.add("Calls to action", "%s", bullets(b.filled(v.calls[:3])...))
	d.add("Body", "%s", strings.Join(b.paragraphs(v), "\n\n"))
	d.add("Subject lines", "%s", bullets(b.filled([]string{v.headlines[heads], "For {readers}: {topic}"})...))
}

func (b brief) paragraphs(v voice) []string {
	out := []string{b.fill(v.opening)}
	if !b.short() {
		out = append(out,
			b.fill("What you get: {topic}, in a form that can be used at once. What you do not get: promises that nobody has checked."),
		)
		if len(b.names) > 0 {
			out = append(out, fmt.Sprintf("It takes %s into account, as the request asks.", strings.Join(b.names, ", ")))
		}
	}
	if strings.Contains(b.length, "long") || strings.Contains(b.length, "detailed") {
		out = append(out,
			b.fill("How it came about: the request said “"+b.text+"”. From that we took the subject, {topic}, and left out whatever does not help {readers}."),
			b.fill("What comes next: every claim above should be checked against the real thing before it is published."),
		)
	}
	return append(out, b.fill(v.closing))
}
