package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/instance"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/server"
	"github.com/bullpen-office/bullpen/world/scene"
)

// verbCommands are script commands for testing the verbs.
var verbCommands = map[string]func(*testscript.TestScript, bool, []string){
	"follows":     scriptCommand(2, 99, scriptFollows),    // FILE PROGRAM ARGS…: run it in the background; its output goes to FILE
	"once":        scriptCommand(2, 99, scriptOnce),       // FILE TEXT…: wait until the file contains each text exactly once
	"decision":    scriptCommand(1, 1, scriptDecision),    // PATTERN: wait for an open question; sets $DECISION
	"review":      scriptCommand(0, 0, scriptReview),      // answer questions until a deliverable waits for review; sets $ARTIFACT
	"finish":      scriptCommand(0, 0, scriptFinish),      // answer and approve until a project is completed
	"planned":     scriptCommand(1, 1, scriptPlanned),     // TEXT: request it over the protocol and wait for the plan; sets $TASK
	"latest":      scriptCommand(0, 0, scriptLatest),      // set $LATEST to the deliverable that has an earlier version
	"stranger":    scriptCommand(0, 0, scriptStranger),    // start servers that are not a current office; sets $STRANGER
	"foreign":     scriptCommand(0, 0, scriptForeign),     // set $FOREIGN to another spelling of $URL, as if given by hand
	"interrupts":  scriptCommand(3, 99, scriptInterrupts), // CODE TEXT PROGRAM ARGS…: interrupt it once it has printed TEXT; it must exit with CODE
	"fill":        scriptCommand(2, 2, scriptFill),        // FILE BYTES: create a file of this size
	"sameworld":   scriptCommand(2, 2, scriptSameWorld),   // DIR DIR: check that both ledgers fold to the same world
	"samerecords": scriptCommand(2, 2, scriptSameRecords), // FILE FILE: check that the second export has one more record, about the export itself
	"tampered":    scriptCommand(1, 1, scriptTampered),    // FILE: check that no modified copy of the export can be imported
}

func scriptFollows(ts *testscript.TestScript, args []string) {
	cmd := background(ts, ts.MkAbs(args[0]), args[1:])
	ts.Defer(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
}

func scriptOnce(ts *testscript.TestScript, args []string) {
	var text string
	for end := time.Now().Add(testTimeout); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		text = ts.ReadFile(args[0])
		if !slices.ContainsFunc(args[1:], func(s string) bool { return !strings.Contains(text, s) }) {
			break
		}
	}
	for _, s := range args[1:] {
		lines := 0
		for line := range strings.Lines(text) {
			if strings.Contains(line, s) {
				lines++
			}
		}
		if lines != 1 {
			ts.Fatalf("%q is in %d lines of %s:\n%s", s, lines, args[0], text)
		}
	}
}

// scriptState polls the state until suits returns true.
func scriptState(ts *testscript.TestScript, what string, suits func(*contracts.Snapshot) bool) {
	for end := time.Now().Add(testTimeout); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		var state contracts.Snapshot
		if scriptGet(ts, "/v1/state", &state) && suits(&state) {
			return
		}
	}
	ts.Fatalf("there was never %s", what)
}

func scriptGet(ts *testscript.TestScript, path string, into any) bool {
	resp, err := http.Get(ts.Getenv("URL") + path)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return err == nil && json.Unmarshal(body, into) == nil
}

func scriptDecision(ts *testscript.TestScript, args []string) {
	pattern, err := regexp.Compile(args[0])
	ts.Check(err)
	scriptState(ts, "such a question", func(s *contracts.Snapshot) bool {
		for _, d := range s.Decisions {
			if d.Status == contracts.DecisionOpen && pattern.MatchString(d.Prompt) {
				ts.Setenv("DECISION", d.DecisionID)
				return true
			}
		}
		return false
	})
}

// scriptPlanned submits a request as a protocol client does, so that the plan waits for a person.
func scriptPlanned(ts *testscript.TestScript, args []string) {
	ack, err := ownClient(instance.Instance{Local: ts.Getenv("URL")}, "").command(context.Background(), contracts.SubmitRequest{Text: args[0]})
	ts.Check(err)
	scriptState(ts, "a planned task", func(s *contracts.Snapshot) bool {
		for _, t := range s.Tasks {
			if t.ProjectID == ack.Result.ProjectID && t.Status == contracts.TaskPlanned {
				ts.Setenv("TASK", t.TaskID)
				return true
			}
		}
		return false
	})
}

func scriptLatest(ts *testscript.TestScript, _ []string) {
	scriptState(ts, "a second version", func(s *contracts.Snapshot) bool {
		for _, a := range s.Artifacts {
			if a.Parent != "" {
				ts.Setenv("LATEST", a.ArtifactID)
				return true
			}
		}
		return false
	})
}

// answerAll answers every open question with its first option.
func answerAll(ts *testscript.TestScript, s *contracts.Snapshot) {
	for _, d := range s.Decisions {
		if d.Status == contracts.DecisionOpen {
			choice := "Whatever you think"
			if len(d.Options) > 0 {
				choice = d.Options[0]
			}
			_ = ts.Exec("bullpen", "decide", d.DecisionID, choice) // the question may have ended already
		}
	}
}

func scriptReview(ts *testscript.TestScript, _ []string) {
	scriptState(ts, "a review", func(s *contracts.Snapshot) bool {
		for _, a := range s.Artifacts {
			if a.Status == contracts.ArtifactInReview {
				ts.Setenv("ARTIFACT", a.ArtifactID)
				return true
			}
		}
		answerAll(ts, s)
		return false
	})
}

func scriptFinish(ts *testscript.TestScript, _ []string) {
	scriptState(ts, "a completed project", func(s *contracts.Snapshot) bool {
		for _, p := range s.Projects {
			if p.Status == contracts.ProjectCompleted {
				return true
			}
		}
		answerAll(ts, s)
		for _, a := range s.Artifacts {
			if a.Status == contracts.ArtifactInReview {
				_ = ts.Exec("bullpen", "approve", a.ArtifactID)
			}
		}
		return false
	})
}

func scriptForeign(ts *testscript.TestScript, _ []string) {
	ts.Setenv("FOREIGN", strings.Replace(ts.Getenv("URL"), "127.0.0.1", "localhost", 1))
}

func scriptInterrupts(ts *testscript.TestScript, args []string) {
	out := ts.MkAbs("interrupted.out")
	cmd := background(ts, out, args[2:])
	ts.Defer(func() { _ = cmd.Process.Kill() })
	for end := time.Now().Add(testTimeout); !strings.Contains(ts.ReadFile(out), args[1]); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("it never printed %q: %s", args[1], ts.ReadFile(out))
		}
	}
	ts.Check(cmd.Process.Signal(os.Interrupt))
	if code := codeOf(cmd.Wait()); strconv.Itoa(code) != args[0] {
		ts.Fatalf("%v ended with %d", args[2:], code)
	}
}

// background starts a program that runs in parallel with the script and writes its output to a
// file.
func background(ts *testscript.TestScript, file string, args []string) *exec.Cmd {
	out, err := os.Create(file)
	ts.Check(err)
	ts.Defer(func() { _ = out.Close() })
	first, _, _ := strings.Cut(ts.Getenv("PATH"), string(os.PathListSeparator))
	path, err := exec.LookPath(filepath.Join(first, args[0]))
	ts.Check(err)
	cmd := exec.Command(path, args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), out, out
	cmd.Env = []string{"HOME=" + ts.Getenv("HOME"), "PATH=" + ts.Getenv("PATH"), "GORACE=" + ts.Getenv("GORACE")}
	ts.Check(cmd.Start())
	return cmd
}

func codeOf(err error) int {
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return failed.ExitCode()
	}
	return exitOK
}

func scriptFill(ts *testscript.TestScript, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), bytes.Repeat([]byte("x"), n), 0o600))
}

func scriptSameWorld(ts *testscript.TestScript, args []string) {
	var hashes []string
	for _, dir := range args {
		l, err := sqlite.Open(context.Background(), sqlite.Config{Path: server.LedgerPath(ts.MkAbs(dir))})
		ts.Check(err)
		w, err := office.Load(context.Background(), l, scene.Default())
		ts.Check(err)
		hash, err := w.Hash()
		ts.Check(err)
		ts.Check(l.Close())
		hashes = append(hashes, hash)
	}
	if hashes[0] != hashes[1] {
		ts.Fatalf("%s folds to %s, %s to %s", args[0], hashes[0], args[1], hashes[1])
	}
}

func scriptSameRecords(ts *testscript.TestScript, args []string) {
	var bodies [][]string
	for _, file := range args {
		lines := strings.SplitAfter(ts.ReadFile(file), "\n")
		bodies = append(bodies, lines[1:len(lines)-2])
	}
	if last := len(bodies[1]) - 1; last < 1 || !slices.Equal(bodies[0], bodies[1][:last]) || !strings.Contains(bodies[1][last], `"name":"audited"`) {
		ts.Fatalf("%s and %s differ", args[0], args[1])
	}
}

// scriptTampered tries to import damaged copies of an export. Some have a changed, missing,
// duplicate or swapped line; others are truncated or extended.
func scriptTampered(ts *testscript.TestScript, args []string) {
	text := ts.ReadFile(args[0])
	lines := strings.SplitAfter(text, "\n")
	lines = lines[:len(lines)-1]
	join := func(parts ...[]string) string { return strings.Join(slices.Concat(parts...), "") }
	variants := map[string]string{
		"cut": text[:len(text)/2], "no end": join(lines[:len(lines)-1]), "no newline": strings.TrimSuffix(text, "\n"),
		"more": text + "{}\n", "empty": "", "words": "hello\n", "null": "null\n", "another version": strings.Replace(text, `"version":1`, `"version":2`, 1),
	}
	for _, i := range []int{1, 2, len(lines) / 3, len(lines) / 2, len(lines) - 2} {
		variants[fmt.Sprint("without ", i)] = join(lines[:i], lines[i+1:])
		variants[fmt.Sprint("twice ", i)] = join(lines[:i+1], lines[i:])
		variants[fmt.Sprint("exchanged ", i)] = join(lines[:i], lines[i+1:i+2], lines[i:i+1], lines[i+2:])
		changed := slices.Clone(lines)
		at := len(changed[i]) / 2
		changed[i] = changed[i][:at] + string(changed[i][at]^1) + changed[i][at+1:]
		variants[fmt.Sprint("changed ", i)] = join(changed)
	}
	for name, variant := range variants {
		dir := filepath.Join(ts.MkAbs("."), "tampered")
		if _, err := importLedger(context.Background(), dir, export{strings.NewReader(variant), "-"}, scene.Default()); err == nil {
			ts.Fatalf("%s: it was imported", name)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
			ts.Fatalf("%s: it leaves %v behind", name, left)
		}
	}
}
