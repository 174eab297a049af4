package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// constantValue is one exported constant of package contracts.
type constantValue struct {
	Name  string
	Type  string // for example ErrorCode or Duration; empty for a plain number or string
	Value constant.Value
	pos   token.Pos
}

// readConstants evaluates a package's exported constants in source order, so that nothing has to be
// listed twice.
func readConstants(dir string) ([]constantValue, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read package %s: %w", dir, err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, filepath.Join(dir, e.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("parse %s: %w", e.Name(), err)
		}
		files = append(files, f)
	}
	// The constants need no imports except time, so errors about other imports are expected. A
	// constant that cannot be evaluated has no value below.
	conf := types.Config{Importer: stubImporter{}, Error: func(error) {}}
	pkg, _ := conf.Check("contracts", fset, files, nil)
	var all []constantValue
	for _, name := range pkg.Scope().Names() {
		c, ok := pkg.Scope().Lookup(name).(*types.Const)
		if !ok || !c.Exported() {
			continue
		}
		if c.Val().Kind() == constant.Unknown {
			return nil, fmt.Errorf("constant %s has no value", name)
		}
		all = append(all, constantValue{Name: name, Type: typeName(c.Type()), Value: c.Val(), pos: c.Pos()})
	}
	slices.SortFunc(all, func(a, b constantValue) int { return int(a.pos - b.pos) })
	return all, nil
}

func typeName(t types.Type) string {
	if named, ok := t.(*types.Named); ok {
		return named.Obj().Name()
	}
	return ""
}

// stubImporter provides package time with only its duration constants, and an empty package for
// every other import, so that no dependency has to be compiled. The constants need nothing else.
type stubImporter struct{}

func (stubImporter) Import(path string) (*types.Package, error) {
	pkg := types.NewPackage(path, filepath.Base(path))
	if path == "time" {
		duration := types.NewNamed(types.NewTypeName(token.NoPos, pkg, "Duration", nil), types.Typ[types.Int64], nil)
		pkg.Scope().Insert(duration.Obj())
		for name, d := range map[string]time.Duration{
			"Millisecond": time.Millisecond, "Second": time.Second, "Minute": time.Minute, "Hour": time.Hour,
		} {
			pkg.Scope().Insert(types.NewConst(token.NoPos, pkg, name, duration, constant.MakeInt64(int64(d))))
		}
	}
	pkg.MarkComplete()
	return pkg, nil
}
