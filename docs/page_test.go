package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// block is one fenced block of a page. Its mark says what the test does with it:
//
//	```sh test               it is run
//	```sh test needs npm     it is run where there is such a program
//	```sh test in checkout   it is run in a copy of this tree
//	```sh serve              it starts an office, which stays open for the blocks that follow
//	```sh skip: reason       it cannot be run here
//	```yaml bullpen.yaml     it is a file that the blocks that follow find
type block struct {
	line       int
	lang, mark string
	text       string
}

const (
	markTest     = "test"
	markServe    = "serve"
	markCheckout = "test in checkout"
	markNeeds    = "test needs "
	markSkip     = "skip:"
)

type page struct {
	path   string
	prose  string // the page without its fenced blocks
	blocks []block
}

// tested lists the pages whose blocks are run.
func tested(t *testing.T) []page {
	t.Helper()
	paths, err := filepath.Glob("guide/*.md")
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are no pages: %v", err)
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

// marked says what is wrong with a block's mark.
func (b block) marked() error {
	reason, skipped := strings.CutPrefix(b.mark, markSkip)
	switch {
	case b.lang == "":
		return fmt.Errorf("say what it is: ```sh, ```text, ```json, ```yaml")
	case b.lang == "yaml" && b.mark == "":
		return fmt.Errorf("say which file it is: ```yaml bullpen.yaml")
	case b.lang != "sh":
		return nil
	case skipped && strings.TrimSpace(reason) == "":
		return fmt.Errorf("say why it cannot be run: ```sh skip: reason")
	case !skipped && !strings.HasPrefix(b.mark, markNeeds) && b.mark != markTest && b.mark != markServe && b.mark != markCheckout:
		return fmt.Errorf("mark it: ```sh test, ```sh serve, ```sh test in checkout, ```sh test needs PROGRAM or ```sh skip: reason")
	}
	return nil
}

// step is some lines of a block and what is expected of them.
type step struct {
	script string
	want   []string // must be in the output, in any order
	soon   bool     // repeat it until the first is; it is one line
	code   string   // exit code
}

var expectation = regexp.MustCompile(`^# (soon )?→ (.+)$`)

// steps cuts a block after its expectations.
func (b block) steps() []step {
	var all []step
	now := step{code: "0"}
	ends := false
	for line := range strings.Lines(b.text) {
		line = strings.TrimSuffix(line, "\n")
		said := expectation.FindStringSubmatch(line)
		code, coded := strings.CutPrefix(line, "# exit code ")
		if said == nil && !coded {
			if ends {
				all, now, ends = append(all, now), step{code: "0"}, false
			}
			now.script += line + "\n"
			continue
		}
		ends = true
		if coded {
			now.code = code
			continue
		}
		now.want = append(now.want, said[2])
		if said[1] != "" && !now.soon {
			before, last := now.cut()
			if before != "" {
				all = append(all, step{script: before, code: "0"})
			}
			now.script, now.soon = last, true
		}
	}
	return append(all, now)
}

// cut parts the last line from those before it.
func (s step) cut() (before, last string) {
	at := strings.LastIndexByte(strings.TrimSuffix(s.script, "\n"), '\n') + 1
	return s.script[:at], s.script[at:]
}

// pattern reads an expectation: text as it is, … for anything.
func pattern(want string) string {
	parts := strings.Split(want, "…")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(strings.TrimSpace(parts[i]))
	}
	return strings.Join(parts, ".*")
}
