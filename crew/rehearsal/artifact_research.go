package rehearsal

import (
	"fmt"
	"strings"
)

// unfilled marks what only real research can say.
const unfilled = "to be filled by a real researcher"

// limitCandidates keeps the comparison readable.
const limitCandidates = 6

func (b brief) composeResearch(d *document) {
	d.add("Question", "About %s: what would serve %s best, and what can we learn from what exists already?", b.topic(), b.readers())
	known := []string{fmt.Sprintf("The request in its own words: “%s”", b.text)}
	for _, c := range b.constraints {
		known = append(known, fmt.Sprintf("A constraint: %s is %s", c.key, c.value))
	}
	if b.audience != "" {
		known = append(known, "The audience: "+b.audience)
	}
	if len(b.names) > 0 {
		known = append(known, "Named in the request: "+strings.Join(b.names, ", "))
	}
	d.add("What we know", "%s", bullets(known...))
	d.add("Questions to answer", "%s", numbered(b.researchQuestions()...))
	d.add("Comparison", "%s", b.comparison())
	d.add("Sources to use", "%s", bullets(
		fmt.Sprintf("Three conversations with %s", b.readers()),
		"What the candidates say about themselves, with the date on which it was read",
		"What their users complain about in public reviews",
		"Our own numbers, if there are any",
	))
	d.add("How to decide", "%s", numbered(
		"Fill the table; leave a cell empty rather than guess.",
		fmt.Sprintf("Rank by **%s**.", strings.ToLower(b.criteria()[0])),
		"Write one sentence that somebody could disagree with.",
	))
	d.add("Honest state", "This is the frame of the research, derived from the request. Nothing was looked up: cells marked “%s” need real work.", unfilled)
}

func (b brief) researchQuestions() []string {
	out := []string{
		fmt.Sprintf("What do %s do today without %s?", b.readers(), b.topic()),
		"What annoys them most about that?",
		fmt.Sprintf("Who else offers something like %s, and to whom?", b.topic()),
		"What do the best three have in common?",
		"What does nobody offer yet?",
	}
	if len(b.names) > 1 {
		out = append(out, fmt.Sprintf("Where do %s differ in a way that matters here?", strings.Join(b.names, ", ")))
	}
	if b.emphasis != "" {
		out = append(out, fmt.Sprintf("How can “%s” be measured?", b.emphasis))
	}
	return out
}

// criteria puts what the person weighs most first.
func (b brief) criteria() []string {
	out := []string{"Fit for the audience", "Price", "Ease of use", "Trust and support"}
	if b.emphasis == "" {
		return out
	}
	first := []string{b.emphasis}
	for _, c := range out {
		if !strings.EqualFold(c, b.emphasis) {
			first = append(first, c)
		}
	}
	return first[:4]
}

func (b brief) comparison() string {
	rows := b.names
	if len(rows) < 2 {
		rows = []string{"Candidate A", "Candidate B", "Candidate C"}
	}
	rows = rows[:min(len(rows), limitCandidates)]
	var sb strings.Builder
	head := b.criteria()
	fmt.Fprintf(&sb, "| Candidate | %s |\n|---%s|\n", cell(strings.Join(head, "\x00")), strings.Repeat("|---", len(head)))
	for _, r := range rows {
		fmt.Fprintf(&sb, "| %s %s|\n", cell(r), strings.Repeat("| _"+unfilled+"_ ", len(head)))
	}
	return strings.ReplaceAll(sb.String(), "\x00", " | ")
}
