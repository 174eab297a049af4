package hud

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
)

func TestScreenShowsWhatATerminalShows(t *testing.T) {
	file, err := os.Open("../contracts/vectors/ansi.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var v struct {
			Name   string `json:"name"`
			Raw    string `json:"raw"`
			Text   string `json:"text"`
			Styles string `json:"styles"`
		}
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		text, styles := Screen(v.Raw)
		if text != v.Text || styles != v.Styles {
			t.Errorf("%s:\n got %q %q\nwant %q %q", v.Name, text, styles, v.Text, v.Styles)
		}
	}
}

func TestScreenIsBounded(t *testing.T) {
	for name, raw := range map[string]string{
		"columns": strings.Repeat("\x1b[99999999CX\n", 10_000),
		"rows":    strings.Repeat("\x1b[99999999BX\r", 10_000),
		"styles":  strings.Repeat("\x1b[31mx\x1b[32my", 10_000),
	} {
		text, styles := Screen(raw)
		if len(text) > 2*len(raw)+contracts.LimitScreenPad || len(styles) > contracts.LimitOutputStyles {
			t.Errorf("%s: %d bytes became %d of text and %d of styles", name, len(raw), len(text), len(styles))
		}
	}
	late := strings.Repeat("line\n", 1000) + "\x1b[999A\rUP"
	text, _ := Screen(late)
	if got := strings.Count(text, "line\n"); got != 999 {
		t.Errorf("%d of 1000 lines are left, want 999", got)
	}
}

func TestOutputHidesCredentialsBehindColours(t *testing.T) {
	key := "ghp_" + strings.Repeat("a1B2", 9)
	got := Exec("env", 0, "\x1b[32mok\x1b[0m\ntoken \x1b[1m"+key[:8]+"\x1b[31m"+key[8:]+"\x1b[0m", "")
	if strings.Contains(got.Stdout, key[8:]) || got.StdoutStyles != "0:0-2=32" {
		t.Errorf("got %q %q", got.Stdout, got.StdoutStyles)
	}
}

func FuzzScreen(f *testing.F) {
	for _, seed := range []string{"a\x1b[31mb\r\n", "\x1b]0;t\x07", "\x1b[2J\x1b[H\x1b[5;5Hx", "\x9b1m\xff", "a\b\b\x1b[K\x1b[1K\x1b[3X"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		text, styles := Screen(raw)
		if strings.ContainsFunc(text, isControl) {
			t.Fatalf("%q keeps a control character: %q", raw, text)
		}
		rows := strings.Split(text, "\n")
		for _, run := range strings.Fields(styles) {
			line, from, to, ok := runOf(run)
			if !ok || line >= len(rows) || from >= to || to > utf8.RuneCountInString(rows[line]) {
				t.Fatalf("%q: the run %q is outside of %q", raw, run, text)
			}
		}
	})
}

func runOf(run string) (line, from, to int, ok bool) {
	place, codes, found := strings.Cut(run, "=")
	n, err := fmt.Sscanf(place, "%d:%d-%d", &line, &from, &to)
	return line, from, to, found && codes != "" && n == 3 && err == nil
}
