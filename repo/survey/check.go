package survey

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/go-json-experiment/json"
)

// Check is a command that runs tests, with the file and line that define it.
type Check struct {
	Command string
	Dir     string // where to run the command: "." or a folder
	File    string
	Line    int
	Text    string // text of line Line, redacted
}

// manifest is a kind of file that defines how to run tests. find returns the command and a string
// from the line that defines it; the command is "" if there is none.
type manifest struct {
	names []string
	find  func(text string, siblings []string) (command, sign string)
}

// manifests lists the kinds of manifests, in the order in which their commands are offered.
var manifests = []manifest{
	{[]string{"makefile", "gnumakefile"}, target("make")},
	{[]string{"justfile"}, target("just")},
	{[]string{"go.mod"}, always("go test ./...", "module ")},
	{[]string{"cargo.toml"}, always("cargo test", "[")},
	{[]string{"package.json"}, npm},
	{[]string{"deno.json"}, always("deno test", "{")},
	{[]string{"pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg"}, mentions("pytest", "pytest")},
	{[]string{"pom.xml"}, always("mvn test", "<project")},
	{[]string{"build.gradle", "build.gradle.kts"}, gradle},
	{[]string{"mix.exs"}, always("mix test", "defmodule")},
	{[]string{"gemfile"}, mentions("rspec", "bundle exec rspec")},
	{[]string{"composer.json"}, mentions(`"test"`, "composer test")},
	{[]string{"package.swift"}, always("swift test", "Package(")},
}

// Manifests returns the paths of files in a listing that may define how to run tests, top-level
// files first.
func Manifests(l Listing) (out []string) {
	for depth := range contracts.LimitSurveyCheckDepth + 1 {
		for _, m := range manifests {
			for _, f := range l.Files {
				if strings.Count(f.Path, "/") == depth && slices.Contains(m.names, strings.ToLower(path.Base(f.Path))) && len(out) < contracts.LimitSurveyChecks {
					out = append(out, f.Path)
				}
			}
		}
	}
	return out
}

// Check returns the test command that a manifest defines, or false if it defines none.
func (f *Folder) Check(file string, l Listing) (Check, bool) {
	text, ok := f.text(file)
	if !ok {
		return Check{}, false
	}
	dir := path.Dir(file)
	for _, m := range manifests {
		if !slices.Contains(m.names, strings.ToLower(path.Base(file))) {
			continue
		}
		command, sign := m.find(string(text), l.names(dir))
		if command == "" {
			return Check{}, false
		}
		c := Check{Command: command, Dir: dir, File: file}
		for line := range bytes.Lines(text) {
			c.Line++
			if strings.Contains(string(line), sign) {
				c.Text = hud.Line(string(line), contracts.LimitSurveyNote)
				return c, true
			}
		}
		c.Line = 0
		return c, true
	}
	return Check{}, false
}

// names returns the names of the files directly in one folder.
func (l Listing) names(dir string) (out []string) {
	for _, f := range l.Files {
		if path.Dir(f.Path) == dir {
			out = append(out, path.Base(f.Path))
		}
	}
	return out
}

func always(command, sign string) func(string, []string) (string, string) {
	return func(string, []string) (string, string) { return command, sign }
}

func mentions(sign, command string) func(string, []string) (string, string) {
	return func(text string, _ []string) (string, string) {
		if !strings.Contains(text, sign) {
			return "", ""
		}
		return command, sign
	}
}

// target returns a function that looks for a target named test or check in a manifest.
func target(program string) func(string, []string) (string, string) {
	return func(text string, _ []string) (string, string) {
		for _, name := range []string{"test", "check"} {
			for line := range strings.Lines(text) {
				if strings.HasPrefix(line, name+":") {
					return program + " " + name, strings.TrimRight(line, "\r\n")
				}
			}
		}
		return "", ""
	}
}

func npm(text string, siblings []string) (command, sign string) {
	var file struct {
		Scripts map[string]string `json:"scripts"`
	}
	script := ""
	if json.Unmarshal([]byte(text), &file) == nil {
		script = file.Scripts["test"]
	}
	if script == "" || strings.Contains(script, "no test specified") {
		return "", ""
	}
	for _, p := range []struct{ lock, program string }{{"package-lock.json", "npm"}, {"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun run"}} {
		if slices.Contains(siblings, p.lock) {
			return p.program + " test", `"test"`
		}
	}
	return "npm test", `"test"`
}

func gradle(_ string, siblings []string) (command, sign string) {
	if slices.Contains(siblings, "gradlew") {
		return "./gradlew test", ""
	}
	return "gradle test", ""
}
