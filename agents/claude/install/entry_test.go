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

// A plan contains only hooks that the version supports: any other hook makes an old version ignore
// the whole file.
func TestPlanByVersion(t *testing.T) {
	byHTTP := func(p Plan) (n int) {
		for _, e := range p.Entries() {
			if e.Type == typeHTTP {
				n++
			}
			if e.Event == "SessionStart" && e.Type != typeCommand {
				t.Error("SessionStart is sent by HTTP")
			}
			if e.Event == "PermissionRequest" && e.Timeout != 600 {
				t.Errorf("a person has %d s to answer", e.Timeout)
			}
		}
		return n
	}
	for _, c := range []struct {
		version   string
		transport Transport
		entries   int
		http      int
	}{
		{"unknown", "", 9, 0},
		{"unknown", TransportHTTP, 9, 0},
		{"1.0.50", "", 6, 0},
		{"2.1.62", TransportHTTP, 11, 0},
		{"2.1.63", TransportHTTP, 11, 10},
		{"2.1.63", "", 11, 0},
		{"2.1.197", "", 15, 0},
		{"2.1.197", TransportHTTP, 15, 14},
		{"2.1.197", TransportCommand, 15, 0},
	} {
		v, _ := ParseVersion(c.version)
		p := Plan{Version: v, Transport: c.transport, URL: "http://127.0.0.1:4777", Command: "x"}
		if got := p.Entries(); len(got) != c.entries || byHTTP(p) != c.http {
			t.Errorf("%+v: %d entries, %d by HTTP", c, len(got), byHTTP(p))
		}
	}
}

// The command works for any path, and does nothing if the program no longer exists.
func TestCommandWorksForAnyPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	program := filepath.Join(t.TempDir(), "it's $(a) \"bullpen\"")
	if out, err := exec.Command("sh", "-c", Command(program)).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("a missing program: %v, %q", err, out)
	}
	write(t, program, "#!/bin/sh\nprintf '%s|' \"$@\"\n")
	if out, err := exec.Command("chmod", "+x", program).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	out, err := exec.Command("sh", "-c", Command(program, "--data", "a b'c")).CombinedOutput()
	if err != nil || string(out) != "hook|claude|--data|a b'c|" {
		t.Errorf("%v, %q", err, out)
	}
}

// The arguments of a command can be read back, whatever they contain.
func TestCommandArgument(t *testing.T) {
	command := Command("/opt/it's/bullpen", "--data", "/tmp/it's here", "--url", "http://127.0.0.1:5000")
	for flag, want := range map[string]string{"--data": "/tmp/it's here", "--url": "http://127.0.0.1:5000", "--other": ""} {
		if got := CommandArgument(command, flag); got != want {
			t.Errorf("%s: %q, want %q", flag, got, want)
		}
	}
	if program, ok := CommandProgram(command); !ok || program != "/opt/it's/bullpen" {
		t.Errorf("program %q", program)
	}
}
