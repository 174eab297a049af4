package guests

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
)

// subagentFreshness is how recently a sub-agent's transcript must have been written to for the
// sub-agent to join the office. If the transcript is older, the sub-agent has probably left.
const subagentFreshness = 2 * contracts.OfflineSubagentStay

// files returns the recently written transcripts of sessions and sub-agents.
func files(s guest.Scan) (list []guest.File) {
	projects := filepath.Join(s.Dir, "projects")
	for _, project := range entries(projects) {
		if project.IsDir() {
			list = scanProject(list, s, filepath.Join(projects, project.Name()))
		}
	}
	return list
}

func scanProject(list []guest.File, s guest.Scan, dir string) []guest.File {
	for _, e := range entries(dir) {
		session, ok := strings.CutSuffix(e.Name(), ".jsonl")
		if !ok || e.IsDir() || session == "" || strings.HasPrefix(session, "agent-") || len(session) > contracts.LimitName {
			continue
		}
		path := filepath.Join(dir, e.Name())
		changed, fresh := fresh(e, s.Now, contracts.SessionFreshness)
		if !fresh && !s.Following(path) {
			continue
		}
		if fresh {
			list = append(list, guest.File{Path: path, Session: session, Changed: changed})
		}
		list = scanSubagents(list, s, filepath.Join(dir, session, "subagents"), session)
	}
	return list
}

func scanSubagents(list []guest.File, s guest.Scan, dir, session string) []guest.File {
	for _, e := range entries(dir) {
		agent, ok := strings.CutSuffix(strings.TrimPrefix(e.Name(), "agent-"), ".jsonl")
		if !ok || e.IsDir() || agent == "" || len(agent) > contracts.LimitName {
			continue
		}
		if changed, fresh := fresh(e, s.Now, subagentFreshness); fresh {
			list = append(list, guest.File{Path: filepath.Join(dir, e.Name()), Session: session, Agent: agent, Changed: changed})
		}
	}
	return list
}

// fresh returns when a file was last written to, and whether its age is at most within. fresh is
// false for anything but a regular file.
func fresh(e os.DirEntry, now time.Time, within time.Duration) (changed time.Time, fresh bool) {
	info, err := e.Info()
	if err != nil || !info.Mode().IsRegular() {
		return time.Time{}, false
	}
	return info.ModTime(), now.Sub(info.ModTime()) <= within
}

// entries lists a directory. It returns nil if the directory is missing or unreadable.
func entries(dir string) []os.DirEntry {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	return list
}
