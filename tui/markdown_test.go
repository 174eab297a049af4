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

// Everything that Markdown has, as it is seen in a wide and in a narrow terminal,
// and with the colours.
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

// However a text is made, no line is wider than there is room, and nothing of it
// is an order to the terminal.
func TestMarkdownStaysInItsPlace(t *testing.T) {
	parts := []string{"# ", "> ", "- ", "1. ", "- [x] ", "    ", "```\n", "`", "**", "*", "_", "~~", "[", "](", ")", "![", "<b>", "<!--", "|", "|-|-|\n", "---\n", "\n", "\n\n", "  \n", "\\",
		"&#27;[2J", "&#x9b;2J", "\x1b[2J", "\x1b]0;x\x07", "\u202e", "\t", "word", "日本", "é", "👩‍👩‍👧", "https://x.example/", strings.Repeat("long", 20)}
	rapid.Check(t, func(t *rapid.T) {
		content := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 60).Draw(t, "parts"), "")
		w, ascii := rapid.IntRange(12, 60).Draw(t, "width"), rapid.Bool().Draw(t, "ascii")
		a := &app{look: newLook(true, ascii)}
		for _, line := range contentLines(a, content, w) {
			if strings.ContainsAny(ansi.Strip(line), "\x1b\x07\u009b\u202e") {
				t.Fatalf("%q has an order to the terminal", line)
			}
			if got := ansi.StringWidth(line); got > w {
				t.Fatalf("a line of %d cells where there are %d: %q", got, w, line)
			}
		}
	})
}

// What would take a parser forever is shown as it is: as plain text.
func TestMarkdownThatIsNotTame(t *testing.T) {
	many := 64 << 10
	for name, content := range map[string]string{
		"delimiters": strings.Repeat("*a_", many), "brackets": strings.Repeat("[a](", many), "struck": strings.Repeat("~~a", many), "ticks": strings.Repeat("` ", many),
		"quotes": strings.Repeat(">", many), "quotes in lines": strings.Repeat(strings.Repeat("> ", 99)+"a\n", 99), "lists": strings.Repeat("- ", many),
		"names": strings.Repeat("[a]: b\n\n", many), "rows": "|a|b|\n|-|-|\n" + strings.Repeat("|a|b|\n", many), "indented": strings.Repeat(" ", 99) + "- a\n",
	} {
		if tame(content) {
			t.Errorf("%s: it is laid out", name)
		}
		first, _, _ := strings.Cut(ansi.Strip(lay(content[:min(len(content), markdownMost)], 80, false)), "\n")
		if !strings.Contains(first, strings.TrimSpace(content[:3])) {
			t.Errorf("%s: it begins with %q", name, first)
		}
	}
	source := strings.Repeat("Some **bold** and `code` in [a link](https://x.example), as people write.\n\n", 3000)
	if !tame(source) {
		t.Error("an ordinary text is not laid out")
	}
}

// A wide character goes to the next line when only half of it fits, whatever stands
// before it; alone in a line that is too narrow it stays.
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
