package rehearsal

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
)

// changesTitle is the heading, without the version number, of a section that lists the changes in a
// version.
const changesTitle = "Changes in version "

// realTitle is the heading of the section that states which parts of a page are real. Changes do
// not affect this section, which stays at the end of the page.
const realTitle = "What is real here"

// changes lists the changes that the crew can make without a model, each with the words that
// trigger it.
var changes = []struct {
	words string
	apply func(*revision) string // returns a sentence that describes what was done; empty if nothing was done
}{
	{"short shorter shorten brief briefer trim cut condense concise tighten less long kürzer court corto", (*revision).shorten},
	{"table tables tabular tabelle tableau tabla", (*revision).tabulate},
	{"checklist checklists checkbox checkboxes tick", (*revision).tick},
	{"add more another extra longer detail details example examples options", (*revision).extend},
}

// revision is a page that is being changed into its next version.
type revision struct {
	stage *stage
	job   crew.TaskJob
	page  page
}

// revise returns the next version of a page. The new version quotes the whole change request and
// reports what was done about it.
func (s *stage) revise(job crew.TaskJob, previous source) crew.Artifact {
	part := partOf(job.Task)
	r := revision{stage: s, job: job, page: parse(previous.text)}
	if !strings.Contains(r.page.lead, notice) { // the earlier version is not from a rehearsal
		r.page.lead = strings.TrimSpace(lead(job.Project) + "\n\n" + r.page.lead)
	}
	if r.page.title == "" {
		r.page.title = inline(part.page)
	}
	heard := wordsOf(job.Instructions)
	var done []string
	for _, c := range changes {
		if hits(heard, c.words) == 0 {
			continue
		}
		if said := c.apply(&r); said != "" {
			done = append(done, "- "+said)
		}
	}
	r.page.sections = append([]section{r.changes(previous.Version+1, done)}, r.page.sections...)
	title := cmp.Or(previous.Title, part.page)
	return crew.Artifact{Type: part.kindOfPage, Title: title, MIME: "text/markdown", Content: r.page.String()}
}

// changes returns the section that quotes the change request and reports what was done about it.
func (r *revision) changes(version int, done []string) section {
	s := section{title: fmt.Sprintf("%s%d", changesTitle, version)}
	asked := "The task was run again without a change request.\n\n"
	if !contracts.Blank(r.job.Instructions) {
		asked = "You asked for this change:\n\n" + quote(r.job.Instructions) + "\n\n"
	}
	if len(done) > 0 {
		s.body = asked + "What the crew did without a model:\n\n" + strings.Join(done, "\n") + "\n\nThe crew acts on single words. Anything else in the change needs a model or a person."
		return s
	}
	var boxes []string
	for _, part := range r.page.sections {
		if !strings.HasPrefix(part.title, changesTitle) && part.title != realTitle {
			boxes = append(boxes, "- [ ] "+part.title)
		}
	}
	s.body = asked + "This change needs a model, so the crew did not attempt it. Parts of the page to check with the change in mind:\n\n" + strings.Join(boxes, "\n")
	return s
}

// editable returns the indexes of the sections that a change may edit: all except lists of earlier
// changes, sections that quote a person, and the section with realTitle.
func (r *revision) editable() (out []int) {
	for i, s := range r.page.sections {
		if !strings.HasPrefix(s.title, changesTitle) && s.title != realTitle && !strings.Contains("\n"+s.body, "\n>") {
			out = append(out, i)
		}
	}
	return out
}

func (r *revision) words() (n int) {
	for _, i := range r.editable() {
		s := r.page.sections[i]
		n += len(strings.Fields(s.title + " " + s.body))
	}
	return n
}

// keptEntries is the number of list entries that a shorter version keeps.
const keptEntries = 2

// shorten keeps only the start of each section that may be edited (see editable) and, if there are
// several such sections, drops the last one. It returns a sentence with the word counts before and
// after, or "" if the page did not get shorter.
func (r *revision) shorten() string {
	before := r.words()
	editable := r.editable()
	for _, i := range editable {
		s := &r.page.sections[i]
		block, rest, _ := strings.Cut(s.body, "\n\n")
		if strings.HasSuffix(block, ":") { // the block introduces the next one
			next, _, _ := strings.Cut(rest, "\n\n")
			block += "\n\n" + next
		}
		s.body = firstEntries(block)
	}
	if len(editable) > 1 {
		last := editable[len(editable)-1]
		r.page.sections = slices.Delete(r.page.sections, last, last+1)
	}
	after := r.words()
	if after >= before {
		return ""
	}
	return fmt.Sprintf("Shortened the page from %s to %d.", count(before, "word"), after)
}

// listLine matches a list entry: its marker, its check box if it has one, and its text.
var listLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:- |\d+\. )(?:\[[ x]\] )?(.*)`) })

// firstEntries returns a block with only the first entries of its list, or the first rows of its
// table. If it drops more than one line, it adds the number of dropped lines.
func firstEntries(block string) string {
	var out []string
	entries, dropped := 0, 0
	mark, end := "- ", ""
	for line := range strings.Lines(block) {
		limit := keptEntries
		switch {
		case strings.HasPrefix(line, "|"):
			limit += 2 // header and separator
			mark, end = "| ", strings.Repeat(" |", strings.Count(line, "|")-strings.Count(line, `\|`)-1)
			entries++
		case listLine().MatchString(line):
			if mark, _, _ = strings.Cut(line, " "); mark != "-" {
				mark = fmt.Sprintf("%d.", limit+1)
			}
			mark += " "
			entries++
		}
		if entries > limit {
			dropped++
			continue
		}
		out = append(out, strings.TrimRight(line, "\n")+"\n")
	}
	if dropped > 1 {
		out = append(out, fmt.Sprintf("%s… and %d more%s", mark, dropped, end))
	}
	return strings.TrimSpace(strings.Join(out, ""))
}

// rewriteLists rewrites the list entries in the sections that may be edited (see editable), inserts
// the given text above each list, and returns the number of entries.
func (r *revision) rewriteLists(rewrite func(n int, text string) string, before string) (entries int) {
	for _, i := range r.editable() {
		s := &r.page.sections[i]
		var out []string
		n := 0
		for line := range strings.Lines(s.body) {
			m := listLine().FindStringSubmatch(strings.TrimRight(line, "\n"))
			if m == nil {
				n = 0
				out = append(out, line)
				continue
			}
			if n++; n == 1 {
				out = append(out, before)
			}
			entries++
			out = append(out, rewrite(n, m[1])+"\n")
		}
		s.body = strings.TrimSpace(strings.Join(out, ""))
	}
	return entries
}

func (r *revision) tabulate() string {
	n := r.rewriteLists(func(n int, text string) string { return fmt.Sprintf("| %d | %s |", n, text) }, "| No. | Entry |\n|---|---|\n")
	if n == 0 {
		return "Found no list to turn into a table."
	}
	return fmt.Sprintf("Turned the lists into tables with %s.", count(n, "row"))
}

func (r *revision) tick() string {
	n := r.rewriteLists(func(_ int, text string) string { return "- [ ] " + text }, "")
	if n == 0 {
		return "Found no list to turn into a checklist."
	}
	return fmt.Sprintf("Turned the lists into a checklist with %s.", count(n, "entry"))
}

// extras are the sections that extend adds, by kind of task.
var extras = map[contracts.TaskKind]section{
	contracts.KindPlan: {"More to think about", "- Who has to agree before anything is final?\n- What would make you stop?\n- What can be undone, and what cannot?\n- Who should hear about the result first?"},
	contracts.KindCode: {"More checks", "- [ ] The change works with empty input and with very large input.\n- [ ] The change still works when it is applied twice in a row.\n- [ ] Someone else can undo it.\n- [ ] A user would notice if it broke again."},
	contracts.KindCopy: {"More ways to say it", "1. _Begin with the result, then say how it is achieved._\n2. _Begin with a question that the reader already has._\n3. _Begin with what has changed since yesterday._\n" +
		"4. _End with the smallest step that the reader can take._\n5. _End with what happens after that step._"},
	contracts.KindDesign: {"More states to draw", "- Empty: nothing is there yet\n- Loading: something is on its way\n- Failed: what went wrong and what to do\n- Long: a 60-character name, a list of 500 items"},
	contracts.KindReview: {"More to check", "- [ ] It says what it leaves out.\n- [ ] It would still be right in a month.\n- [ ] Someone who disagrees would call it fair."},
}

// extend adds the extra section for the task's kind, unless the page already has it. The folder
// report gets facts instead of advice. It returns a sentence that names the added section, or "" if
// nothing was added.
func (r *revision) extend() string {
	extra, ok := extras[r.job.Task.Kind]
	if r.job.Task.Kind == contracts.KindResearch {
		extra, ok = r.foldersInside(), true
	}
	if !ok {
		extra = extras[contracts.KindPlan]
	}
	for _, s := range r.page.sections {
		if s.title == extra.title {
			return ""
		}
	}
	at := len(r.page.sections)
	if at > 0 && r.page.sections[at-1].title == realTitle {
		at--
	}
	r.page.sections = slices.Insert(r.page.sections, at, extra)
	return fmt.Sprintf("Added the section “%s”.", extra.title)
}

// foldersInside returns a section with the number of files in each top-level folder.
func (r *revision) foldersInside() section {
	out := section{title: "Folders inside"}
	files, names := map[string]int{}, []string{}
	for _, f := range r.stage.survey(false).Listing.Files {
		if top, _, ok := strings.Cut(f.Path, "/"); ok {
			if files[top]++; files[top] == 1 {
				names = append(names, top)
			}
		}
	}
	var rows []string
	for _, n := range names[:min(len(names), contracts.LimitSurveyFolderRows)] {
		rows = append(rows, fmt.Sprintf("- %s: %s", code(n), count(files[n], "file")))
	}
	if out.body = strings.Join(rows, "\n"); out.body == "" {
		out.body = "There are no folders inside."
	}
	return out
}
