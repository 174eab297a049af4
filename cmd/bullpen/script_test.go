package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// asProgram makes the test binary behave as bullpen itself, so that scripts run
// real processes.
const asProgram = "BULLPEN_SCRIPT_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestScripts runs every verb and its failures as a person would. A script is a
// txtar archive: commands first, then the files they work on. Each has its own
// home, so nothing outside is touched.
func TestScripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			newScript(t, path).run()
		})
	}
}

// script is one run of an archive.
type script struct {
	t       *testing.T
	name    string
	dir     string
	env     map[string]string
	lines   []string
	line    int
	program *exec.Cmd // started and not yet stopped
}

var fileMarker = regexp.MustCompile(`^-- (\S+) --$`)

// newScript unpacks an archive. A race-checked program would sleep a second at its
// end, which scripts have no use for.
func newScript(t *testing.T, path string) *script {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := &script{t: t, name: filepath.Base(path), dir: dir, env: map[string]string{"HOME": dir, "PATH": os.Getenv("PATH"), asProgram: "1", "GORACE": "atexit_sleep_ms=0"}}
	s.write("scene.json", contracts.DefaultSceneManifest)
	file := ""
	var body strings.Builder
	for line := range strings.Lines(string(content)) {
		if m := fileMarker.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			s.unpack(file, body.String())
			file = m[1]
			body.Reset()
			continue
		}
		body.WriteString(line)
	}
	s.unpack(file, body.String())
	return s
}

func (s *script) unpack(file, body string) {
	if file == "" {
		s.lines = strings.Split(body, "\n")
		return
	}
	s.write(file, []byte(body))
}

func (s *script) run() {
	s.t.Cleanup(func() {
		if s.program != nil {
			_ = s.program.Process.Kill()
			_ = s.program.Wait()
		}
	})
	for i, line := range s.lines {
		s.line = i + 1
		words := s.split(line)
		if len(words) == 0 {
			continue
		}
		negated := words[0] == "!"
		if negated {
			words = words[1:]
		}
		command, known := commands[words[0]]
		if !known {
			s.fail("unknown command %s", words[0])
		}
		command(s, negated, words[1:])
	}
}

// split cuts a line into words; single quotes keep spaces and dollars as they
// are, $NAME is a variable elsewhere, # starts a comment.
func (s *script) split(line string) (words []string) {
	if strings.HasPrefix(line, "#") {
		return nil
	}
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		for _, word := range strings.Fields(part) {
			words = append(words, os.Expand(word, func(name string) string { return s.env[name] }))
		}
	}
	return words
}

func (s *script) fail(format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("%s:%d: "+format, append([]any{s.name, s.line}, args...)...)
}

func (s *script) check(err error) {
	s.t.Helper()
	if err != nil {
		s.fail("%v", err)
	}
}

func (s *script) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.dir, name)
}

func (s *script) data() string { return filepath.Join(s.dir, ".bullpen") }

func (s *script) read(name string) string {
	s.t.Helper()
	content, err := os.ReadFile(s.path(name))
	s.check(err)
	return string(content)
}

func (s *script) write(name string, content []byte) {
	s.t.Helper()
	s.check(os.WriteFile(s.path(name), content, 0o600))
}

func (s *script) lastLine(name string) string {
	lines := strings.Split(strings.TrimRight(s.read(name), "\n"), "\n")
	return lines[len(lines)-1]
}
