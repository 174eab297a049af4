//go:build unix

package docs_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
)

const (
	testTimeout = 12 * time.Minute // far more than a block needs, even if it builds a program on a busy machine
	stepTimeout = 10 * time.Minute // for one command that is repeated until its output matches
)

// The blocks of each page run in order, as one script in a new home directory, as a newcomer would
// follow the page.
func TestPages(t *testing.T) {
	dir, nats, scripts := release(t), filepath.Dir(natstest.Program(t)), t.TempDir()
	for _, p := range tested(t) {
		script := p.script()
		if script == nil {
			continue
		}
		name := strings.TrimSuffix(filepath.Base(p.path), ".md") + ".txtar"
		if err := os.WriteFile(filepath.Join(scripts, name), txtar.Format(script), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	testscript.Run(t, testscript.Params{
		Dir:   scripts,
		Setup: func(env *testscript.Env) error { return newcomer(env, dir, nats) },
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"serves":   serves,   // FILE: start the office of a block
			"starts":   starts,   // FILE: run a block whose programs keep running
			"runs":     runs,     // FILE [DIR]: run a block and compare its output
			"runswith": runsWith, // PROGRAM FILE: run a block if the program is installed
			"checkout": checkout, // DIR: copy this tree
		},
	})
}

// script returns the page as a testscript, or nil if none of its blocks is run.
func (p page) script() *txtar.Archive {
	a := &txtar.Archive{}
	var lines strings.Builder
	for _, b := range p.blocks {
		name := fmt.Sprintf("line-%d.%s", b.line, b.lang)
		switch {
		case b.file():
			name = b.mark
		case !b.shell() || strings.HasPrefix(b.mark, markSkip):
			continue
		case b.mark == markServe:
			fmt.Fprintln(&lines, "serves", name)
		case b.mark == markBackground:
			fmt.Fprintln(&lines, "starts", name)
		case b.mark == markCheckout:
			fmt.Fprintln(&lines, "checkout bullpen\nruns", name, "bullpen")
		case strings.HasPrefix(b.mark, markNeeds):
			fmt.Fprintln(&lines, "runswith", strings.TrimPrefix(b.mark, markNeeds), name)
		default:
			fmt.Fprintln(&lines, "runs", name)
		}
		a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(b.text)})
	}
	a.Comment = []byte(lines.String())
	if len(a.Comment) == 0 {
		return nil
	}
	return a
}

type officeKey struct{}

// running is the office that a page has started.
type running struct {
	cmd    *exec.Cmd
	output transcript
	ended  chan struct{}
}

func serves(ts *testscript.TestScript, _ bool, args []string) {
	office := ts.Value(officeKey{}).(*running)
	office.stop()
	b := blockOf(ts, args)
	office.cmd = shell(context.Background(), ts, ".", b.script())
	office.output = transcribe(ts, office.cmd)
	ts.Check(office.start())
	want := []string{"Press Ctrl-C"}
	for _, s := range b.steps() {
		want = append(want, s.want...)
	}
	late := time.After(testTimeout)
	for {
		err := missing(want, office.output.text(ts))
		if err == nil {
			return
		}
		select {
		case <-office.ended:
			ts.Fatalf("%s: it ended: %s", args[0], office.output.text(ts))
		case <-late:
			ts.Fatalf("%s: %v", args[0], err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (r *running) start() error {
	r.ended = make(chan struct{})
	if err := r.cmd.Start(); err != nil {
		return err
	}
	go func() {
		_ = r.cmd.Wait()
		close(r.ended)
	}()
	return nil
}

// stop stops the office as Ctrl-C would.
func (r *running) stop() {
	if r.cmd == nil {
		return
	}
	_ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGINT)
	late := time.AfterFunc(testTimeout, func() { _ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL) })
	defer late.Stop()
	<-r.ended
	r.cmd = nil
}

// starts is the testscript command that runs a block; the programs that the block leaves in the
// background are killed when the page ends.
func starts(ts *testscript.TestScript, _ bool, args []string) {
	cmd := shell(context.Background(), ts, ".", "exec 2>&1 </dev/null\nset -e\n"+blockOf(ts, args).script())
	output := transcribe(ts, cmd)
	ts.Check(cmd.Start())
	ts.Defer(func() { _ = cmd.Cancel() })
	if err := cmd.Wait(); err != nil {
		ts.Fatalf("%s: %v: %s", args[0], err, output.text(ts))
	}
}

// mark separates the output of two steps.
const mark = "\x1e"

func runs(ts *testscript.TestScript, _ bool, args []string) {
	steps := blockOf(ts, args).steps()
	script := "exec 2>&1 </dev/null\nset -e\n"
	for _, s := range steps {
		script += s.lines()
	}
	dir := "."
	if len(args) > 1 {
		dir = args[1]
	}
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	defer cancel()
	cmd := shell(ctx, ts, dir, script)
	output := transcribe(ts, cmd)
	err := cmd.Run()
	_ = cmd.Cancel() // also ends background processes
	out := output.text(ts)
	parts := strings.Split(out, mark)
	for i, s := range steps {
		if i >= len(parts)-1 {
			ts.Fatalf("%s: %v after:\n%s%s", args[0], err, s.script, parts[len(parts)-1])
		}
		if wrong := missing(s.want, parts[i]); wrong != nil {
			ts.Fatalf("%s: %s%v", args[0], s.script, wrong)
		}
	}
	ts.Logf("%s", strings.ReplaceAll(out, mark, ""))
}

// lines returns a step as shell code for the block's script.
func (s step) lines() string {
	switch {
	case s.repeats():
		found := ""
		for _, w := range s.want {
			found += fmt.Sprintf(" && printf '%%s' \"$output\" | grep -qE -e %s", quoted(pattern(w)))
		}
		return fmt.Sprintf("end=$(($(date +%%s)+%d))\nuntil output=$(\n%s)%s; do\n"+
			"if [ $(date +%%s) -gt $end ]; then echo \"never: $output\"; exit 1; fi; sleep 0.1\ndone\nprintf '%%s\\n%s' \"$output\"\n",
			int(stepTimeout.Seconds()), s.script, found, mark)
	case s.code != "0":
		return fmt.Sprintf("set +e\n%scode=$?\nset -e\nif [ $code != %s ]; then echo \"exit code $code\"; exit 1; fi\nprintf '%s'\n", s.script, s.code, mark)
	}
	return fmt.Sprintf("%sprintf '%s'\n", s.script, mark)
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func missing(want []string, out string) error {
	for _, w := range want {
		if !regexp.MustCompile(pattern(w)).MatchString(out) {
			return fmt.Errorf("%q is not in:\n%s", w, out)
		}
	}
	return nil
}

// transcript is the path of a file with all of a program's output. A file is used because a pipe
// could stay open after the program exits, if other processes hold it.
type transcript string

func transcribe(ts *testscript.TestScript, cmd *exec.Cmd) transcript {
	file, err := os.CreateTemp(ts.MkAbs("."), ".output-*")
	ts.Check(err)
	ts.Defer(func() { file.Close() })
	cmd.Stdout, cmd.Stderr = file, file
	return transcript(file.Name())
}

func (t transcript) text(ts *testscript.TestScript) string { return ts.ReadFile(string(t)) }
