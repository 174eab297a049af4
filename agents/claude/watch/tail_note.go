package watch

import (
	"context"
	"maps"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	wire "github.com/bullpen-office/bullpen/agents/claude/translate"
)

// note is what a running Claude Code wrote about itself.
type note struct {
	changed time.Time
	session string
	seen    bool
}

// readNotes looks at sessions/<pid>.json of every running Claude Code: which
// process has which session, and whether it works, waits or idles. They tell of
// sessions that have written nothing yet, and of ends that no hook reports.
func (t *tail) readNotes(ctx context.Context) {
	dir := filepath.Join(t.in.Dir, "sessions")
	for _, n := range t.notes {
		n.seen = false
	}
	for _, e := range entries(dir) {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue
		}
		n := t.notes[e.Name()]
		if n == nil {
			n = &note{}
			t.notes[e.Name()] = n
		}
		n.seen = true
		if !n.changed.Equal(info.ModTime()) && t.readNote(ctx, n, filepath.Join(dir, e.Name())) {
			n.changed = info.ModTime()
		}
	}
	maps.DeleteFunc(t.notes, func(_ string, n *note) bool { return !n.seen })
}

// readNote takes a note in. It is false for one that cannot be read: it may be half
// written, and the clock of a file system is too coarse to show when that is over.
func (t *tail) readNote(ctx context.Context, n *note, path string) bool {
	content, err := readSmall(path)
	if err != nil {
		return false
	}
	l, err := wire.ParseLive(content)
	if err != nil {
		t.in.Log.Debug("a note of a running session was left out", "path", path, "error", err)
		return false
	}
	if runtime.GOOS != "linux" {
		l.Start = "" // other systems count the start of a process in other ways
	}
	if !t.in.Alive(l.PID, l.Started()) {
		return true // a note that a killed process left behind
	}
	if n.session != "" && n.session != l.Session {
		t.in.send(ctx, &task{session: n.session, gone: "went on with another conversation"})
	}
	n.session = l.Session
	t.in.send(ctx, &task{session: l.Session, live: &l})
	return true
}
