package watch

import (
	"context"
	"maps"
	"path/filepath"
	"strings"
	"time"
)

// note is the last known state of a running process's state file.
type note struct {
	changed time.Time
	session string
	seen    bool
}

// readNotes reads the state files of all running processes: which process runs which session, and
// whether that session is busy, waiting or idle. These files reveal sessions that have not written
// a transcript yet, and interrupted turns that no hook reports.
func (t *tail) readNotes(ctx context.Context) {
	dir := filepath.Join(t.watcher.Dir, t.watcher.LiveDir)
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

// readNote handles a note. It returns false if the note could not be read or decoded. The note must
// then be read again, because the file may be incomplete, and its modification time may not change
// when it is completed.
func (t *tail) readNote(ctx context.Context, n *note, path string) bool {
	content, err := readSmall(path)
	if err != nil {
		return false
	}
	l, err := t.watcher.ParseLive(content)
	if err != nil {
		t.watcher.Log.Debug("session file could not be decoded; it will be read again", "path", path, "error", err)
		return false
	}
	head := l.Head()
	if !t.watcher.Alive(head.PID, head.Started) {
		return true // left behind by a killed process
	}
	if n.session != "" && n.session != head.Session {
		t.watcher.send(ctx, &task{session: n.session, endReason: "continued with another conversation"})
	}
	n.session = head.Session
	t.watcher.send(ctx, &task{session: head.Session, live: l})
	return true
}
