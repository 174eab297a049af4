package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"text/template"
)

const formulaTemplate = "packaging/homebrew/bullpen.rb.tmpl"

// writeFormula writes the Homebrew formula. It needs the archives of every Homebrew platform, so a
// release with fewer targets has no formula.
func (r *release) writeFormula() error {
	for _, t := range targets {
		if t.os != "windows" && !slices.Contains(r.targets, t) {
			return nil
		}
	}
	source, err := os.ReadFile(formulaTemplate)
	if err != nil {
		return err
	}
	formula, err := template.New("formula").Option("missingkey=error").Funcs(template.FuncMap{
		"archive": func(system, arch string) string { return target{system, arch}.archive(r.version) },
		"sha256": func(system, arch string) (string, error) {
			return checksum(filepath.Join(r.out, target{system, arch}.archive(r.version)))
		},
	}).Parse(string(source))
	if err != nil {
		return fmt.Errorf("read the formula: %w", err)
	}
	var b bytes.Buffer
	if err := formula.Execute(&b, map[string]string{"Version": r.version}); err != nil {
		return fmt.Errorf("fill in the formula: %w", err)
	}
	return os.WriteFile(filepath.Join(r.out, "bullpen.rb"), b.Bytes(), 0o644)
}
