package bullpen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/bullpen-office/bullpen"

// row is a row of the package table in ARCHITECTURE.md: which of our packages a package may import
// ("all" means any), and whether it is pure. A package without a row is an error.
//
// Pure packages have no clock, no randomness, no IO and no goroutines: replaying the same records
// gives the same office.
type row struct {
	imports []string
	pure    bool
}

func readTable(t *testing.T) map[string]row {
	t.Helper()
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]row{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 3 || !strings.HasPrefix(line, "| `") {
			continue
		}
		name := strings.Trim(cells[0], "| `")
		if _, twice := rows[name]; twice {
			t.Errorf("ARCHITECTURE.md: two rows for package %s", name)
		}
		rows[name] = row{strings.Split(strings.TrimSuffix(cells[2], " |"), ", "), strings.HasSuffix(cells[1], ". Pure")}
	}
	return rows
}

var impureImports = []string{"os", "net", "log", "syscall", "math/rand", "crypto/rand", "io/ioutil", "runtime"}

var impureTime = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "Local", "LoadLocation"}

// sources calls fn with every parsed Go file that is not a test.
func sources(t *testing.T, fn func(pkg, path string, file *ast.File, fset *token.FileSet)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			name := d.Name()
			if path != "." && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata" || name == "bin") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		fn(filepath.ToSlash(filepath.Dir(path)), path, file, fset)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func importsOf(file *ast.File) []string {
	var paths []string
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		paths = append(paths, path)
	}
	return paths
}

func TestImportsFollowTheArchitecture(t *testing.T) {
	rows, seen := readTable(t), map[string][]string{}
	sources(t, func(pkg, path string, file *ast.File, _ *token.FileSet) {
		rule, known := rows[pkg]
		if !known {
			t.Errorf("%s: package %q has no row in ARCHITECTURE.md; add one, or move the file", path, pkg)
			return
		}
		seen[pkg] = append(seen[pkg], "–", "all")
		for _, imported := range importsOf(file) {
			ours, ok := strings.CutPrefix(imported, module+"/")
			if !ok {
				continue
			}
			seen[pkg] = append(seen[pkg], ours)
			if !slices.Contains(rule.imports, "all") && !slices.Contains(rule.imports, ours) {
				t.Errorf("%s: %s may not import %s; it may import %v", path, pkg, ours, rule.imports)
			}
		}
	})
	for pkg, rule := range rows {
		for _, imported := range rule.imports {
			if !slices.Contains(seen[pkg], imported) {
				t.Errorf("ARCHITECTURE.md: %s may import %s, but does not", pkg, imported)
			}
		}
	}
}

// Files are replaced only by atomicfile: a file that is not synced before it is renamed can be
// empty after a power loss.
func TestFilesAreReplacedByAtomicfile(t *testing.T) {
	except := map[string]string{
		"agents/hook/drain.go":    "moves a file aside that was durable under its old name",
		"repo/worktree/remove.go": "moves a whole directory to the trash",
	}
	sources(t, func(pkg, path string, file *ast.File, fset *token.FileSet) {
		if pkg == "atomicfile" || except[filepath.ToSlash(path)] != "" {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Rename" {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "os" {
					t.Errorf("%s: use atomicfile instead of os.Rename: it syncs the content and the directory", fset.Position(n.Pos()))
				}
			}
			return true
		})
	})
}

func TestPurePackagesStayPure(t *testing.T) {
	rows := readTable(t)
	sources(t, func(pkg, path string, file *ast.File, fset *token.FileSet) {
		if !rows[pkg].pure {
			return
		}
		for _, imported := range importsOf(file) {
			for _, bad := range impureImports {
				if imported == bad || strings.HasPrefix(imported, bad+"/") {
					t.Errorf("%s: a pure package may not import %s", path, imported)
				}
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: a pure package starts no goroutine", fset.Position(n.Pos()))
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(impureTime, n.Sel.Name) {
					t.Errorf("%s: a pure package gets its time from records, not from time.%s", fset.Position(n.Pos()), n.Sel.Name)
				}
			}
			return true
		})
	})
}

// Our code, tests included, uses one JSON library, because encoding/json silently accepts duplicate
// names, names in another case and invalid UTF-8. Programs in other modules may use encoding/json.
func TestOneJSONLibrary(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			if path != "." && (err == nil || strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err == nil && slices.Contains(importsOf(file), "encoding/json") {
			t.Errorf("%s imports encoding/json; use github.com/go-json-experiment/json", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Package server only wires parts together and serves requests. Policy and computation belong in
// those parts.
func TestServerStaysSmall(t *testing.T) {
	const limit = 1_300 // lines of Go, excluding tests
	files, err := filepath.Glob("server/*.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines += strings.Count(string(text), "\n")
	}
	if lines > limit {
		t.Errorf("package server has %d lines; the limit is %d", lines, limit)
	}
}
