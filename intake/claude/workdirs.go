package claude

import (
	"slices"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
)

// workdirs remembers the working directories of the newest sessions, because rows show
// them shortened. It is safe for concurrent use.
type workdirs struct {
	mu    sync.Mutex
	dirs  map[string]string // by agent id
	order []string          // oldest first
}

func (w *workdirs) note(agentID, dir string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if dir == "" || w.dirs[agentID] == dir {
		return
	}
	if w.dirs == nil {
		w.dirs = map[string]string{}
	}
	if _, known := w.dirs[agentID]; !known {
		w.order = append(w.order, agentID)
	}
	w.dirs[agentID] = dir
	if len(w.order) > contracts.LimitWorkdirs {
		delete(w.dirs, w.order[0])
		w.order = slices.Delete(w.order, 0, 1)
	}
}

// Workdir is the working directory that a session reported last; empty if it has not
// reported one since the office started.
func (in *Intake) Workdir(agentID string) string {
	in.workdirs.mu.Lock()
	defer in.workdirs.mu.Unlock()
	return in.workdirs.dirs[agentID]
}
