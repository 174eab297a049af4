package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// shells are those that the program writes completions for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

// writeExtras lets the program of this machine write its completions and manual
// pages; they are the same for every target.
func (r *release) writeExtras() error {
	dir := filepath.Join(r.out, "extras")
	for _, d := range []string{"completions", "man"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return err
		}
	}
	tools, err := os.MkdirTemp("", "bullpen-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tools)
	own := *r
	own.out = tools
	if err := own.build(host()); err != nil {
		return fmt.Errorf("the program that writes the manual: %w", err)
	}
	program := own.binary(host())
	for _, shell := range shells {
		script, err := exec.Command(program, "completion", shell).Output()
		if err != nil {
			return fmt.Errorf("write the completion for %s: %w", shell, err)
		}
		if err := os.WriteFile(filepath.Join(dir, "completions", "bullpen."+shell), script, 0o644); err != nil {
			return err
		}
	}
	if out, err := exec.Command(program, "man", filepath.Join(dir, "man")).CombinedOutput(); err != nil {
		return fmt.Errorf("write the manual pages: %w\n%s", err, out)
	}
	return nil
}
