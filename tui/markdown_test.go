package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/bullpen-office/bullpen/contracts"
)

var note = &contracts.Artifact{MIME: "text/markdown"}

func lay(content string, w int, ascii bool) string {
	a := &app{look: newLook(true, ascii)}
	return safe(strings.Join(contentLines(a, content, w), "\n"), ascii)
}

// TestMarkdown compares all Markdown constructs with golden frames: wide, narrow, in ASCII and
// with colours.
func TestMarkdown(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("testdata", "markdown.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []int{84, 40} {
		golden(t, fmt.Sprintf("markdown_%d", w), ansi.Strip(lay(string(source), w, false))+"\n")
	}
	golden(t, "markdown_ascii", ansi.Strip(lay(string(source), 60, true))+"\n")
	golden(t, "markdown_colours", strings.ReplaceAll(lay(string(source), 84, false), "\x1b", "␛")+"\n")
}

// TestMarkdownFitsAndIsSafe checks that, whatever the text, no line is too wide or contains a
// control sequence.
func TestMarkdownFitsAndIsSafe(t *testing.T) {
	parts := []string{"# ", "> ", "- ", "1. ", "- [x] ", "    ", "```\n", "`", "**", "*", "_", "~~", "[", "](", ")", "![", "<b>", "<!--", "|", "|-|-|\n", "---\n", "\n", "\n\n", "  \n", "\\",
		"&#27;[2J", "&#x9b;2J", "\x1b[2J", "\x1b]0;x\x07", "\u202e", "\t", "word", "日本", "é", "👩‍👩‍👧", "https://x.example/", strings.Repeat("long", 20)}
	rapid.Check(t, func(t *rapid.T) {
		content := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 60).Draw(t, "parts"), "")
		w, ascii := rapid.IntRange(12, 60).Draw(t, "width"), rapid.Bool().Draw(t, "ascii")
		a := &app{look: newLook(true, ascii)}
		for _, line := range contentLines(a, content, w) {
			if strings.ContainsAny(ansi.Strip(line), "\x1b\x07\u009b\u202e") {
				t.Fatalf("%q contains a control sequence", line)
			}
			if got := ansi.StringWidth(line); got > w {
				t.Fatalf("a line has %d cells, want at most %d: %q", got, w, line)
			}
		}
	})
}

// TestCostlyMarkdownStaysPlain checks that text that is slow to parse is shown as plain text.
func TestCostlyMarkdownStaysPlain(t *testing.T) {
	many := 64 << 10
	for name, content := range map[string]string{
		"delimiters": strings.Repeat("*a_", many), "brackets": strings.Repeat("[a](", many), "struck": strings.Repeat("~~a", many), "ticks": strings.Repeat("` ", many),
		"quotes": strings.Repeat(">", many), "quotes in lines": strings.Repeat(strings.Repeat("> ", 99)+"a\n", 99), "lists": strings.Repeat("- ", many),
		"names": strings.Repeat("[a]: b\n\n", many), "rows": "|a|b|\n|-|-|\n" + strings.Repeat("|a|b|\n", many), "indented": strings.Repeat(" ", 99) + "- a\n",
	} {
		if cheap(content) {
			t.Errorf("%s: rendered as Markdown", name)
		}
		first, _, _ := strings.Cut(ansi.Strip(lay(content[:min(len(content), markdownMost)], 80, false)), "\n")
		if !strings.Contains(first, strings.TrimSpace(content[:3])) {
			t.Errorf("%s: it begins with %q", name, first)
		}
	}
	source := strings.Repeat("Some **bold** and `code` in [a link](https://x.example), as people write.\n\n", 3000)
	if !cheap(source) {
		t.Error("ordinary text is not rendered")
	}
}

// TestFlowKeepsItsWidth checks that a wide character moves to the next line if only half of it
// fits, unless it is too wide for any line.
func TestFlowKeepsItsWidth(t *testing.T) {
	got := flow([]workSpan{{text: "abc"}, {text: "日本"}}, 4)
	if want := []string{"abc", "日本"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if lines := flow([]workSpan{{text: "日本"}}, 1); len(lines) != 2 {
		t.Errorf("%v", lines)
	}
}

func contentLines(a *app, content string, w int) []string {
	doc := a.contentDoc(note, content, w)
	return doc.lines(&a.look, w)
}
