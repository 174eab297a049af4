package watch

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/bullpen-office/bullpen/agents/claude/guests"
	"github.com/bullpen-office/bullpen/intake"
)

// A process proves a session only if its program is Claude Code, whatever its process name is.
func TestProcessIsClaudeCode(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux reports the program of a process")
	}
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("sleep is not installed")
	}
	dir := t.TempDir()
	node, claude := filepath.Join(dir, "node"), filepath.Join(dir, "claude")
	program, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{node, claude} {
		if err := os.WriteFile(path, program, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]bool{sleep: false, node: false, claude: true} {
		cmd := exec.Command(path, "600")
		cmd.Args[0], cmd.Dir = "claude", dir // its process name
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		started, _ := intake.ProcessStarted(cmd.Process.Pid)
		got, at := IsProcess(guests.Vendor, cmd.Process.Pid, started), ProcessWorkdir(guests.Vendor, cmd.Process.Pid, started)
		if got != want || (at == dir) != want || IsProcess(guests.Vendor, cmd.Process.Pid, started+1) {
			t.Errorf("%s: %v, works in %q", path, got, at)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}
