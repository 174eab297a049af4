package bullpen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/agents/all"
	"github.com/bullpen-office/bullpen/contracts"
)

// vendorNames lists the names that messages and the configuration use for vendors. peer, bridge and
// mcp are not vendors.
var vendorNames = func() (names []string) {
	for _, a := range all.Adapters {
		for _, name := range []string{a.Source.Source, string(a.Kind()), a.Provider} {
			if name != "" && !slices.Contains(names, name) && name != contracts.SourceBridge && name != contracts.SourceMCP && name != "peer" {
				names = append(names, name)
			}
		}
	}
	return names
}()

// vendorFolders lists the folders that agents/all imports.
var vendorFolders = func() (names []string) {
	file, err := parser.ParseFile(token.NewFileSet(), "agents/all/all.go", nil, parser.ImportsOnly)
	if err != nil {
		panic(err)
	}
	for _, imported := range importsOf(file) {
		if name, ok := strings.CutPrefix(imported, module+"/agents/"); ok {
			names = append(names, name)
		}
	}
	return names
}()

// The lists above come from agents/all, so that the rules apply to a new vendor without changes
// here.
func TestVendorListsAreComplete(t *testing.T) {
	if len(vendorFolders) != len(all.Adapters) || !slices.Contains(vendorFolders, "claude") || !slices.Contains(vendorNames, "anthropic") {
		t.Errorf("folders %q, names %q", vendorFolders, vendorNames)
	}
}

// vendorImports lists the code that may import a vendor's folder from outside, with the reason.
var vendorImports = map[string]string{
	"agents/all":         "the list",
	"cmd/bullpen/mcp.go": "the channel of Claude Code",
}

// vendorOf returns the vendor folder that contains a package, or "" if none does.
func vendorOf(pkg string) string {
	rest, ok := strings.CutPrefix(pkg, "agents/")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	if slices.Contains(vendorFolders, name) {
		return name
	}
	return ""
}

// Adding a vendor takes one folder and one line in agents/all: no other code names a vendor.
func TestVendorNamesStayInTheirFolders(t *testing.T) {
	named := vendorConstants(t)
	sources(t, func(pkg, path string, file *ast.File, fset *token.FileSet) {
		if vendorOf(pkg) != "" {
			return
		}
		report := func(e ast.Expr) {
			if isVendorName(pkg, file, e, named) {
				asksForVendor(t, fset.Position(e.Pos()))
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if n.Op == token.EQL || n.Op == token.NEQ {
					report(n.X)
					report(n.Y)
				}
			case *ast.CaseClause:
				for _, e := range n.List {
					report(e)
				}
			case *ast.CompositeLit:
				if _, ok := n.Type.(*ast.MapType); ok {
					for _, e := range n.Elts {
						report(e.(*ast.KeyValueExpr).Key)
					}
				}
			case *ast.IndexExpr:
				report(n.Index)
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains(textTests, f.Sel.Name) {
					for _, e := range n.Args {
						if lit, ok := e.(*ast.BasicLit); ok && isVendorLiteral(lit, strings.Contains) {
							asksForVendor(t, fset.Position(e.Pos()))
						}
					}
				}
			}
			return true
		})
		for _, imported := range importsOf(file) {
			ours, _ := strings.CutPrefix(imported, module+"/")
			if vendorOf(ours) != "" && vendorImports[pkg] == "" && vendorImports[filepath.ToSlash(path)] == "" {
				t.Errorf("%s imports %s: ask the adapter", path, ours)
			}
		}
	})
}

func asksForVendor(t *testing.T, at token.Position) {
	t.Helper()
	t.Errorf("%s asks for a vendor by name: let its adapter describe the difference", at)
}

// textTests lists functions that compare strings.
var textTests = []string{"HasPrefix", "HasSuffix", "Contains", "EqualFold", "CutPrefix", "CutSuffix", "Index"}

func isText(text, name string) bool { return text == name }

func isVendorLiteral(e *ast.BasicLit, matches func(text, name string) bool) bool {
	text, err := strconv.Unquote(e.Value)
	return err == nil && e.Kind == token.STRING && slices.ContainsFunc(vendorNames, func(name string) bool { return matches(text, name) })
}

// vendorConstants returns the constants whose value is the name of a vendor, as package.Name,
// including aliases.
func vendorConstants(t *testing.T) map[string]bool {
	found := map[string]bool{}
	for n := -1; n < len(found); {
		n = len(found)
		addVendorConstants(t, found)
	}
	return found
}

func addVendorConstants(t *testing.T, found map[string]bool) {
	sources(t, func(pkg, _ string, file *ast.File, _ *token.FileSet) {
		for _, d := range file.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.CONST {
				continue
			}
			for _, s := range decl.Specs {
				spec := s.(*ast.ValueSpec)
				for i, v := range spec.Values {
					if isVendorName(pkg, file, v, found) {
						found[pkg+"."+spec.Names[i].Name] = true
					}
				}
			}
		}
	})
}

// isVendorName reports whether an expression is the name of a vendor, as a literal or a constant.
func isVendorName(pkg string, file *ast.File, e ast.Expr, named map[string]bool) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return isVendorLiteral(e, isText)
	case *ast.Ident:
		return named[pkg+"."+e.Name]
	case *ast.SelectorExpr:
		x, ok := e.X.(*ast.Ident)
		return ok && slices.ContainsFunc(importsOf(file), func(imported string) bool {
			ours, _ := strings.CutPrefix(imported, module+"/")
			return filepath.Base(ours) == x.Name && named[ours+"."+e.Sel.Name]
		})
	}
	return false
}

// vendorInScript matches vendor names in comparisons, cases and keys. The key rehearsal is
// excluded, because messages have a member of that name.
var vendorInScript = func() *regexp.Regexp {
	all := strings.Join(vendorNames, "|")
	keys := strings.Join(slices.DeleteFunc(slices.Clone(vendorNames), func(n string) bool { return n == "rehearsal" }), "|")
	return regexp.MustCompile(`([=!]==?\s*|\bcase\s+|\[)["'](` + all + `)["']|(^|[{,])\s*["']?(` + keys + `)["']?\s*:`)
}()

// The web client names no vendor.
func TestWebClientNamesNoVendor(t *testing.T) {
	err := filepath.WalkDir("web/src", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".ts") && !strings.HasSuffix(path, ".tsx") || strings.Contains(path, ".test.") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			if n++; vendorInScript.MatchString(line) {
				asksForVendor(t, token.Position{Filename: path, Line: n, Column: 1})
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// An adapter uses the office only through agents.Office, so that the adapter can run elsewhere.
func TestAdaptersDoNotImportTheOffice(t *testing.T) {
	sources(t, func(pkg, path string, file *ast.File, _ *token.FileSet) {
		if vendorOf(pkg) == "" {
			return
		}
		for _, imported := range importsOf(file) {
			ours, _ := strings.CutPrefix(imported, module+"/")
			if slices.Contains([]string{"office", "hub", "server", "view", "world", "director"}, ours) || strings.HasPrefix(ours, "ledger") {
				t.Errorf("%s imports %s: use agents.Office", path, ours)
			}
			if other := vendorOf(ours); other != "" && other != vendorOf(pkg) {
				t.Errorf("%s imports another vendor, %s", path, other)
			}
		}
	})
}
