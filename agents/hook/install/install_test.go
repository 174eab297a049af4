package install

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var plan = Plan{Program: &program, Version: Version{2, 1, 197}, URL: "http://127.0.0.1:4777", Command: program.Command("/opt/bullpen")}

// settings contains files in the formats that people and other tools write.
var settings = map[string]string{
	"missing":      "",
	"empty object": "{}",
	"newline":      "{}\n",
	"space inside": "{ \n }\n",
	"two spaces":   "{\n  \"model\": \"opus\",\n  \"env\": {\"A\": \"1\"}\n}\n",
	"four spaces":  "{\n    \"model\": \"opus\"\n}",
	"tabs":         "{\n\t\"permissions\": {\n\t\t\"allow\": [\n\t\t\t\"Bash(ls:*)\"\n\t\t]\n\t}\n}\n",
	"crlf":         "{\r\n  \"model\": \"opus\"\r\n}\r\n",
	"one line":     `{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}`,
	"mark":         "\xef\xbb\xbf{\n  \"model\": \"opus\"\n}\n",
	"odd layout":   "{ \"a\":1 ,\n\n   \"hooks\" : { \"PreToolUse\":[ {\"matcher\":\"Bash\", \"hooks\":[ {\"type\":\"command\",\"command\":\"x\"} ] } ] , \"Stop\" : [] }\n , \"z\" : [ ] }",
	"empty hooks":  "{\n  \"hooks\": {},\n  \"z\": null\n}\n",
	"foreign": `{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Write|Edit",
        "hooks": [
          {
            "type": "command",
            "command": "prettier --check \"$FILE\"",
            "timeout": 5
          }
        ]
      }
    ],
    "Stop": [
      { "hooks": [ { "type": "http", "url": "http://127.0.0.1:9/other" } ] }
    ]
  },
  "theme": "dark"
}
`,
}

// Repeated installs leave one entry per event and keep other programs' entries; uninstalling
// restores the original bytes.
func TestUninstallRestoresTheOriginal(t *testing.T) {
	for name, original := range settings {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "settings.json")
			if name != "missing" {
				write(t, path, original)
			}
			for run := range 3 {
				done, err := program.InstallFile(path, plan.Entries())
				if err != nil || done.Changed != (run == 0) {
					t.Fatalf("run %d: %+v, %v", run, done, err)
				}
			}
			s := readSettings(t, path)
			if len(s.Entries) != len(program.Events) {
				t.Fatalf("%d entries for %d events:\n%s", len(s.Entries), len(program.Events), read(t, path))
			}
			for i, e := range program.Events {
				if s.entry(e.Name) != plan.Entries()[i] {
					t.Errorf("%s: %+v", e.Name, s.entry(e.Name))
				}
			}
			keepsOthers(t, original, read(t, path))
			if _, err := program.UninstallFile(path); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if name == "missing" {
				if !errors.Is(err, os.ErrNotExist) {
					t.Errorf("the file that we created is still there: %q, %v", got, err)
				}
			} else if string(got) != original {
				t.Errorf("restored\n%q, want\n%q", got, original)
			}
			left, _ := filepath.Glob(path + "*")
			if want := map[bool]int{true: 0, false: 1}[name == "missing"]; len(left) != want {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// A changed address or program is updated in place, and uninstalling still restores the original.
func TestUpdateInPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	write(t, path, settings["foreign"])
	old := plan
	old.Version = Version{2, 1, 63} // supports fewer events
	for _, p := range []Plan{old, plan, {Program: &program, Version: plan.Version, URL: "http://127.0.0.1:5000", Command: program.Command("/usr/bin/bullpen"), Transport: TransportHTTP, Token: true}} {
		if _, err := program.InstallFile(path, p.Entries()); err != nil {
			t.Fatal(err)
		}
		s := readSettings(t, path)
		if len(s.Entries) != len(program.EventsOf(p.Version)) || s.Foreign != 2 {
			t.Fatalf("%d entries, %d foreign:\n%s", len(s.Entries), s.Foreign, read(t, path))
		}
		for _, e := range p.Entries() {
			if s.entry(e.Event) != e {
				t.Errorf("%+v, want %+v", s.entry(e.Event), e)
			}
		}
	}
	if _, err := program.UninstallFile(path); err != nil || read(t, path) != settings["foreign"] {
		t.Errorf("%v\n%s", err, read(t, path))
	}
}

// If other programs changed the file after the installation, uninstalling removes only our entries.
func TestUninstallAfterOthersChangedIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	write(t, path, settings["foreign"])
	if _, err := program.InstallFile(path, plan.Entries()); err != nil {
		t.Fatal(err)
	}
	write(t, path, strings.Replace(read(t, path), `"theme": "dark"`, `"theme": "light"`, 1))
	done, err := program.UninstallFile(path)
	if err != nil || done.Backup == "" {
		t.Fatalf("%+v, %v", done, err)
	}
	if want := strings.Replace(settings["foreign"], "dark", "light", 1); read(t, path) != want {
		t.Errorf("got\n%s\nwant\n%s", read(t, path), want)
	}
	if read(t, path+BackupSuffix) != settings["foreign"] {
		t.Error("the backup is not the original")
	}
}

// Uninstalling keeps a file that we created if other programs have added to it.
func TestUninstallKeepsAFileOthersUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if _, err := program.InstallFile(path, plan.Entries()); err != nil {
		t.Fatal(err)
	}
	write(t, path, strings.Replace(read(t, path), "{", "{\n  \"model\": \"opus\",", 1))
	if _, err := program.UninstallFile(path); err != nil || read(t, path) != "{\n  \"model\": \"opus\"\n}\n" {
		t.Errorf("%v\n%q", err, read(t, path))
	}
}

// Uninstalling removes all of our hooks, even from a group that also contains other hooks, and
// keeps those other hooks.
func TestOurHookInAnotherGroupIsRemoved(t *testing.T) {
	text := `{"hooks": {"Stop": [
  {"matcher": "*", "hooks": [{"type": "command", "command": "a"}, {"type": "http", "url": "http://127.0.0.1:1/hooks/claude"}, {"type": "command", "command": "b"}]},
  {"hooks": [{"type": "command", "command": "/x/bullpen hook claude"}]}
]}}`
	out, err := program.Uninstall([]byte(text))
	if want := `{"hooks": {"Stop": [
  {"matcher": "*", "hooks": [{"type": "command", "command": "a"}, {"type": "command", "command": "b"}]}
]}}`; err != nil || string(out) != want {
		t.Errorf("%v\n%s", err, out)
	}
	out, err = program.Install([]byte(text), []Entry{{Event: "Stop", Type: "command", Command: program.Command("/y/bullpen"), Timeout: 10}})
	if err != nil || strings.Count(string(out), "hook claude") != 1 || strings.Contains(string(out), "http") {
		t.Errorf("%v\n%s", err, out)
	}
}

// An invalid file is rejected with the position of the error, and nothing is written.
func TestInvalidFileIsRejected(t *testing.T) {
	cases := map[string]string{
		"{\n  \"a\": 1,\n}":              "line 2, column 9",
		"{\n  \"a\": tru\n}":             "line 2, column",
		"{\n  // comment\n  \"a\": 1\n}": "line 2, column 3",
		"{\"a\": 1":                      "unexpected end of file",
		"{\"a\": 1} trailing":            "line 1, column 12",
		"{} {}":                          "unexpected text after the end",
		"[]":                             "is not a JSON object",
		"\"text\"":                       "is not a JSON object",
		"{\"a\": 1,\n \"a\": 2}":         "line 2, column",
		"{\"hooks\": []}":                `"hooks" is not an object`,
		"{\"hooks\": {\"Stop\": {}}}":    "not a list",
		"{\"hooks\": {\"Stop\": [3]}}":   "is not an object with a",
		"{\"hooks\": {\"Stop\": [{\"hooks\": 1}]}}": "is not an object with a",
		"{\"a\": \"\xff\"}":                         "line 1, column",
	}
	for text, want := range cases {
		path := filepath.Join(t.TempDir(), "settings.json")
		write(t, path, text)
		for name, do := range map[string]func() (Change, error){
			"install":   func() (Change, error) { return program.InstallFile(path, plan.Entries()) },
			"uninstall": func() (Change, error) { return program.UninstallFile(path) },
		} {
			_, err := do()
			var fault *Fault
			if !errors.As(err, &fault) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s of %q: %v, want %q", name, text, err, want)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 || read(t, path) != text {
			t.Errorf("%q was touched: %v", text, left)
		}
	}
}

func TestSymlinkModeAndBusy(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "dotfiles.json"), filepath.Join(dir, "settings.json")
	write(t, target, "{}\n")
	if err := os.Chmod(target, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("dotfiles.json", link); err != nil {
		t.Skip("symbolic links are not supported")
	}
	done, err := program.InstallFile(link, plan.Entries())
	if err != nil || filepath.Base(done.Path) != "dotfiles.json" {
		t.Fatalf("%+v, %v", done, err)
	}
	if info, _ := os.Lstat(link); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced by a file")
	}
	if info, _ := os.Stat(target); info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v", info.Mode())
	}
	// Another program writes between our read and our write, every time.
	n := 0
	_, err = program.change(target, func(f *file) error {
		n++
		write(t, target, strings.Repeat(" ", n)+"{}")
		f.after = []byte("{\"ours\":1}")
		return nil
	})
	if !errors.Is(err, ErrBusy) || n != attempts || read(t, target) != "   {}" {
		t.Errorf("%v after %d attempts: %q", err, n, read(t, target))
	}
	if err := os.Remove(target); err != nil {
		t.Fatal(err)
	}
	if _, err := program.InstallFile(link, plan.Entries()); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("a dangling link: %v", err)
	}
}

// Installing keeps everything that a valid file contains, and uninstalling restores it. Two of the
// three installed events may already be in the file; TestUninstallRestoresTheOriginal installs all
// events.
func TestAnySettingsAreRestored(t *testing.T) {
	var entries []Entry
	for _, e := range plan.Entries() {
		if e.Event == "PreToolUse" || e.Event == "Stop" || e.Event == "SessionStart" {
			entries = append(entries, e)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		original := anyObject(rt, 3)
		if rapid.Bool().Draw(rt, "indented") {
			original = indented(rt, original)
		}
		once, err := program.Install([]byte(original), entries)
		var fault *Fault
		if errors.As(err, &fault) {
			return // "hooks" has a format that Claude Code rejects
		}
		twice, again := program.Install(once, entries)
		if err != nil || again != nil || string(once) != string(twice) {
			rt.Fatalf("%v, %v: not idempotent:\n%s\n%s", err, again, once, twice)
		}
		if !program.makes([]byte(original), mustRead(rt, once).Entries, once) {
			rt.Fatalf("the original of %s is not recognized", once)
		}
		back, err := program.Uninstall(once)
		if err != nil || len(mustRead(rt, back).Entries) != 0 {
			rt.Fatalf("%v\n%s", err, back)
		}
	})
}

func FuzzInstall(f *testing.F) {
	for _, text := range settings {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		out, err := program.Install(text, plan.Entries())
		if err != nil {
			return
		}
		s, err := program.Read(out)
		if err != nil || len(s.Entries) != len(program.Events) {
			t.Fatalf("%v: %d entries\n%q\n%q", err, len(s.Entries), text, out)
		}
		if back, err := program.Uninstall(out); err != nil || !valid(back) {
			t.Fatalf("%v\n%q", err, back)
		}
	})
}
