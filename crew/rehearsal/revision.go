package rehearsal

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/hud"
)

// changesTitle heads the section that tells what a version changed.
const changesTitle = "Changes in version "

// revision applies the instructions of a change request to a document.
type revision struct {
	brief brief
	job   crew.TaskJob
	doc   document
	notes []string
}

// clauses are separate wishes in one instruction.
var clauses = regexp.MustCompile(`(?i)[.;!\n]+\s*|,\s*(?:and\s+)?|\s+and\s+(?:also\s+|then\s+)?|\s+then\s+`)

// revise makes the next version out of the earlier one. Wishes that it
// understands are carried out; the others are written down next to a revised
// section, so that they are never lost. The result always differs.
func revise(b brief, job crew.TaskJob, a crew.Artifact, previous []source) crew.Artifact {
	r := revision{brief: b, job: job, doc: parse(a.Content)}
	version := max(job.Task.Attempt, 2)
	if len(previous) > 0 {
		p := previous[len(previous)-1]
		r.doc = parse(p.text)
		version = p.Version + 1
		if p.Title != "" {
			a.Title = p.Title
		}
	}
	r.drop(changesTitle)
	wishes := splitClauses(job.Instructions)
	// A new tone writes whole sections anew; first, so that it undoes no other wish.
	slices.SortStableFunc(wishes, func(x, y string) int { return strings.Compare(r.toneOf(y), r.toneOf(x)) })
	for _, w := range wishes {
		r.apply(w)
	}
	if len(r.notes) == 0 {
		r.notes = append(r.notes, "Written again without instructions; the sections were checked and kept.")
	}
	asked := ""
	if job.Instructions != "" {
		asked = fmt.Sprintf("Asked for: “%s”\n\n", hud.Shorten(job.Instructions, 600))
	}
	r.doc.add(changesTitle+strconv.Itoa(version), "%s", asked+bullets(r.notes...))
	if r.doc.title == "" {
		r.doc.title = a.Title
	}
	a.Content = r.doc.String()
	return a
}

// quoted text may contain anything, so it is never split.
var quotedText = regexp.MustCompile(`["“«][^"”»]*["”»]`)

func splitClauses(text string) []string {
	var kept []string
	masked := quotedText.ReplaceAllStringFunc(text, func(q string) string {
		kept = append(kept, q)
		return fmt.Sprintf("\x00%d\x00", len(kept)-1)
	})
	var out []string
	for _, c := range clauses.Split(masked, -1) {
		for i, q := range kept {
			c = strings.ReplaceAll(c, fmt.Sprintf("\x00%d\x00", i), q)
		}
		if c = strings.TrimSpace(c); c != "" {
			out = append(out, c)
		}
	}
	return out
}

var (
	shortenWish = regexp.MustCompile(`(?i)\b(?:shorten|shorter|trim|condense|tighten|cut\s+down|more\s+concise|too\s+long|less\s+text)\b\s*(.*)`)
	removeWish  = regexp.MustCompile(`(?i)\b(?:remove|delete|drop|omit|leave\s+out|get\s+rid\s+of|without)\b\s+(.+)`)
	addWish     = regexp.MustCompile(`(?i)\b(?:add|include|give(?:\s+me)?|need|want)\b\s+(?:(\d+|an?|one|two|three|four|five|six|some|more|another|a\s+few)\s+)?(?:more\s+|another\s+|additional\s+|extra\s+)?(.+)`)
	renameWish  = regexp.MustCompile(`(?i)\b(?:rename|replace|change|call)\b\s+(.+?)\s+(?:to|with|by|into|as)\s+(.+)`)
	toneWish    = regexp.MustCompile(`(?i)\b(?:more|less\s+\w+,?\s+more|make\s+it|tone[:\s]+|sound|too)\s*(?:more\s+|sound\s+)?(\w+)`)
)

// apply carries one wish out.
func (r *revision) apply(wish string) {
	before := r.doc.String()
	note := ""
	switch {
	case renameWish.MatchString(wish):
		m := renameWish.FindStringSubmatch(wish)
		note = r.rename(unquote(m[1]), unquote(m[2]))
	case r.toneOf(wish) != "":
		note = r.retone(r.toneOf(wish))
	case shortenWish.MatchString(wish):
		note = r.shorten(shortenWish.ReplaceAllString(wish, "$1"))
	case removeWish.MatchString(wish):
		note = r.remove(unquote(removeWish.FindStringSubmatch(wish)[1]))
	case addWish.MatchString(wish):
		m := addWish.FindStringSubmatch(wish)
		note = r.more(number(m[1]), unquote(m[2]))
	}
	if note == "" || r.doc.String() == before {
		note = r.writeDown(wish)
	}
	r.notes = append(r.notes, note)
}

func (r *revision) toneOf(wish string) string {
	for _, m := range toneWish.FindAllStringSubmatch(wish, -1) {
		k := strings.ToLower(m[1])
		if _, like := likeVoices[k]; like || toneWords[k] {
			if strings.Contains(strings.ToLower(wish), "too "+k) || strings.Contains(strings.ToLower(wish), "less "+k) {
				return "plain"
			}
			return k
		}
	}
	return ""
}

// writeDown keeps a wish that we cannot carry out beside the section it is about.
func (r *revision) writeDown(wish string) string {
	s := r.doc.find(wish)
	if s == nil && len(r.doc.sections) > 0 {
		s = &r.doc.sections[0]
	}
	if s == nil {
		r.doc.add("To revise", "Wanted here: %s.", trimPunct(wish))
		return fmt.Sprintf("“%s” is written down under “To revise”.", wish)
	}
	s.body += fmt.Sprintf("\n\n**Revised:** this part now has to meet the wish “%s”.", trimPunct(wish))
	return fmt.Sprintf("“%s” is taken up under “%s”; a person or a model should word it.", trimPunct(wish), s.title)
}

func (r *revision) drop(prefix string) {
	kept := r.doc.sections[:0]
	for _, s := range r.doc.sections {
		if !strings.HasPrefix(s.title, prefix) {
			kept = append(kept, s)
		}
	}
	r.doc.sections = kept
}

func unquote(s string) string {
	s = strings.TrimSpace(s)
	if m := quotedText.FindString(s); m != "" {
		s = m
	}
	return strings.Trim(trimPunct(s), `"“”«»`)
}

func number(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return min(max(n, 1), 12)
	}
	for i, w := range []string{"", "one", "two", "three", "four", "five", "six"} {
		if i > 0 && strings.EqualFold(s, w) {
			return i
		}
	}
	if strings.EqualFold(s, "some") || strings.EqualFold(s, "more") || strings.Contains(strings.ToLower(s), "few") {
		return 2
	}
	return 1
}
