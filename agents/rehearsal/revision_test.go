package rehearsal

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// W15: a change request leads to a new version with the requested change.
func TestRevision(t *testing.T) {
	r := runner(shop(t))
	for name, c := range map[string]struct {
		part         part
		instructions string
		check        func(first, second string) bool
	}{
		"shorter": {partPlan, "Please make it shorter", func(a, b string) bool {
			return len(b) < len(a) && strings.Contains(b, "- Shortened the page from ") && strings.Contains(b, "\n3. … and 4 more\n") && strings.Contains(b, "\n## "+realTitle+"\n") && strings.Contains(b, "Anything else in the change needs a model")
		}},
		"shorter table": {partDesign, "short", func(_, b string) bool { return strings.Contains(b, "\n| … and 2 more | | |\n") }},
		"shorter draft": {partDraft, "Shorter, please.", func(a, b string) bool { return len(b) < len(a) }},
		"shorter file report": {partFolder, "trim it", func(a, b string) bool {
			return len(b) < len(a) && strings.Contains(b, "Commands that run tests:\n\n- `make test`") && strings.Contains(b, "\n- [`go.mod`](<./go.mod>), 24 bytes\n- … and 3 more\n")
		}},
		"example of the specification": {partCopy, "Shorten the headline and add 2 more CTA options.", func(_, b string) bool {
			return strings.Contains(b, "- Shortened the page") && strings.Contains(b, "\n## More ways to say it\n")
		}},
		"table": {partPlan, "as a table please", func(_, b string) bool {
			return strings.Contains(b, "| 1 | Write down the goal. Check: someone else can tell whether it was reached. |") && !strings.Contains(b, "\n1. ")
		}},
		"checklist": {partPlan, "I want a checklist", func(_, b string) bool {
			return strings.Contains(b, "- [ ] Write down the goal.") && !strings.Contains(b, "\n1. ")
		}},
		"more": {partChange, "Add more checks", func(_, b string) bool {
			return strings.Contains(b, "\n## More checks\n") && strings.HasPrefix(b[strings.LastIndex(b, "\n## "):], "\n## "+realTitle)
		}},
		"more facts": {partFolder, "more details", func(_, b string) bool {
			return strings.Contains(b, "\n## Folders inside\n\n- `web`: 1 file\n")
		}},
		"needs a model": {partPlan, "I am not convinced by step 3.", func(_, b string) bool {
			return strings.Contains(b, "This change needs a model") && strings.Contains(b, "- [ ] Steps\n- [ ] Risks") && !strings.Contains(b, "- [ ] "+realTitle)
		}},
		"another language": {partPlan, "もっと短く", func(_, b string) bool { return strings.Contains(b, "> もっと短く") }},
	} {
		t.Run(name, func(t *testing.T) {
			first, second := next(t, r, jobOf(request(nightly), c.part), c.instructions)
			checkPage(t, nightly, second)
			if !c.check(first, second) || !strings.Contains(second, "\n## Changes in version 2\n\nYou asked for this change:\n\n"+quote(c.instructions)+"\n") {
				t.Errorf("“%s” made\n%s", c.instructions, second)
			}
		})
	}
}

// A third version keeps the changes of the second.
func TestThirdVersionKeepsEarlierChanges(t *testing.T) {
	r := runner(shop(t))
	job := jobOf(request(nightly), partPlan)
	_, second := next(t, r, job, "shorter")
	job.Task.Attempt, job.Instructions = 3, "as a table"
	job.Previous = []contracts.Artifact{{ArtifactID: "art_2", Title: "Plan", Version: 2}}
	job.Read = func(context.Context, contracts.Artifact) (string, error) { return second, nil }
	third := made(t, r, job, "", "").Content
	if !strings.Contains(third, "## Changes in version 3") || !strings.Contains(third, "## Changes in version 2") || strings.Contains(third, "riskiest part. Check") {
		t.Errorf("version 3:\n%s", third)
	}
	checkPage(t, nightly, third)
}

// A shorter page loses its last section, but keeps other sections with the same title.
func TestShorterPageKeepsOtherSectionsOfTheSameTitle(t *testing.T) {
	job := jobOf(request(nightly), partDraft)
	job.Instructions, job.Previous = "shorter", []contracts.Artifact{{ArtifactID: "art_1", Title: "Notes", Version: 1}}
	job.Read = func(context.Context, contracts.Artifact) (string, error) {
		return "# Notes\n\nIntro.\n\n## Notes\n\nFirst part.\n\n## Risks\n\nNone.\n\n## Notes\n\nLast part.\n", nil
	}
	if text := made(t, runner(""), job, "", "").Content; !strings.Contains(text, "First part.") || strings.Contains(text, "Last part.") {
		t.Errorf("shorter version:\n%s", text)
	}
}

// A page that a model wrote gets the notice when the rehearsal changes it; a page that cannot be
// read is not replaced.
func TestRevisionOfAModelsPageIsLabelled(t *testing.T) {
	r := runner("")
	job := jobOf(request(nightly), partDraft)
	job.Instructions, job.Previous = "Name three sources", []contracts.Artifact{{ArtifactID: "art_1", Title: "A model's page", Version: 4}}
	job.Read = func(context.Context, contracts.Artifact) (string, error) {
		return "# A model's page\n\nIntro.\n\n## Part\n\n```\n## code\n```\n", nil
	}
	a := made(t, r, job, "", "")
	if !strings.Contains(a.Content, notice) || !strings.Contains(a.Content, "\n## Changes in version 5\n") || !strings.Contains(a.Content, "Intro.") || a.Title != "A model's page" {
		t.Errorf("version 5:\n%s", a.Content)
	}
	job.Read = func(context.Context, contracts.Artifact) (string, error) { return "", errors.New("gone") }
	if res, err := r.Work(t.Context(), job, discardSink{}); err == nil || len(res.Artifacts) > 0 {
		t.Errorf("without the earlier version: %+v, %v", res, err)
	}
	job.Previous, job.Task.Attempt = nil, 3
	if a := made(t, r, job, "", ""); !strings.Contains(a.Content, "\n## Changes in version 3\n") {
		t.Errorf("with no earlier version:\n%s", a.Content)
	}
}
