package watch

import (
	"cmp"
	"slices"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
)

// workdirs holds the proven working directories of the newest sessions. The office may open files
// in these directories. workdirs is safe for concurrent use.
type workdirs struct {
	mu    sync.Mutex
	dirs  map[string]string // by agent id
	order []string          // oldest first
}

// noteWorkdir saves an agent's working directory if the task proves it. The proof is a line of the
// transcript, the state file, or the process that a hook names.
func (s *shard) noteWorkdir(a *tracked, t *task) {
	dir := ""
	switch {
	case t.live != nil:
		dir = t.live.Head().Cwd
	case t.head.PID > 0 && s.watcher.Workdir(a.id) == "":
		dir = s.watcher.WorkdirOf(t.head.PID, t.head.PIDStart)
	}
	for _, r := range t.rows {
		dir = cmp.Or(r.Head().Cwd, dir)
	}
	s.watcher.workdirs.note(a.id, contracts.CleanText(dir))
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

// Workdir returns the last proven working directory of a session, or "" if none has been proven
// since the office started. A hook's claim is not proof: anyone who can reach the office can send a
// hook.
func (w *Watcher) Workdir(agentID string) string {
	w.workdirs.mu.Lock()
	defer w.workdirs.mu.Unlock()
	return w.workdirs.dirs[agentID]
}
