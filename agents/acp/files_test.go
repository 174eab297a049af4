//go:build unix

package acp_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
)

// answers runs a turn in which the agent sends requests, and returns the answers that the agent
// received, with $PWD in place of the workspace.
func (r *rig) answers() []string {
	r.t.Helper()
	answer, err := r.ask("go")
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.Split(strings.ReplaceAll(answer.Text, r.dir, "$PWD"), "\n")
}

func (r *rig) file(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// Agents read and write text files through the office.
func TestFiles(t *testing.T) {
	t.Parallel()
	r := newRig(t, "ask",
		`fs/read_text_file{"path":"$PWD/a.txt"}`,
		`fs/read_text_file{"path":"$PWD/a.txt","line":2}`,
		`fs/read_text_file{"path":"$PWD/a.txt","line":2,"limit":1}`,
		`fs/read_text_file{"path":"$PWD/a.txt","line":9,"limit":0}`,
		`fs/write_text_file{"path":"$PWD/new/b.txt","content":"b"}`,
		`fs/read_text_file{"path":"$PWD/new/../new/b.txt"}`,
	)
	r.file("a.txt", "one\ntwo\nthree")
	want := []string{`{"content":"one\ntwo\nthree"}`, `{"content":"two\nthree"}`, `{"content":"two\n"}`, `{"content":""}`, `{}`, `{"content":"b"}`}
	if diff := cmp.Diff(want, r.answers()); diff != "" {
		t.Error(diff)
	}
	r.checked(true)
}

// Agents can read and write only text files of bounded size inside the workspace, whatever path or
// link they use.
func TestFilesOutsideAreRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t, "ask",
		`fs/read_text_file{"path":"$PWD/../secret"}`,
		`fs/read_text_file{"path":"secret"}`,
		`fs/read_text_file{"path":"/etc/passwd"}`,
		`fs/read_text_file{"path":"$PWD/link"}`,
		`fs/read_text_file{"path":"$PWD/up/secret"}`,
		`fs/write_text_file{"path":"$PWD/link","content":"x"}`,
		`fs/write_text_file{"path":"$PWD/up/new","content":"x"}`,
		`fs/write_text_file{"path":"$PWD/../new","content":"x"}`,
		`fs/read_text_file{"path":"$PWD/missing"}`,
		`fs/read_text_file{"path":"$PWD"}`,
		`fs/read_text_file{"path":"$PWD/pipe"}`,
		`fs/write_text_file{"path":"$PWD/pipe","content":"x"}`,
		`fs/read_text_file{"path":"$PWD/binary"}`,
		`fs/read_text_file{"path":"$PWD/huge"}`,
		`fs/read_text_file{"path":["a"]}`,
		`fs/write_text_file{"path":"$PWD/x"}`,
	)
	outside := filepath.Dir(r.dir)
	for _, err := range []error{
		os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600),
		os.Symlink(filepath.Join(outside, "secret"), filepath.Join(r.dir, "link")),
		os.Symlink("..", filepath.Join(r.dir, "up")),
		syscall.Mkfifo(filepath.Join(r.dir, "pipe"), 0o600),
		os.Truncate(mustCreate(t, filepath.Join(r.dir, "huge")), contracts.LimitWorkspaceFile+1),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	r.file("binary", "\xff\xfe")
	got := r.answers()
	for i, want := range []string{
		"outside the workspace", "not an absolute path", "outside the workspace", "escapes", "escapes", "escapes", "escapes", "outside the workspace",
		"does not exist", "not a regular file", "not a regular file", "not a regular file", "not UTF-8 text", "more than 8 MiB", "invalid parameters", "invalid parameters",
	} {
		if !strings.HasPrefix(got[i], "error ") || !strings.Contains(got[i], want) {
			t.Errorf("%d: %q, not %q", i, got[i], want)
		}
	}
	if text := readText(filepath.Join(outside, "secret")); text != "secret" {
		t.Errorf("changed to %q", text)
	}
	if _, err := os.Stat(filepath.Join(outside, "new")); err == nil {
		t.Error("a file was written outside")
	}
}

func mustCreate(t *testing.T, path string) string {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	file.Close()
	return path
}

// Agents run commands through the office, inside the workspace.
func TestTerminals(t *testing.T) {
	t.Parallel()
	r := newRig(t, "ask",
		`terminal/create{"command":"echo out; echo err >&2; exit 3"}`,
		`terminal/wait_for_exit{"terminalId":"$TERM"}`,
		`terminal/output{"terminalId":"$TERM"}`,
		`terminal/release{"terminalId":"$TERM"}`,
		`terminal/output{"terminalId":"$TERM"}`,
		`terminal/create{"command":"printf","args":["%s %s","a b","$HELLO"],"env":[{"name":"HELLO","value":"x"}]}`,
		`terminal/wait_for_exit{"terminalId":"$TERM"}`,
		`terminal/output{"terminalId":"$TERM"}`,
		`terminal/create{"command":"printf éééé$HELLO","env":[{"name":"HELLO","value":"é"}],"outputByteLimit":5,"cwd":"$PWD/sub"}`,
		`terminal/wait_for_exit{"terminalId":"$TERM"}`,
		`terminal/output{"terminalId":"$TERM"}`,
		`terminal/create{"command":"sleep 600"}`,
		`terminal/kill{"terminalId":"$TERM"}`,
		`terminal/wait_for_exit{"terminalId":"$TERM"}`,
		`terminal/create{"command":"pwd","cwd":"/"}`,
		`terminal/create{"command":"pwd","cwd":"$PWD/up"}`,
		`terminal/create{"command":"no-such-program","args":["x"]}`,
		`terminal/create{"command":""}`,
		`terminal/create{"command":["a"]}`,
		`terminal/kill{"terminalId":"other"}`,
	)
	if err := firstError(os.Mkdir(filepath.Join(r.dir, "sub"), 0o700), os.Symlink("..", filepath.Join(r.dir, "up"))); err != nil {
		t.Fatal(err)
	}
	got := r.answers()
	want := []string{
		`{"terminalId":"term_1"}`, `{"exitCode":3}`, `{"exitStatus":{"exitCode":3},"output":"out\nerr\n","truncated":false}`, `{}`, "error unknown terminal",
		`{"terminalId":"term_2"}`, `{"exitCode":0}`, `{"exitStatus":{"exitCode":0},"output":"a b $HELLO","truncated":false}`,
		`{"terminalId":"term_3"}`, `{"exitCode":0}`, `{"exitStatus":{"exitCode":0},"output":"éé","truncated":true}`,
		`{"terminalId":"term_4"}`, `{}`,
	}
	if diff := cmp.Diff(want, got[:len(want)]); diff != "" {
		t.Error(diff)
	}
	for i, line := range got[len(want)+1:] {
		if !strings.HasPrefix(line, "error ") {
			t.Errorf("%d: %q", i, line)
		}
	}
	r.checked(false)
}

func firstError(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// Commands beyond the limit are refused.
func TestTooManyTerminals(t *testing.T) {
	t.Parallel()
	args := []string{"ask"}
	for range contracts.LimitACPTerminals + 1 {
		args = append(args, `terminal/create{"command":"sleep 600"}`)
	}
	got := newRig(t, args...).answers()
	if last := got[len(got)-1]; !strings.Contains(last, "release one first") || strings.HasPrefix(got[len(got)-2], "error") {
		t.Errorf("%q", got)
	}
}

// A command that an agent left running ends with the session.
func TestCommandEndsWithTheSession(t *testing.T) {
	t.Parallel()
	r := newRig(t, "leave")
	s := r.open("")
	if _, err := r.turn(s, "go"); err != nil {
		t.Fatal(err)
	}
	pid := strings.TrimSpace(readText(filepath.Join(r.dir, "pid")))
	if err := s.Close(); err != nil || pid == "" {
		t.Fatal(pid, err)
	}
	ended := func() bool {
		status := readText("/proc/" + pid + "/stat")
		return status == "" || strings.Contains(status, ") Z ")
	}
	if !until(ended) {
		t.Errorf("process %s is still running", pid)
	}
}
