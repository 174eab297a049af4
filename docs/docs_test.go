// Package docs_test checks the documentation: it runs every command in the guides against a real
// office, and looks up every link, command, flag and route.
package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// TestBlocksAreMarked fails on a block without a valid mark; the mark determines whether the block is
// run.
func TestBlocksAreMarked(t *testing.T) {
	run, skipped := 0, 0
	for _, p := range tested(t) {
		for _, b := range p.blocks {
			if err := b.checkMark(); err != nil {
				t.Errorf("%s:%d: %v", p.path, b.line, err)
			}
			switch {
			case !b.shell():
			case strings.HasPrefix(b.mark, markSkip):
				skipped++
				t.Logf("%s:%d is not run: %s", p.path, b.line, strings.TrimPrefix(b.mark, markSkip))
			default:
				run++
			}
		}
	}
	t.Logf("%d blocks are run, %d are not", run, skipped)
	if skipped*2 > run {
		t.Errorf("%d blocks are not run and only %d are: most blocks must be tested", skipped, run)
	}
}

// TestIndex fails on a page or a decision record that no index links to.
func TestIndex(t *testing.T) {
	index := readPage(t, "README.md").prose
	for _, p := range tested(t) {
		if p.path != "README.md" && !strings.Contains(index, "("+filepath.ToSlash(p.path)+")") {
			t.Errorf("README.md does not link to %s", p.path)
		}
	}
	decisions, err := filepath.Glob("adr/0*.md")
	if err != nil || len(decisions) == 0 {
		t.Fatalf("found no decisions: %v", err)
	}
	index = readPage(t, "adr/README.md").prose
	for _, path := range decisions {
		if !strings.Contains(index, "("+filepath.Base(path)+")") {
			t.Errorf("adr/README.md does not link to %s", path)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestLinks checks that every link to a file or heading in the repository has a target. It reads
// the pages here and in the root, bench and packaging directories.
func TestLinks(t *testing.T) {
	var paths []string
	for _, pattern := range []string{"*.md", "*/*.md", "../*.md", "../bench/*.md", "../packaging/*.md", "../packaging/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	if len(paths) < 30 {
		t.Fatalf("found only %d pages", len(paths))
	}
	for _, path := range paths {
		for _, found := range link.FindAllStringSubmatch(readPage(t, path).prose, -1) {
			if target := found[1]; !strings.Contains(target, "://") && !strings.HasPrefix(target, "mailto:") {
				follow(t, path, target)
			}
		}
	}
}

func follow(t *testing.T, from, target string) {
	t.Helper()
	file, heading, _ := strings.Cut(target, "#")
	path := from
	if file != "" {
		path = filepath.Join(filepath.Dir(from), filepath.FromSlash(file))
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("%s: the link %s has no target", from, target)
		return
	}
	if heading == "" || filepath.Ext(path) != ".md" {
		return
	}
	for line := range strings.Lines(readPage(t, path).prose) {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && line[0] == '#' && slug(title) == heading {
			return
		}
	}
	t.Errorf("%s: %s has no heading %q", from, path, heading)
}

// slug returns the anchor that GitHub generates for a heading.
func slug(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(title))
}
