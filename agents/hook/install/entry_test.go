package install

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

func TestVersions(t *testing.T) {
	for text, want := range map[string]string{"2.1.197 (Claude Code)\n": "2.1.197", "v1.0.85": "1.0.85", "10.0.0-beta": "10.0.0", "": "unknown", "claude": "unknown", "2.1": "unknown"} {
		if v, err := ParseVersion(text); v.String() != want || (err == nil) != v.Known() {
			t.Errorf("%q: %v, %v", text, v, err)
		}
	}
}

// The command works for any path, and does nothing if the program no longer exists.
func TestCommandWorksForAnyPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	self := filepath.Join(t.TempDir(), "it's $(a) \"bullpen\"")
	if out, err := exec.Command("sh", "-c", program.Command(self)).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("a missing program: %v, %q", err, out)
	}
	write(t, self, "#!/bin/sh\nprintf '%s|' \"$@\"\n")
	if out, err := exec.Command("chmod", "+x", self).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	out, err := exec.Command("sh", "-c", program.Command(self, "--data", "a b'c")).CombinedOutput()
	if err != nil || string(out) != "hook|claude|--data|a b'c|" {
		t.Errorf("%v, %q", err, out)
	}
}

// The arguments of a command can be read back, whatever they contain.
func TestCommandArgument(t *testing.T) {
	command := program.Command("/opt/it's/bullpen", "--data", "/tmp/it's here", "--url", "http://127.0.0.1:5000")
	for flag, want := range map[string]string{"--data": "/tmp/it's here", "--url": "http://127.0.0.1:5000", "--other": ""} {
		if got := CommandArgument(command, flag); got != want {
			t.Errorf("%s: %q, want %q", flag, got, want)
		}
	}
	if program, ok := CommandProgram(command); !ok || program != "/opt/it's/bullpen" {
		t.Errorf("program %q", program)
	}
}
