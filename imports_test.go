package bullpen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
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
	"connect":               {"contracts", "crew/openai", "intake/hook", "intake/hooks", "intake/openclaw"},
	"contracts":             {},
	"contracts/gen":         {"contracts"},
	"world":                 {"contracts", "world/scene"},
	"world/scene":           {"contracts"},
	"director":              {"contracts", "world", "world/scene"},
	"hud":                   {"contracts"},
	"ledger":                {"contracts"},
	"ledger/ledgertest":     {"contracts", "ledger"},
	"ledger/sqlite":         {"contracts", "ledger"},
	"ledger/jetstream":      {"contracts", "ledger"},
	"office":                {"contracts", "world", "world/scene", "director", "ledger"},
	"hub":                   {"contracts", "world", "world/scene", "ledger"},
	"gate":                  {"contracts"},
	"staff":                 {"contracts"},
	"crew":                  {"contracts", "ledger", "hud", "activity", "drive", "staff"},
	"crew/openai":           {"contracts", "crew", "drive", "hud", "staff"},
	"crew/rehearsal":        {"contracts", "crew", "hud", "repo/survey"},
	"repo/survey":           {"contracts", "hud"},
	"crew/driven":           {"contracts", "crew", "drive", "hud"},
	"activity":              {"contracts", "hud"},
	"drive":                 {"contracts"},
	"drive/drivetest":       {"contracts", "drive"},
	"drive/process":         {"contracts"},
	"drive/claude":          {"contracts", "drive", "drive/process", "hud", "hud/claude"},
	"drive/spawn":           {"contracts", "drive", "drive/process"},
	"drive/openclaw":        {"contracts", "drive", "hud", "hud/openclaw", "intake/openclaw"},
	"bridge":                {"bridge/completion", "contracts", "drive", "gate"},
	"bridge/completion":     {"contracts", "drive"},
	"channel":               {"contracts", "trust"},
	"hud/ui":                {"contracts", "hud"},
	"hud/status":            {"contracts"},
	"hud/work":              {"contracts"},
	"hud/claude":            {"contracts", "hud", "hud/status"},
	"hud/openclaw":          {"contracts", "hud", "hud/status"},
	"intake":                {"contracts", "gate", "hud", "hud/ui", "hud/status"},
	"intake/claude":         {"contracts", "gate", "hud", "hud/claude", "hud/status", "intake", "intake/hook"},
	"instance":              {},
	"intake/hook":           {"instance"},
	"intake/hooks":          {"contracts", "intake/hook"},
	"intake/openclaw":       {"contracts", "hud", "hud/openclaw", "hud/status", "intake"},
	"export/agui":           {"contracts"},
	"export/otlp":           {"contracts"},
	"trust":                 {},
	"tui":                   {"contracts", "hud/work", "tui/link", "tui/model"},
	"tui/link":              {"contracts", "trust", "tui/model"},
	"tui/model":             {"contracts"},
	"web":                   {},
	"packaging/release":     {},
	"server":                {"*"},
	"cmd/bullpen":           {"*"},
	"cmd/bullpen/hookfirst": {"intake/hook"},
	"bench":                 {"*"},
	"e2e/fakepeer":          {},
	"e2e/leaktest":          {},
	"e2e/fakemodel":         {"drive/drivetest"},
}

// pure packages have no clock, no chance, no IO, no goroutine: a replay of the
// same records gives the same office.
var pure = []string{"bridge/completion", "world", "world/scene", "director", "hud", "hud/ui", "hud/status", "hud/work", "hud/claude", "hud/openclaw", "tui/model"}

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
	seen := 0
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
			seen++
			if !slices.Contains(rule, "*") && !slices.Contains(rule, ours) {
				t.Errorf("%s: %s may not import %s; it may import %v", path, pkg, ours, rule)
			}
		}
	})
	if seen == 0 {
		t.Error("no import of ours was seen: the test looks in the wrong place")
	}
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
