package rehearsal

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/hud"
)

// A plan has this many tasks, whatever was asked.
const (
	leastTasks = 2
	mostTasks  = 6
)

// order is the sequence in which kinds of work make sense.
var order = []contracts.TaskKind{
	contracts.KindResearch, contracts.KindPlan, contracts.KindCopy, contracts.KindDesign, contracts.KindCode, contracts.KindReview,
}

// verbs start a title when the user gave only a noun.
var verbs = map[contracts.TaskKind]string{
	contracts.KindResearch: "Research", contracts.KindPlan: "Write", contracts.KindCopy: "Draft",
	contracts.KindDesign: "Prepare", contracts.KindCode: "Build", contracts.KindReview: "Do",
}

// plan breaks a request into tasks by its own words.
func plan(p contracts.Project) crew.Plan {
	b := newBrief(p)
	var drafts []contracts.TaskDraft
	for _, it := range limited(b.items) {
		k := it.kind
		if k == "" {
			k = contracts.KindPlan // an entry of the user's list that names nothing we know
		}
		drafts = append(drafts, contracts.TaskDraft{Title: itemTitle(b, it), Kind: k, Description: b.describe(it.phrase.String())})
	}
	drafts = distinct(drafts)
	switch {
	case len(drafts) == 0 || b.foreign():
		drafts = b.unknownTasks()
	case len(drafts) < leastTasks:
		drafts = b.supported(drafts[0])
	}
	slices.SortStableFunc(drafts, func(x, y contracts.TaskDraft) int {
		return slices.Index(order, x.Kind) - slices.Index(order, y.Kind)
	})
	for i := range drafts {
		drafts[i].Priority = i + 1
	}
	return crew.Plan{Summary: summary(b, drafts), Tasks: drafts}
}

// limited folds what exceeds the plan into its last task, so nothing is lost.
func limited(items []item) []item {
	if len(items) <= mostTasks {
		return items
	}
	out := slices.Clone(items[:mostTasks])
	var rest []string
	for _, it := range items[mostTasks-1:] {
		rest = append(rest, trimPunct(it.phrase.String()))
	}
	out[mostTasks-1].phrase = newPhrase(strings.Join(rest, ", "))
	return out
}

// itemTitle quotes the user's own words and adds a verb where they gave none.
func itemTitle(b brief, it item) string {
	p := newPhrase(trimPunct(it.phrase.trimmed().String()))
	verb, object := p.verb()
	lead := ""
	if verb == "" || genericVerbs[verb] {
		lead = verbs[it.kind]
		if it.kind == contracts.KindResearch && slices.Contains([]string{"research", "analysis", "comparison", "report", "study", "survey", "overview"}, lastWord(object)) {
			lead = "Prepare"
		}
		if len(object) > 0 && !determiners[key(object[0])] && !numbers[key(object[0])] && !isNumber(object[0]) && !plural(object) {
			lead += " the"
		}
		if it.kind == "" {
			lead = ""
		}
		p = object
	}
	text := strings.TrimSpace(lead + " " + lowered(p, lead != ""))
	if len(p) <= 4 && b.suffixes(text) {
		text += " for " + definite(b.subject)
	}
	return hud.Shorten(title(text), contracts.LimitTaskTitle)
}

// suffixes says whether a title needs the subject to be understood on its own.
func (b brief) suffixes(text string) bool {
	if len(b.items) < 2 || strings.Contains(b.subject, "…") {
		return false
	}
	return b.shared && !strings.Contains(strings.ToLower(text), strings.ToLower(b.subject))
}

// lowered takes the capital of the user's sentence off a word that we know.
func lowered(p phrase, inside bool) string {
	if len(p) == 0 || !inside {
		return p.String()
	}
	k := key(p[0])
	if _, known := singular(nounKinds, k); known && p[0] != strings.ToUpper(p[0]) {
		return strings.Join(append([]string{strings.ToLower(p[0])}, p[1:]...), " ")
	}
	return p.String()
}

func lastWord(p phrase) string {
	core, _ := p.core()
	if len(core) == 0 {
		return ""
	}
	return key(core[len(core)-1])
}

func plural(p phrase) bool {
	w := lastWord(p)
	return strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "is")
}

// definite puts "the" before a noun phrase that has nothing before it.
func definite(s string) string {
	p := newPhrase(s)
	if len(p) == 0 || determiners[key(p[0])] || numbers[key(p[0])] || plural(p) || s[0] > unicode.MaxASCII {
		return s
	}
	named := p[0] != strings.ToLower(p[0]) && p[0] != strings.ToUpper(p[0]) && languageWords[key(p[0])] == ""
	if named {
		return s
	}
	return "the " + s
}

// supported surrounds a single deliverable with what makes it good.
func (b brief) supported(d contracts.TaskDraft) []contracts.TaskDraft {
	about := definite(b.subject)
	if len(b.items) > 0 {
		about = b.items[0].thing()
	}
	before := contracts.TaskDraft{Kind: contracts.KindResearch, Title: "Research what matters for " + about}
	after := contracts.TaskDraft{Kind: contracts.KindReview, Title: "Check the result for " + about}
	switch d.Kind {
	case contracts.KindCode:
		before = contracts.TaskDraft{Kind: contracts.KindPlan, Title: "Plan the work on " + about}
	case contracts.KindResearch:
		before, after = d, contracts.TaskDraft{Kind: contracts.KindPlan, Title: "Write the recommendation for " + about}
	case contracts.KindReview:
		before, after = d, contracts.TaskDraft{Kind: contracts.KindPlan, Title: "Plan the fixes for " + about}
	}
	for _, s := range []*contracts.TaskDraft{&before, &after} {
		s.Title = hud.Shorten(s.Title, contracts.LimitTaskTitle)
		if s.Description == "" {
			s.Description = b.describe(s.Title)
		}
	}
	return distinct([]contracts.TaskDraft{before, d, after})
}

// thing names the deliverable in the middle of a sentence.
func (it item) thing() string {
	_, object := it.phrase.trimmed().verb()
	noun := it.noun()
	if len(object) > 0 && determiners[key(object[0])] && !plural(noun) {
		return "the " + noun.String()
	}
	return definite(lowered(noun, true))
}

// unknownTasks is a sensible plan for any text in any language.
func (b brief) unknownTasks() []contracts.TaskDraft {
	quote := "“" + hud.Shorten(b.text, limitQuote) + "”"
	var out []contracts.TaskDraft
	for _, t := range []struct {
		kind contracts.TaskKind
		verb string
	}{
		{contracts.KindResearch, "Clarify"}, {contracts.KindPlan, "Plan"}, {contracts.KindCopy, "Draft"}, {contracts.KindReview, "Check"},
	} {
		if t.kind == contracts.KindCopy && len(b.items) > 0 {
			t.kind = b.items[0].kind // a word that is the same in many languages: logo, app
		}
		out = append(out, contracts.TaskDraft{Kind: t.kind, Title: t.verb + " " + quote, Description: b.describe(t.verb + " the request")})
	}
	return out
}

// describe carries the request and its constraints into a task.
func (b brief) describe(what string) string {
	var sb strings.Builder
	fmt.Fprintf(&sb, "%s.\nFrom the request: “%s”", title(trimPunct(what)), b.text)
	for _, c := range b.constraints {
		fmt.Fprintf(&sb, "\n%s: %s", title(c.key), c.value)
	}
	return sb.String()
}

func distinct(drafts []contracts.TaskDraft) []contracts.TaskDraft {
	seen := map[string]bool{}
	var out []contracts.TaskDraft
	for _, d := range drafts {
		if k := strings.ToLower(d.Title); !seen[k] {
			seen[k] = true
			out = append(out, d)
		}
	}
	return out
}

func summary(b brief, drafts []contracts.TaskDraft) string {
	var names []string
	for _, d := range drafts {
		names = append(names, d.Title)
	}
	return fmt.Sprintf("Rehearsal plan for %s in %d tasks: %s.", definite(b.subject), len(drafts), strings.Join(names, "; "))
}
