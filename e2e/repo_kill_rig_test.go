//go:build unix

package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/drive/drivetest"
)

// Points at which the office is killed: names of events, and steps that are observed at the model
// or in the repository. With Claude Code, permission requests and commands are also points.
var (
	killPoints = []string{
		"request_submitted", "the model plans", "task_prepared", "the model starts", "files written", "check failed", "the model is told what failed",
		"files corrected", "check passed", "review_requested", "task_done", "landing_requested", "the branch moves", "task_landed",
	}
	claudeKillPoints = append([]string{"decision_requested", commandRuns}, killPoints...)
)

// commandRuns is the point at which the agent's command has written one of its two files.
const commandRuns = "a command runs"

// killSeed is an environment variable with the seed of an earlier run, to repeat that run.
const killSeed = "BULLPEN_TEST_KILL_SEED"

// killer kills an office once for each point, at a random time after the point is reached. If a
// point is reached while a kill is pending, its own kill follows after the next start.
type killer struct {
	mu     sync.Mutex
	dice   *rand.Rand
	points int           // number of points
	most   time.Duration // longest delay between a point and its kill
	left   []string      // points that have not been reached yet
	due    []string      // points that were reached but have not led to a kill yet
	alive  *child        // nil if there is no office, or if a kill is pending
}

// newKiller returns a killer for n randomly chosen points.
func newKiller(t *testing.T, points []string, n int, most time.Duration) *killer {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if given := os.Getenv(killSeed); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	k := &killer{dice: rand.New(rand.NewPCG(seed, 1)), points: n, most: most}
	for _, i := range k.dice.Perm(len(points))[:n] {
		k.left = append(k.left, points[i])
	}
	t.Logf("%s=%d kills at %s", killSeed, seed, strings.Join(k.left, ", "))
	return k
}

func (k *killer) start(c *child) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.alive = c
	k.next()
}

func (k *killer) reach(point string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if i := slices.Index(k.left, point); i >= 0 {
		k.left = slices.Delete(k.left, i, i+1)
		k.due = append(k.due, point)
		k.next()
	}
}

func (k *killer) next() {
	if k.alive == nil || len(k.due) == 0 {
		return
	}
	k.due = k.due[1:]
	process := k.alive.cmd.Process
	k.alive = nil
	time.AfterFunc(time.Duration(k.dice.Int64N(int64(k.most))), func() { _ = process.Kill() })
}

// awaits reports whether a point has not been reached yet.
func (k *killer) awaits(point string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Contains(k.left, point)
}

// done reports whether there will be no more kills.
func (k *killer) done() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.left) == 0 && len(k.due) == 0 && k.alive != nil
}

// coder is a model that changes files. Its first edits fail the check; after it is told about the
// failure, its edits pass. It never writes the same content twice.
type coder struct {
	killer *killer

	mu      sync.Mutex
	n       int
	asked   map[string][]string // contents that it asked to write, by the new file's name
	written []string            // contents that were written
}

// edit is one change that the model makes: new content for a.txt, and a new file.
type edit struct {
	n        int
	word     string // word in a.txt
	name     string // name of the new file
	contents []string
}

// next returns the next edit. failed reports whether the model was told that a check failed.
func (m *coder) next(failed bool) edit {
	m.killer.reach(map[bool]string{false: "the model starts", true: "the model is told what failed"}[failed])
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n++
	e := edit{n: m.n, word: map[bool]string{false: "three", true: "two"}[failed], name: fmt.Sprintf("new-%d.txt", m.n)}
	e.contents = []string{fmt.Sprintf("%s %d\n", e.word, m.n), fmt.Sprintf("made by answer %d\n", m.n)}
	m.asked[e.name] = e.contents
	return e
}

// wrote records the edits that were made, according to a request to the model.
func (m *coder) wrote(request string, failed bool) {
	m.killer.reach(map[bool]string{false: "files written", true: "files corrected"}[failed])
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, contents := range m.asked {
		if strings.Contains(request, name) {
			m.written = append(m.written, contents...)
			delete(m.asked, name)
		}
	}
}

// answer returns a plan if the request has no tools, and otherwise an edit and then a summary.
func (m *coder) answer(c drivetest.Call) drivetest.Answer {
	failed := strings.Contains(c.Prompt, "These failed")
	switch {
	case len(c.Tools) == 0:
		m.killer.reach("the model plans")
		return drivetest.Answer{Text: `{"summary":"One task.","tasks":[{"title":"Say two","description":"Do it.","kind":"code","priority":1}]}`}
	case len(c.Results) > 0:
		m.wrote(string(c.Body), failed)
		return drivetest.Answer{Text: `{"question":null,"artifacts":[],"follow_ups":[]}`}
	}
	e := m.next(failed)
	return drivetest.Answer{Calls: []drivetest.ToolCall{
		{ID: "a", Name: "write_file", Args: jsonText(message{"path": "a.txt", "content": e.contents[0]})},
		{ID: "b", Name: "write_file", Args: jsonText(message{"path": e.name, "content": e.contents[1]})},
	}}
}

// editScript makes an edit: sh edit.sh PIDS WORD N [hang]. It ignores SIGTERM. With hang, it does
// not end on its own.
const editScript = `trap '' TERM
pwd > "$1/$KILL_LIFE.$$"
echo "$2 $3" > a.txt
[ -z "$4" ] || { : > "$1/hangs"; while :; do sleep 0.1; done; }
echo "made by answer $3" > "new-$3.txt"
echo "wrote new-$3.txt"
`

// claudeScript starts Claude Code: claude.sh ARGS. It is a format string for PIDS and the path of
// the program.
const claudeScript = `#!/bin/sh
pwd > "%s/$KILL_LIFE.$$"
exec '%s' "$@"
`

// lives tracks which agent processes belong to which run of the office. Each process has a file,
// LIFE.PID, that contains its working directory.
type lives struct {
	t    *testing.T
	pids string
	work string // directory of the worktrees
}

// checkNoEarlier fails the test if a process of an earlier life is still running in a worktree. It
// is called before a life's agent is told to make an edit.
func (l *lives) checkNoEarlier(life string) {
	now, err := strconv.Atoi(life)
	if err != nil {
		l.t.Errorf("a request of life %q", life)
	}
	for pid, n := range l.running() {
		if n < now {
			l.t.Errorf("process %d of life %d still runs in life %d", pid, n, now)
		}
	}
}

// running returns the lives of the processes that run in worktrees, by process id.
func (l *lives) running() map[int]int {
	found := map[int]int{}
	list, _ := filepath.Glob(filepath.Join(l.pids, "*.*"))
	for _, path := range list {
		life, pid, _ := strings.Cut(filepath.Base(path), ".")
		n, _ := strconv.Atoi(life)
		id, _ := strconv.Atoi(pid)
		stat, _ := os.ReadFile(filepath.Join("/proc", pid, "stat"))
		if dir, _ := os.ReadFile(path); strings.HasPrefix(string(dir), l.work) && syscall.Kill(id, 0) == nil && !strings.Contains(string(stat), ") Z ") {
			found[id] = n
		}
	}
	return found
}
