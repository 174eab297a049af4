package main

import (
	"os"
	"path/filepath"

	"github.com/bullpen-office/bullpen/contracts"
)

// The values of --claude-dir that are no path.
const (
	claudeAuto = "auto"
	claudeOff  = "off"
)

// claudeDirectory is where Claude Code keeps its sessions; empty reads none. The
// directory may come into being later.
func (s *settings) claudeDirectory() string {
	switch s.claudeDir {
	case claudeOff:
		return ""
	case claudeAuto, "":
	default:
		return s.claudeDir
	}
	if dir := os.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return dir
	}
	if home := homeDir(); home != "" {
		return filepath.Join(home, ".claude")
	}
	return ""
}

// vendorDirs are the directories of vendors' settings, by source.
func (s *settings) vendorDirs() map[string]string {
	return map[string]string{contracts.SourceClaude: s.claudeDirectory()}
}
