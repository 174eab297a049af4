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

// allowed is the package table of ARCHITECTURE.md: what each package may import
// of ours. "*" means all. A package that is not here may not exist.
var allowed = map[string][]string{
	"atomicfile":            {},
	"backoff":               {},
	"client":                {"backoff", "client/socket", "contracts", "trust"},
	"client/socket":         {"contracts"},
	"connect":               {"contracts", "crew/openai", "intake/hook", "intake/hooks", "intake/openclaw"},
	"contracts":             {},
	"contracts/gen":         {"contracts"},
	"world":                 {"contracts", "world/scene"},
	"world/scene":           {"contracts"},
	"director":              {"contracts", "world", "hud", "hud/status"},
	"hud":                   {"contracts", "hud/leak"},
	"hud/leak":              {},
	"hud/leak/gen":          {},
	"ledger":                {"contracts"},
	"ledger/ledgertest":     {"contracts", "ledger"},
	"ledger/sqlite":         {"atomicfile", "contracts", "ledger"},
	"office":                {"contracts", "world", "world/scene", "director", "ledger"},
	"hub":                   {"contracts", "world", "ledger"},
	"gate":                  {"atomicfile", "contracts"},
	"staff":                 {"contracts"},
	"crew":                  {"backoff", "contracts", "drive", "hud", "turn"},
	"crew/openai":           {"backoff", "contracts", "crew", "crew/openai/completions", "drive", "hud", "staff"},
	"crew/rehearsal":        {"contracts", "crew", "drive", "hud", "repo/survey"},
	"repo/survey":           {"contracts", "hud"},
	"drive":                 {"contracts"},
	"drive/drivetest":       {"contracts", "drive"},
	"drive/process":         {"contracts", "drive", "hud"},
	"drive/claude":          {"contracts", "drive", "drive/process", "hud", "hud/claude"},
	"drive/spawn":           {"contracts", "drive", "drive/process"},
	"drive/openclaw":        {"contracts", "drive", "hud/openclaw", "intake/openclaw"},
	"turn":                  {"atomicfile", "backoff", "contracts", "drive", "hud", "hud/status", "staff"},
	"bridge":                {"bridge/completion", "contracts", "drive", "gate", "turn"},
	"bridge/completion":     {"contracts", "drive"},
	"channel":               {"backoff", "client/socket", "contracts", "trust"},
	"hud/ui":                {"contracts", "hud"},
	"hud/status":            {"contracts"},
	"hud/work":              {"contracts"},
	"hud/claude":            {"contracts", "hud", "hud/status"},
	"hud/openclaw":          {"contracts", "hud", "hud/status"},
	"intake":                {"contracts", "gate", "hud", "hud/ui", "hud/status"},
	"intake/claude":         {"backoff", "contracts", "gate", "hud", "hud/claude", "hud/status", "intake", "intake/hook"},
	"instance":              {"atomicfile"},
	"intake/hook":           {"atomicfile", "instance"},
	"intake/hooks":          {"atomicfile", "contracts", "intake/hook"},
	"intake/openclaw":       {"atomicfile", "backoff", "client/socket", "contracts", "hud", "hud/openclaw", "hud/status"},
	"export/agui":           {"contracts"},
	"export/otlp":           {"atomicfile", "backoff", "contracts"},
	"trust":                 {},
	"tui":                   {"contracts", "hud/work", "tui/link", "tui/model"},
	"tui/link":              {"client", "client/socket", "contracts", "trust", "tui/model"},
	"tui/model":             {"contracts"},
	"web":                   {},
	"packaging/release":     {},
	"server":                {"*"},
	"cmd/bullpen":           {"*"},
	"cmd/bullpen/hookfirst": {"intake/hook"},
	"bench":                 {"*"},
	"e2e/fakepeer":          {"backoff", "client/socket"},
	"e2e/leaktest":          {},
	"e2e/fakemodel":         {"drive/drivetest"},
	"e2e/clients/go":        {},

	"crew/openai/completions": {"contracts"},
}

// pure packages have no clock, no chance, no IO, no goroutine: a replay of the
// same records gives the same office.
var pure = []string{"bridge/completion", "world", "world/scene", "director", "hud", "hud/leak", "hud/ui", "hud/status", "hud/work", "hud/claude", "hud/openclaw", "tui/model"}

var impureImports = []string{"os", "net", "log", "syscall", "math/rand", "crypto/rand", "io/ioutil", "runtime"}

var impureTime = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "Local", "LoadLocation"}

// sources calls fn with every parsed file of ours that is not a test.
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
	seen := map[string][]string{}
	sources(t, func(pkg, path string, file *ast.File, _ *token.FileSet) {
		rule, known := allowed[pkg]
		if !known {
			t.Errorf("%s: package %q is not in the architecture; add it to the table and to ARCHITECTURE.md, or move the file", path, pkg)
			return
		}
		for _, imported := range importsOf(file) {
			ours, ok := strings.CutPrefix(imported, module+"/")
			if !ok {
				continue
			}
			seen[pkg] = append(seen[pkg], ours)
			if !slices.Contains(rule, "*") && !slices.Contains(rule, ours) {
				t.Errorf("%s: %s may not import %s; it may import %v", path, pkg, ours, rule)
			}
		}
	})
	for pkg, rule := range allowed {
		for _, imported := range rule {
			if imported != "*" && !slices.Contains(seen[pkg], imported) {
				t.Errorf("%s may import %s, but does not; take it out of the table", pkg, imported)
			}
		}
	}
}

// tableRow is a row of the package table in ARCHITECTURE.md.
type tableRow struct {
	packages, imports []string
	used              map[string]bool // the imports that a package of the row needs
}

// covers reports how much of a package's path the row names; 0 for none of it.
func (r *tableRow) covers(pkg string) (length int) {
	for _, name := range r.packages {
		if pkg == name || strings.HasPrefix(pkg, name+"/") {
			length = max(length, len(name))
		}
	}
	return length
}

// needs reports whether the row lists an import, itself or as "family/*".
func (r *tableRow) needs(imported string) bool {
	for _, name := range r.imports {
		family, all := strings.CutSuffix(name, "*")
		if name == imported || name == "all" || all && strings.HasPrefix(imported, family) {
			r.used[name] = true
			return true
		}
	}
	return false
}

func readTable(t *testing.T) (rows []*tableRow) {
	t.Helper()
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 || !strings.HasPrefix(line, "| `") {
			continue
		}
		packages := strings.Split(strings.ReplaceAll(strings.TrimSpace(cells[1]), "`", ""), ", ")
		rows = append(rows, &tableRow{packages, strings.Split(strings.TrimSpace(cells[3]), ", "), map[string]bool{}})
	}
	return rows
}

func TestTheArchitectureTableIsTrue(t *testing.T) {
	rows := readTable(t)
	for pkg, rule := range allowed {
		row := slices.MaxFunc(rows, func(a, b *tableRow) int { return a.covers(pkg) - b.covers(pkg) })
		if row.covers(pkg) == 0 {
			t.Errorf("ARCHITECTURE.md: no row for package %s", pkg)
			continue
		}
		for _, imported := range rule {
			if !row.needs(imported) && row.covers(imported) == 0 && imported != "*" {
				t.Errorf("ARCHITECTURE.md: the row of %s does not say that it imports %s", pkg, imported)
			}
		}
	}
	for _, row := range rows {
		for _, name := range row.imports {
			if !row.used[name] && name != "all" && name != "–" {
				t.Errorf("ARCHITECTURE.md: the row of %v names the import %s, which none of them has", row.packages, name)
			}
		}
	}
}

// A file is replaced in one way: what is not synced before it gets its name can be
// empty after a power loss.
func TestFilesAreReplacedByAtomicfile(t *testing.T) {
	except := map[string]string{
		"intake/hook/drain.go": "moves a file aside that was durable under its old name",
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
	sources(t, func(pkg, path string, file *ast.File, fset *token.FileSet) {
		if !slices.Contains(pure, pkg) {
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

// TestOneJSONLibrary holds that our own code, tests included, reads and writes JSON
// with one library: encoding/json takes duplicate names, other cases of a name and
// invalid text without a word. Programs of other modules may need it.
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
