package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	npmSource     = "packaging/npm"
	npmScope      = "@bullpen-office/"
	npmUnreleased = "0.0.0-unreleased" // placeholder for the version in the shim's source
)

// nodeNames maps Go's names for systems and processors to Node's, where they differ.
var nodeNames = map[string]string{"windows": "win32", "amd64": "x64"}

func nodeName(word string) string {
	if name, ok := nodeNames[word]; ok {
		return name
	}
	return word
}

// platformPackage is the package.json of a package for one platform. npm installs only the package
// whose os and cpu match the machine's.
type platformPackage struct {
	Name          string            `json:"name"`
	Version       string            `json:"version"`
	Description   string            `json:"description"`
	License       string            `json:"license"`
	Repository    map[string]string `json:"repository"`
	OS            []string          `json:"os"`
	CPU           []string          `json:"cpu"`
	Files         []string          `json:"files"`
	PreferUnplug  bool              `json:"preferUnplugged"` // asks Yarn to unpack the package, because a program inside an archive cannot be run
	PublishConfig map[string]string `json:"publishConfig"`
}

func (r *release) writePlatformPackage(t target, licenses entry) error {
	name := "bullpen-" + nodeName(t.os) + "-" + nodeName(t.arch)
	content, err := json.Marshal(platformPackage{
		Name: npmScope + name, Version: npmVersion(r.version),
		Description: fmt.Sprintf("The Bullpen program for %s; install %sbullpen instead", t, npmScope),
		License:     "Apache-2.0",
		Repository:  map[string]string{"type": "git", "url": "git+https://github.com/bullpen-office/bullpen.git"},
		OS:          []string{nodeName(t.os)}, CPU: []string{nodeName(t.arch)}, Files: []string{"bin", licensesFile},
		PreferUnplug: true, PublishConfig: map[string]string{"access": "public"},
	}, jsontext.WithIndent("  "), json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode package.json: %w", err)
	}
	program, err := readEntry(r.binary(t), "bin/"+t.program(), 0o755)
	if err != nil {
		return err
	}
	return r.writePackage(name, entry{"package.json", 0o644, append(content, '\n')}, licenses, program)
}

// writeShim packs the package that people install, with the release's version.
func (r *release) writeShim() error {
	var list []entry
	for _, e := range []entry{{name: "package.json", mode: 0o644}, {name: "README.md", mode: 0o644}, {name: "bin/bullpen.js", mode: 0o755}, {name: "lib/program.js", mode: 0o644}} {
		e, err := readEntry(filepath.Join(npmSource, e.name), e.name, e.mode)
		if err != nil {
			return err
		}
		list = append(list, e)
	}
	list[0].content = bytes.ReplaceAll(list[0].content, []byte(npmUnreleased), []byte(npmVersion(r.version)))
	return r.writePackage("bullpen", list...)
}

// writePackage packs files as `npm pack` does, with the same file name. Publishing from a directory
// would lose the file mode of programs.
func (r *release) writePackage(name string, list ...entry) error {
	license, err := readEntry("LICENSE", "LICENSE", 0o644)
	if err != nil {
		return err
	}
	dir := filepath.Join(r.out, "npm")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	scope := strings.NewReplacer("@", "", "/", "-").Replace(npmScope)
	path := filepath.Join(dir, scope+name+"-"+npmVersion(r.version)+".tgz")
	return writePacked(path, packTar, "package", append(list, license), r.made)
}

var semver = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)

// npmVersion returns the version in npm's format. An untagged commit gets a development version.
func npmVersion(version string) string {
	if semver.MatchString(version) {
		return version
	}
	return "0.0.0-dev-" + regexp.MustCompile(`[^0-9A-Za-z-]`).ReplaceAllString(version, "-")
}
