//go:build unix

package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	inline  = regexp.MustCompile("`(bullpen [^`]+)`")
	called  = regexp.MustCompile(`\bbullpen((?: [a-z][a-z-]*)+)([^|;&]*)`)
	flagged = regexp.MustCompile(`--[a-z][a-z-]*`)
)

// Verbs and flags on the pages exist in the program's manual, even in blocks that are not run.
func TestVerbsAndFlagsExist(t *testing.T) {
	manual := t.TempDir()
	if out, err := exec.Command(program(release(t)), "man", manual).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, p := range append(tested(t), readPage(t, "../README.md")) {
		for _, call := range p.calls() {
			verbs, rest := strings.Fields(strings.TrimPrefix(call[1], " bullpen")), call[2]
			text := manualOf(manual, verbs)
			if text == "" {
				t.Errorf("%s: unknown command `bullpen %s`", p.path, verbs[0])
			}
			rest, _, _ = strings.Cut(rest, " -- ")
			for _, flag := range flagged.FindAllString(rest, -1) {
				if !strings.Contains(text, flag+" ") && !strings.Contains(text, flag+"\n") {
					t.Errorf("%s: bullpen %s has no %s", p.path, verbs[0], flag)
				}
			}
		}
	}
}

// Every command appears on a page.
func TestEveryCommandHasAPage(t *testing.T) {
	out, err := exec.Command(program(release(t)), "help").Output()
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, p := range tested(t) {
		for _, call := range p.calls() {
			shown[strings.Fields(call[1])[0]] = true
		}
	}
	listed := regexp.MustCompile(`(?m)^  ([a-z]+)  +[A-Z]`).FindAllStringSubmatch(string(out), -1)
	if len(listed) < 20 {
		t.Fatalf("the help lists only %d commands:\n%s", len(listed), out)
	}
	for _, verb := range listed {
		if !shown[verb[1]] {
			t.Errorf("no page of the guide shows `bullpen %s`", verb[1])
		}
	}
}

// calls returns the bullpen commands that a page runs or names, with their arguments.
func (p page) calls() [][]string {
	var text []string
	for _, b := range p.blocks {
		if b.shell() {
			for line := range strings.Lines(strings.ReplaceAll(b.script(), "\\\n", " ")) {
				if code, _, _ := strings.Cut(line, "#"); code != "" {
					text = append(text, code)
				}
			}
		}
	}
	for _, span := range inline.FindAllStringSubmatch(p.prose, -1) {
		text = append(text, span[1])
	}
	var all [][]string
	for _, t := range text {
		all = append(all, called.FindAllStringSubmatch(t, -1)...)
	}
	return all
}

// undocumented lists commands without a page: help, and commands that other programs run.
var undocumented = []string{"hook", "help", "completion"}

// manualOf returns the manual page of the longest command that words name.
func manualOf(dir string, words []string) string {
	if slices.Contains(undocumented, words[0]) {
		return words[0]
	}
	for n := len(words); n > 0; n-- {
		if raw, err := os.ReadFile(filepath.Join(dir, "bullpen-"+strings.Join(words[:n], "-")+".1")); err == nil {
			return strings.ReplaceAll(string(raw), `\-`, "-")
		}
	}
	return ""
}
