package main

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

const (
	licensesFile = "THIRD-PARTY-LICENSES.txt"
	// licensesOf is the directory with the licenses of everything that is not a Go module: the
	// standard library, the rules in hud/leak and the client's packages.
	licensesOf = "packaging/licenses"
)

// termsFile matches the names of license files.
var termsFile = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|notice|patents)([.-][\w.-]*)?$`)

// licenses returns the licenses of all third-party code in a target's program. Nearly all of them
// require their text to be distributed with the program. It fails if a module has no license file.
func (r *release) licenses(t target) (entry, error) {
	info, err := buildinfo.ReadFile(r.binary(t))
	if err != nil {
		return entry{}, fmt.Errorf("read the modules of %s: %w", r.binary(t), err)
	}
	var b bytes.Buffer
	fmt.Fprintln(&b, "Bullpen is licensed under the terms in LICENSE. It contains third-party work, which is licensed under the terms below.")
	others, err := filepath.Glob(filepath.Join(licensesOf, "*.txt"))
	if err != nil {
		return entry{}, fmt.Errorf("find the licenses in %s: %w", licensesOf, err)
	}
	if len(others) == 0 {
		return entry{}, fmt.Errorf("%s has no licenses", licensesOf)
	}
	for _, path := range others {
		name := strings.ReplaceAll(strings.TrimSuffix(filepath.Base(path), ".txt"), "+", "/")
		if err := appendTerms(&b, name, path); err != nil {
			return entry{}, err
		}
	}
	var paths []string
	for _, dep := range info.Deps {
		paths = append(paths, dep.Path)
	}
	dirs, err := moduleDirs(paths)
	if err != nil {
		return entry{}, err
	}
	for _, dep := range info.Deps {
		files, err := terms(dirs[dep.Path])
		if err != nil {
			return entry{}, fmt.Errorf("%s: %w", dep.Path, err)
		}
		if err := appendTerms(&b, dep.Path+" "+dep.Version, files...); err != nil {
			return entry{}, err
		}
	}
	return entry{licensesFile, 0o644, b.Bytes()}, nil
}

func appendTerms(b *bytes.Buffer, of string, files ...string) error {
	fmt.Fprintf(b, "\n%s\n%s\n%[1]s\n", strings.Repeat("=", 80), of)
	for _, path := range files {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "\n%s\n", bytes.TrimSpace(content))
	}
	return nil
}

func moduleDirs(paths []string) (map[string]string, error) {
	c := exec.Command("go", append([]string{"list", "-m", "-f", "{{.Path}}\t{{.Dir}}"}, paths...)...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("find the modules: %w", err)
	}
	dirs := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		dirs[path] = dir
	}
	return dirs, nil
}

// terms returns a module's license files, or an error if it has none.
func terms(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("look for the license: %w", err)
	}
	var files []string
	for _, e := range entries {
		if !e.IsDir() && termsFile.MatchString(e.Name()) {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no license file: ask its author, or remove the dependency", dir)
	}
	return files, nil
}
