package main

import (
	"fmt"
	"path/filepath"
	"strings"
)

// target is a platform that a release is built for.
type target struct{ os, arch string }

// targets lists all platforms of a release.
var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

func parseTargets(names string) ([]target, error) {
	if names == "" {
		return targets, nil
	}
	var list []target
	for _, name := range strings.Split(names, ",") {
		found := false
		for _, t := range targets {
			if t.String() == name {
				list, found = append(list, t), true
			}
		}
		if !found {
			return nil, fmt.Errorf("unknown target %q: use one or more of %v", name, targets)
		}
	}
	return list, nil
}

func (t target) String() string { return t.os + "/" + t.arch }

// name returns the base name of a target's files, without extension.
func (t target) name(version string) string {
	return fmt.Sprintf("bullpen_%s_%s_%s", version, t.os, t.arch)
}

func (t target) archive(version string) string {
	if t.os == "windows" {
		return t.name(version) + ".zip"
	}
	return t.name(version) + ".tar.gz"
}

func (t target) program() string {
	if t.os == "windows" {
		return "bullpen.exe"
	}
	return "bullpen"
}

// binary returns the path of a target's program in the output directory.
func (r *release) binary(t target) string {
	return filepath.Join(r.out, "bin", t.os+"_"+t.arch, t.program())
}
