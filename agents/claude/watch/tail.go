package watch

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

const (
	scanInterval = 3 * time.Second // interval between searches for new files
	noteInterval = time.Second     // interval between reads of running sessions' state files

	// subagentFreshness is how recently a sub-agent must have written to its transcript to join:
	// sub-agents leave soon after they finish.
	subagentFreshness = 2 * contracts.SubagentLeaves
)

// tail reads the transcripts that Claude Code writes. It polls file sizes instead of watching for
// changes: polling works on every file system, and a few hundred checks cost almost nothing.
type tail struct {
	in    *Intake
	files map[string]*file
	notes map[string]*note
}

func newTail(in *Intake) *tail {
	return &tail{in: in, files: make(map[string]*file), notes: make(map[string]*note)}
}

func (t *tail) run(ctx context.Context) {
	tick := time.NewTicker(contracts.TranscriptInterval)
	defer tick.Stop()
	var scanned, noted time.Time
	for {
		now := time.Now()
		if now.Sub(scanned) >= scanInterval {
			scanned = now
			t.scan()
		}
		if now.Sub(noted) >= noteInterval {
			noted = now
			t.readNotes(ctx)
		}
		for _, path := range slices.Sorted(maps.Keys(t.files)) {
			if !t.files[path].poll(ctx, t.in) {
				delete(t.files, path)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// found is a recently written transcript.
type found struct {
	path, session, agent string
	changed              time.Time
}

// scan looks for transcripts and follows the newest ones, at most contracts.LimitGuests.
func (t *tail) scan() {
	var list []found
	for _, project := range entries(filepath.Join(t.in.Dir, "projects")) {
		if project.IsDir() {
			list = t.scanProject(list, filepath.Join(t.in.Dir, "projects", project.Name()))
		}
	}
	slices.SortFunc(list, func(a, b found) int { return b.changed.Compare(a.changed) })
	wanted := make(map[string]bool)
	for _, f := range list[:min(len(list), contracts.LimitGuests)] {
		wanted[f.path] = true
		if t.files[f.path] == nil {
			t.files[f.path] = &file{path: f.path, session: f.session, agent: f.agent, first: true}
		}
	}
	maps.DeleteFunc(t.files, func(path string, _ *file) bool { return !wanted[path] })
}

func (t *tail) scanProject(list []found, dir string) []found {
	for _, e := range entries(dir) {
		session, ok := strings.CutSuffix(e.Name(), ".jsonl")
		if !ok || e.IsDir() || session == "" || strings.HasPrefix(session, "agent-") || len(session) > contracts.LimitName {
			continue
		}
		path := filepath.Join(dir, e.Name())
		changed, fresh := t.fresh(e, contracts.SessionFreshness)
		if !fresh && t.files[path] == nil {
			continue
		}
		if fresh {
			list = append(list, found{path: path, session: session, changed: changed})
		}
		list = t.scanSubagents(list, filepath.Join(dir, session, "subagents"), session)
	}
	return list
}

func (t *tail) scanSubagents(list []found, dir, session string) []found {
	for _, e := range entries(dir) {
		agent, ok := strings.CutSuffix(strings.TrimPrefix(e.Name(), "agent-"), ".jsonl")
		if !ok || e.IsDir() || agent == "" || len(agent) > contracts.LimitName {
			continue
		}
		if changed, fresh := t.fresh(e, subagentFreshness); fresh {
			list = append(list, found{path: filepath.Join(dir, e.Name()), session: session, agent: agent, changed: changed})
		}
	}
	return list
}

// fresh returns when a file was last written, and whether its age is at most within.
func (t *tail) fresh(e os.DirEntry, within time.Duration) (changed time.Time, fresh bool) {
	info, err := e.Info()
	if err != nil || !info.Mode().IsRegular() {
		return time.Time{}, false
	}
	return info.ModTime(), t.in.Now().Sub(info.ModTime()) <= within
}

// entries lists a directory; nil if the directory is missing or unreadable.
func entries(dir string) []os.DirEntry {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	return list
}
