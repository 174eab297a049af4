package watch

import (
	"context"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
)

const (
	scanInterval = 3 * time.Second // interval between searches for new files
	noteInterval = time.Second     // interval between reads of running sessions' state files
)

// tail reads the files that a vendor's sessions write. It polls file sizes instead of watching for
// changes: polling works on every file system, and a few hundred checks cost almost nothing.
type tail struct {
	watcher *Watcher
	files   map[string]*file
	notes   map[string]*note
}

func newTail(watcher *Watcher) *tail {
	return &tail{watcher: watcher, files: make(map[string]*file), notes: make(map[string]*note)}
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
		if t.watcher.LiveDir != "" && now.Sub(noted) >= noteInterval {
			noted = now
			t.readNotes(ctx)
		}
		for _, path := range slices.Sorted(maps.Keys(t.files)) {
			if !t.files[path].poll(ctx, t.watcher) {
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

// scan looks for session files and follows the newest ones, at most contracts.LimitGuests.
func (t *tail) scan() {
	list := t.watcher.Files(guest.Scan{Dir: t.watcher.Dir, Now: t.watcher.Now(), Following: func(path string) bool { return t.files[path] != nil }})
	slices.SortFunc(list, func(a, b guest.File) int { return b.Changed.Compare(a.Changed) })
	wanted := make(map[string]bool)
	for _, f := range list[:min(len(list), contracts.LimitGuests)] {
		wanted[f.Path] = true
		if t.files[f.Path] == nil {
			t.files[f.Path] = &file{path: f.Path, session: f.Session, agent: f.Agent, first: true}
		}
	}
	maps.DeleteFunc(t.files, func(path string, _ *file) bool { return !wanted[path] })
}

// entries lists a directory. It returns nil if the directory is missing or unreadable.
func entries(dir string) []os.DirEntry {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	return list
}
