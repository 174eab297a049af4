package rehearsal

import (
	"context"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"pgregory.net/rapid"
)

// next has the second version made of a first one.
func next(t testing.TB, p contracts.Project, k contracts.TaskKind, instructions string) (first, second string) {
	job := jobFor(t, p, k)
	first = work(t, job, "")
	job.Task.Attempt, job.Instructions = 2, instructions
	job.Previous = []contracts.Artifact{{ArtifactID: "art_1", Title: "First", Version: 1}}
	job.Read = func(context.Context, contracts.Artifact) (string, error) { return first, nil }
	return first, work(t, job, "")
}

func entriesIn(text, section string) int {
	d := parse(text)
	s := d.find(section)
	if s == nil {
		return -1
	}
	n := 0
	for l := range strings.Lines(s.body) {
		if listMark.MatchString(l) {
			n++
		}
	}
	return n
}

// W15: a change request leads to a real new version that does what was asked.
func TestRevision(t *testing.T) {
	landing := request("Create a landing page plan + copy + design brief", nil)
	for name, c := range map[string]struct {
		kind         contracts.TaskKind
		instructions string
		check        func(first, second string) bool
	}{
		"the seed's example": {contracts.KindCopy, "Shorten the headline and add 2 more CTA options.", func(a, b string) bool {
			return entriesIn(b, "Headlines") < entriesIn(a, "Headlines") && entriesIn(b, "Calls") == entriesIn(a, "Calls")+2
		}},
		"shorter": {contracts.KindPlan, "Please make it shorter", func(a, b string) bool {
			return len(b) < len(a)
		}},
		"tone": {contracts.KindCopy, "Make it more playful, and add three headlines", func(a, b string) bool {
			return strings.Contains(b, "Psst") && !strings.Contains(a, "Psst") && entriesIn(b, "Headlines") == entriesIn(a, "Headlines")+3
		}},
		"mood":   {contracts.KindDesign, "more elegant please", func(_, b string) bool { return strings.Contains(b, palettes["elegant"].accent) }},
		"remove": {contracts.KindPlan, "Remove the risks section", func(_, b string) bool { return !strings.Contains(b, "\n## Risks") }},
		"rename": {contracts.KindPlan, `Rename "landing page" to "welcome page"`, func(_, b string) bool {
			return strings.Contains(b, "# Welcome page plan") || strings.Contains(b, "# welcome page plan")
		}},
		"risks":   {contracts.KindPlan, "add 2 more risks", func(a, b string) bool { return strings.Count(b, "\n| ") == strings.Count(a, "\n| ")+2 }},
		"section": {contracts.KindPlan, "Add a glossary", func(_, b string) bool { return strings.Contains(b, "\n## Glossary\n") }},
		"other":   {contracts.KindPlan, "I am not convinced by the milestones", func(_, b string) bool { return strings.Contains(b, "I am not convinced by the milestones”.") }},
		"foreign": {contracts.KindPlan, "もっと短く", func(_, b string) bool { return strings.Contains(b, "もっと短く") }},
		"missing part": {contracts.KindPlan, "Shorten the epilogue", func(a, b string) bool {
			return len(b) > len(a) && strings.Contains(b, "Shorten the epilogue")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			first, second := next(t, landing, c.kind, c.instructions)
			if !c.check(first, second) || !strings.Contains(second, "## Changes in version 2") || !strings.Contains(second, notice) {
				t.Errorf("“%s” made\n%s", c.instructions, second)
			}
		})
	}
}

// A version never equals the one before it, its code still parses, and the notes
// of an older version do not pile up.
func TestRevisionAlwaysDiffers(t *testing.T) {
	p := request("Build a REST API in Go for a todo app and write an email", nil)
	rapid.Check(t, func(rt *rapid.T) {
		instructions := rapid.OneOf(rapid.String(), rapid.StringMatching(`(shorten|add 3|remove|rename|make it more playful|drop) (the )?(tests|Handle to Serve|layout|code|it|next steps)( and (shorten|add|remove) [a-z]{2,8})?`)).Draw(rt, "instructions")
		k := rapid.SampledFrom([]contracts.TaskKind{contracts.KindCode, contracts.KindCopy}).Draw(rt, "kind")
		first, second := next(t, p, k, instructions)
		if first == second {
			rt.Fatalf("“%s” changed nothing", instructions)
		}
		if strings.Count(second, "## "+changesTitle) != 1 {
			rt.Fatalf("the notes are wrong in\n%s", second)
		}
	})
}

func TestRevisionKeepsCodeWhole(t *testing.T) {
	p := request("Build a REST API in Go for a todo app", nil)
	for _, instructions := range []string{"make it shorter", "rename Handle to Serve", `replace "todo app" with "shopping list"`, "add 2 more tests"} {
		_, second := next(t, p, contracts.KindCode, instructions)
		checkCode(t, second, "Go")
	}
}
