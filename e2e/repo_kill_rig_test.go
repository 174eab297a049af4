//go:build unix

package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/drive/drivetest"
)

// killPoints are the moments at which the office is killed: names of events, and what the model and the
// repository see.
var killPoints = []string{
	"request_submitted", "the model plans", "task_prepared", "the model starts", "files written", "check failed", "the model is told what failed",
	"files corrected", "check passed", "review_requested", "task_done", "landing_requested", "the branch moves", "task_landed",
}

// killer kills an office once for each of the points, at a random time after it. A point that is reached
// while a kill is pending is used after the next start.
type killer struct {
	mu    sync.Mutex
	dice  *rand.Rand
	left  []string // points that were not reached yet
	due   []string // points that were reached, and whose kill is still to come
	alive *child   // nil if there is no office, or if a kill is pending
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
	time.AfterFunc(time.Duration(k.dice.IntN(120))*time.Millisecond, func() { _ = process.Kill() })
}

// done reports whether there will be no more kills.
func (k *killer) done() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.left) == 0 && len(k.due) == 0 && k.alive != nil
}

// coder is a model that changes files. What it writes first does not pass the check; what it writes
// after it was told so does. It never writes the same content twice.
type coder struct {
	reach func(point string)

	mu      sync.Mutex
	n       int
	asked   map[string][]string // contents that it asked to write, by the name of the new file
	written []string            // contents that were written
}

func (m *coder) answer(c drivetest.Call) drivetest.Answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	failed := strings.Contains(c.Prompt, "These failed")
	switch {
	case len(c.Tools) == 0:
		m.reach("the model plans")
		return drivetest.Answer{Text: `{"summary":"One task.","tasks":[{"title":"Say two","description":"Do it.","kind":"code","priority":1}]}`}
	case len(c.Results) > 0:
		m.reach(map[bool]string{false: "files written", true: "files corrected"}[failed])
		for name, contents := range m.asked {
			if strings.Contains(string(c.Body), name) {
				m.written = append(m.written, contents...)
				delete(m.asked, name)
			}
		}
		return drivetest.Answer{Text: `{"question":null,"artifacts":[],"follow_ups":[]}`}
	}
	m.reach(map[bool]string{false: "the model starts", true: "the model is told what failed"}[failed])
	m.n++
	name := fmt.Sprintf("new-%d.txt", m.n)
	contents := []string{fmt.Sprintf("%s %d\n", map[bool]string{false: "three", true: "two"}[failed], m.n), fmt.Sprintf("made by answer %d\n", m.n)}
	m.asked[name] = contents
	return drivetest.Answer{Calls: []drivetest.ToolCall{
		{ID: "a", Name: "write_file", Args: jsonText(message{"path": "a.txt", "content": contents[0]})},
		{ID: "b", Name: "write_file", Args: jsonText(message{"path": name, "content": contents[1]})},
	}}
}
