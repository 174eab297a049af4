package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	npmSource     = "packaging/npm"
	npmScope      = "@bullpen-office/"
	npmUnreleased = "0.0.0-unreleased" // stands for the version in the source of the shim
)

// nodeNames are Node's words for systems and processors.
var nodeNames = map[string]string{"windows": "win32", "amd64": "x64"}

func nodeName(word string) string {
	if name, ok := nodeNames[word]; ok {
		return name
	}
	return word
}

// platformPackage is the package.json of a package that holds one program. npm
// installs of them only the one whose os and cpu fit.
type platformPackage struct {
	Name          string            `json:"name"`
	Version       string            `json:"version"`
	Description   string            `json:"description"`
	License       string            `json:"license"`
	Repository    map[string]string `json:"repository"`
	OS            []string          `json:"os"`
	CPU           []string          `json:"cpu"`
	Files         []string          `json:"files"`
	PreferUnplug  bool              `json:"preferUnplugged"` // a program inside an archive cannot be run
	PublishConfig map[string]string `json:"publishConfig"`
}

func (r *release) writePlatformPackage(t target) error {
	name := "bullpen-" + nodeName(t.os) + "-" + nodeName(t.arch)
	dir := filepath.Join(r.out, "npm", name)
	content, err := json.Marshal(platformPackage{
		Name: npmScope + name, Version: npmVersion(r.version),
		Description: fmt.Sprintf("The program of Bullpen for %s; install %sbullpen", t, npmScope),
		License:     "Apache-2.0",
		Repository:  map[string]string{"type": "git", "url": "git+https://github.com/bullpen-office/bullpen.git"},
		OS:          []string{nodeName(t.os)}, CPU: []string{nodeName(t.arch)}, Files: []string{"bin"},
		PreferUnplug: true, PublishConfig: map[string]string{"access": "public"},
	}, jsontext.WithIndent("  "), json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode package.json: %w", err)
	}
	if err := copyFile(r.binary(t), filepath.Join(dir, "bin", t.program()), 0o755); err != nil {
		return err
	}
	if err := copyFile("LICENSE", filepath.Join(dir, "LICENSE"), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "package.json"), append(content, '\n'), 0o644)
}

// writeShim copies the package that people install, with the version filled in.
func (r *release) writeShim() error {
	dir := filepath.Join(r.out, "npm", "bullpen")
	for path, mode := range map[string]fs.FileMode{"bin/bullpen.js": 0o755, "lib/program.js": 0o644, "README.md": 0o644} {
		if err := copyFile(filepath.Join(npmSource, path), filepath.Join(dir, path), mode); err != nil {
			return err
		}
	}
	if err := copyFile("LICENSE", filepath.Join(dir, "LICENSE"), 0o644); err != nil {
		return err
	}
	content, err := os.ReadFile(filepath.Join(npmSource, "package.json"))
	if err != nil {
		return err
	}
	content = bytes.ReplaceAll(content, []byte(npmUnreleased), []byte(npmVersion(r.version)))
	return os.WriteFile(filepath.Join(dir, "package.json"), content, 0o644)
}

var semver = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)

// npmVersion is the version in a form that npm takes: a build of a commit without
// a tag has none of its own.
func npmVersion(version string) string {
	if semver.MatchString(version) {
		return version
	}
	return "0.0.0-dev-" + regexp.MustCompile(`[^0-9A-Za-z-]`).ReplaceAllString(version, "-")
}

func copyFile(from, to string, mode fs.FileMode) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(to, content, mode); err != nil {
		return err
	}
	return os.Chmod(to, mode) // whatever the umask says
}
