package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// completions maps shells to the names of their completion files.
var completions = map[string]string{"bash": "bullpen.bash", "zsh": "bullpen.zsh", "fish": "bullpen.fish", "powershell": "bullpen.ps1"}

// writeExtras runs the program on this machine to write its completions and manual pages, which are
// the same for every target.
func (r *release) writeExtras() error {
	dir := filepath.Join(r.out, "extras")
	for _, d := range []string{"completions", "man"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return err
		}
	}
	program, remove, err := r.hostProgram()
	if err != nil {
		return fmt.Errorf("build the program that writes the manual: %w", err)
	}
	defer remove()
	for shell, file := range completions {
		script, err := exec.Command(program, "completion", shell).Output()
		if err != nil {
			return fmt.Errorf("write the completion for %s: %w", shell, err)
		}
		if err := os.WriteFile(filepath.Join(dir, "completions", file), script, 0o644); err != nil {
			return err
		}
	}
	if out, err := exec.Command(program, "man", filepath.Join(dir, "man")).CombinedOutput(); err != nil {
		return fmt.Errorf("write the manual pages: %w\n%s", err, out)
	}
	return nil
}

// hostProgram returns the path of a program that runs on this machine: the one in the release or,
// if the release has none, a temporary build. remove deletes the temporary build.
func (r *release) hostProgram() (program string, remove func(), err error) {
	if slices.Contains(r.targets, host()) {
		return r.binary(host()), func() {}, nil
	}
	aside := *r
	if aside.out, err = os.MkdirTemp("", "bullpen-release-"); err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(aside.out) }
	if err = aside.build(host()); err != nil {
		remove()
	}
	return aside.binary(host()), remove, err
}
