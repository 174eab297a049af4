package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// block is one fenced block of a page. The mark determines what the test does with the block:
//
//	```sh test               is run
//	```sh test needs npm     is run if the program is installed
//	```sh test in checkout   is run in a copy of this tree
//	```sh serve              starts an office for the following blocks
//	```sh background         starts programs that run until the page ends
//	```sh skip: reason       cannot be run here
//	```yaml bullpen.yaml     is a file for the blocks of the page; so is a go block
//
// A console block accepts the same marks. It shows commands after a prompt, with lines of their
// output, in which … matches anything. Renderers show only the language, so readers do not see the
// marks.
type block struct {
	line       int
	lang, mark string
	text       string
}

const (
	markTest       = "test"
	markServe      = "serve"
	markBackground = "background"
	markCheckout   = "test in checkout"
	markNeeds      = "test needs "
	markSkip       = "skip:"
)

type page struct {
	path   string
	prose  string // the page without its fenced blocks
	blocks []block
}

// tested returns the pages whose blocks are run.
func tested(t *testing.T) []page {
	t.Helper()
	paths, err := filepath.Glob("guide/*.md")
	if err != nil || len(paths) == 0 {
		t.Fatalf("found no pages: %v", err)
	}
	var pages []page
	for _, path := range append(paths, "README.md", "install.md") {
		pages = append(pages, readPage(t, path))
	}
	return pages
}

func readPage(t *testing.T, path string) page {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p := page{path: path}
	var open *block
	var prose, text strings.Builder
	for i, line := range strings.Split(string(raw), "\n") {
		fence, fenced := strings.CutPrefix(line, "```")
		switch {
		case fenced && open == nil:
			lang, mark, _ := strings.Cut(strings.TrimSpace(fence), " ")
			open = &block{line: i + 1, lang: lang, mark: strings.TrimSpace(mark)}
			text.Reset()
		case fenced:
			open.text = text.String()
			p.blocks = append(p.blocks, *open)
			open = nil
		case open != nil:
			text.WriteString(line + "\n")
		default:
			prose.WriteString(line + "\n")
		}
	}
	if open != nil {
		t.Errorf("%s:%d: the block has no end", path, open.line)
	}
	p.prose = prose.String()
	return p
}

// shell reports whether a block contains shell commands.
func (b block) shell() bool { return b.lang == "sh" || b.lang == "console" }

// file reports whether a block is a file that other blocks on the same page use.
func (b block) file() bool { return b.mark != "" && (b.lang == "yaml" || b.lang == "go") }

// checkMark returns an error if the block has no language, no mark or an unknown mark.
func (b block) checkMark() error {
	reason, skipped := strings.CutPrefix(b.mark, markSkip)
	switch {
	case b.lang == "":
		return fmt.Errorf("say what it is: ```sh, ```text, ```json, ```yaml")
	case b.lang == "yaml" && b.mark == "":
		return fmt.Errorf("say which file it is: ```yaml bullpen.yaml")
	case !b.shell():
		return nil
	case b.lang == "console" && b.steps() == nil:
		return fmt.Errorf("begin it with a prompt: $ command")
	case skipped && strings.TrimSpace(reason) == "":
		return fmt.Errorf("say why it cannot be run: ```sh skip: reason")
	case !skipped && !strings.HasPrefix(b.mark, markNeeds) && !slices.Contains([]string{markTest, markServe, markBackground, markCheckout}, b.mark):
		return fmt.Errorf("mark it: ```sh test, ```sh serve, ```sh background, ```sh test in checkout, ```sh test needs PROGRAM or ```sh skip: reason")
	}
	return nil
}

// step is a command with its expected output.
type step struct {
	script string
	want   []string // expected in the output, in any order
	code   string   // expected exit code
}

// prompt starts a command in a console block, and more continues it; every other line is output. A
// command with an exit code other than 0 is followed by `echo $?`.
const (
	prompt   = "$ "
	more     = "> "
	exitCode = "echo $?"
)

// steps splits a console block into commands with their output. Any other block is one script
// without expected output.
func (b block) steps() []step {
	if b.lang != "console" {
		return []step{{script: b.text, code: "0"}}
	}
	var all []step
	for line := range strings.Lines(b.text) {
		line = strings.TrimSuffix(line, "\n")
		command, starts := strings.CutPrefix(line, prompt)
		rest, continues := strings.CutPrefix(line, more)
		switch last := len(all) - 1; {
		case starts:
			all = append(all, step{script: command + "\n", code: "0"})
		case last < 0:
			return nil
		case continues:
			all[last].script += rest + "\n"
		case line != "":
			all[last].want = append(all[last].want, line)
		}
	}
	return withCodes(all)
}

// withCodes replaces each `echo $?` step with the expected exit code of the command before it.
func withCodes(steps []step) (all []step) {
	for _, s := range steps {
		if strings.TrimSpace(s.script) == exitCode && len(all) > 0 && len(s.want) == 1 {
			all[len(all)-1].code = s.want[0]
			continue
		}
		all = append(all, s)
	}
	return all
}

// script returns the commands of a block, without their output.
func (b block) script() (text string) {
	for _, s := range b.steps() {
		text += s.script
	}
	return text
}

// readOnlyCommand matches commands that change nothing. They are repeated until they print what the
// page shows, as a reader would do.
var readOnlyCommand = regexp.MustCompile(`^(bullpen (status|agent list|agent explain|project show|task list|tail|cost)\b|cat |claude mcp list)`)

func (s step) repeats() bool {
	return len(s.want) > 0 && s.code == "0" && readOnlyCommand.MatchString(s.script)
}

// pattern returns a regular expression for an expectation: literal text, in which … matches
// anything.
func pattern(want string) string {
	parts := strings.Split(want, "…")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(strings.TrimSpace(parts[i]))
	}
	return strings.Join(parts, ".*")
}
