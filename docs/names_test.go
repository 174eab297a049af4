package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var goName = regexp.MustCompile("`([a-z]+)\\.([A-Z][A-Za-z]*)(?:\\.([A-Z][A-Za-z]*))?`")

// TestNamesExist checks that every Go name in the documents about the code, such as `turn.Engine`,
// exists. Decision records are not checked: they describe the code as it was at the time.
func TestNamesExist(t *testing.T) {
	source := sources(t)
	checked := 0
	for _, path := range []string{"../ARCHITECTURE.md", "../CONTRIBUTING.md", "../GLOSSARY.md", "data-flow.md", "guide/client.md"} {
		for _, name := range goName.FindAllStringSubmatch(readPage(t, path).prose, -1) {
			text, known := source[name[1]]
			if !known {
				continue
			}
			checked++
			for _, part := range name[2:] {
				if part != "" && !regexp.MustCompile(`\b`+part+`\b`).MatchString(text) {
					t.Errorf("%s: package %s has no %s", path, name[1], part)
				}
			}
		}
	}
	if checked < 10 {
		t.Errorf("checked only %d names", checked)
	}
}

// sources returns the Go source of all packages, keyed by the last element of their paths.
func sources(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]*strings.Builder{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || path != ".." && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		pkg := filepath.Base(filepath.Dir(path))
		if found[pkg] == nil {
			found[pkg] = &strings.Builder{}
		}
		found[pkg].Write(text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for pkg, text := range found {
		all[pkg] = text.String()
	}
	return all
}
