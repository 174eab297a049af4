//go:build unix

package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/e2e/freeport"
)

// cardOf returns the text of the open card without its time and options, or "" if no card is open.
func cardOf(shown string) (card string) {
	for line := range strings.Lines(shown) {
		text, inside := strings.CutPrefix(strings.TrimRight(line, " \n"), " ┃ ")
		if !inside {
			if card != "" {
				break
			}
			continue
		}
		name, _, head := strings.Cut(text, "   ")
		if head {
			text = name
		}
		card += text + "\n"
	}
	return card
}

// The first minute in a terminal works with keys alone, against a real office: a request leads to a
// kickoff, tasks are assigned, a question is answered, a deliverable is read and approved, and a
// trophy is awarded. Then the office is killed and restarted.
func TestFirstMinuteByKeys(t *testing.T) {
	tm := newTerminal(t)
	addr := freeport.Addr(t)
	office := tm.serve(addr)
	tm.run("", "tui --data "+tm.data)
	tm.until(`● Live[\s\S]*Ada +Free`)
	tm.keys("/", `"Write a one-page launch plan for our tea shop"`, "Enter")
	tm.until(` · 1 project\b[\s\S]*› Ask the office for anything`) // sent; work starts automatically
	tm.keys("t")
	tm.until(`Kickoff started[\s\S]*Request submitted`)
	tm.keys("o")
	tm.until(`! \d+ things? needs? you`)
	tm.keys("Space") // from here on the next card opens automatically
	answered, approved := 0, 0
	for range 40 { // far more than needed
		shown := tm.until(`┃  [1Y] |8 crew · 0 projects`)
		card := cardOf(shown)
		if card == "" {
			break
		}
		if strings.Contains(card, "asks for your review") {
			tm.keys("Enter")
			tm.until(`Y Approve[\s\S]*Rehearsal\. The built-in crew made this page`)
			tm.keys("y")
			approved++
		} else {
			tm.keys(regexp.MustCompile(`(?m)^ ┃  (\S) `).FindStringSubmatch(shown)[1])
			answered++
		}
		tm.waits("the card is gone:\n"+card, func() bool {
			shown := tm.screen()
			return !strings.Contains(shown, "Y Approve") && cardOf(shown) != card
		})
	}
	if answered == 0 || approved == 0 {
		t.Errorf("%d questions answered, %d deliverables approved", answered, approved)
	}
	tm.keys("t")
	tm.until(`★ Project completed +A trophy for the shelf`)
	tm.keys("o")
	tm.until(`Trophies ★`)

	// The office is killed and restarts at the same address.
	_ = office.Process.Kill()
	_ = office.Wait()
	tm.until(`Reconnecting…[\s\S]*This is the last known state`)
	tm.serve(addr)
	tm.keys("r")
	tm.until(`● Live[\s\S]*Trophies ★`)
	tm.leaves("C-c")
}

// bullpen handles terminals that are too small or lack colours, UTF-8 or cursor positioning. Ctrl-C
// quits while the user is typing, and an error at startup sets the exit code.
func TestUnusualTerminals(t *testing.T) {
	tm := newTerminal(t)
	tm.run("", "tui --data "+tm.data)
	tm.until(`no office is running[\s\S]*exit=3`)
	tm.serve("127.0.0.1:0")

	tm.run("", "tui --data "+tm.data)
	tm.until(`● Live`)
	if coloured := tm.tmux("capture-pane", "-p", "-e", "-t", "t"); !strings.Contains(coloured, "\x1b[38;5;") {
		t.Errorf("no colour:\n%q", coloured)
	}
	tm.tmux("resize-window", "-t", "t", "-x", "40", "-y", "10")
	tm.until(`Bullpen needs`)
	tm.tmux("resize-window", "-t", "t", "-x", "120", "-y", "40")
	tm.until(`● Live`)
	tm.keys("/", `"half a request"`)
	tm.until(`half a request`)
	tm.leaves("C-c")

	tm.run("NO_COLOR=1", "tui --data "+tm.data)
	tm.until(`● Live`)
	if plain := tm.tmux("capture-pane", "-p", "-e", "-t", "t"); regexp.MustCompile(`\x1b\[[0-9;]*(3[0-8]|4[0-8])[;m]`).MatchString(plain) {
		t.Errorf("with NO_COLOR, the output has colours:\n%q", plain)
	}
	tm.leaves("q")

	tm.run("LANG=C LC_ALL=C", "tui --data "+tm.data)
	shown := tm.until(`\* Live[\s\S]*Ada +Free`)
	for _, r := range shown {
		if r > 0x7f {
			t.Fatalf("%q in a terminal without UTF-8:\n%s", r, shown)
		}
	}
	tm.leaves("C-c")

	tm.run("TERM=dumb", "tui --data "+tm.data)
	tm.until(`TERM=dumb does not support cursor positioning[\s\S]*exit=2`)

	tm.run("BULLPEN_TOKEN=bp_wrong", "tui --url http://"+tm.addr())
	tm.until(`refused[\s\S]*exit=6\b`)
}

// When the program is suspended and resumed, receives a signal, or loses its terminal, it never
// leaves a raw terminal or a process behind.
func TestTerminalIsRestored(t *testing.T) {
	tm := newTerminal(t)
	tm.serve("127.0.0.1:0")
	tm.run("", "tui --data "+tm.data)
	tm.until(`● Live`)
	tm.keys("/", `"half a request"`, "C-z")
	tm.restored(strconv.Itoa(128 + int(syscall.SIGTSTP)))
	tm.keys(`"fg"`, "Enter")
	tm.until(`● Live[\s\S]*half a request`)

	watched, pid := filepath.Join(tm.dir, "watched"), filepath.Join(tm.dir, "pid")
	if err := syscall.Mkfifo(watched, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ends := range []func(int){
		func(pid int) { _ = syscall.Kill(pid, syscall.SIGTERM); tm.restored("0") },
		func(int) { tm.close() },
	} {
		tm.run(fmt.Sprintf(`sh -c 'echo $$ > %s; exec "$@"' sh 3> %s`, pid, watched), "tui --data "+tm.data)
		life, err := os.Open(watched)
		if err != nil {
			t.Fatal(err)
		}
		tm.until(`● Live`)
		content, err := os.ReadFile(pid)
		if err != nil {
			t.Fatal(err)
		}
		number, err := strconv.Atoi(strings.TrimSpace(string(content)))
		if err != nil {
			t.Fatal(err)
		}
		ends(number)
		_ = life.SetReadDeadline(time.Now().Add(testTimeout))
		if _, err := life.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("the process is still there: %v", err)
		}
		life.Close()
	}
}
