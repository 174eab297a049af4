package guests

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
)

func rollout(t testing.TB, dir string, day time.Time, session string, written time.Time) string {
	t.Helper()
	path := filepath.Join(dir, "sessions", day.Format("2006/01/02"), "rollout-"+day.Format("2006-01-02T15-04-05")+"-"+session+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, written, written); err != nil {
		t.Fatal(err)
	}
	return path
}

// subagent writes the rollout file of a sub-agent in a session; parent is the thread that started
// the sub-agent.
func subagent(t *testing.T, dir string, now time.Time, session, parent, agent string) string {
	t.Helper()
	path := rollout(t, dir, now, agent, now)
	meta := fmt.Sprintf(`{"type":"session_meta","payload":{"session_id":%q,"id":%q,"parent_thread_id":%q,"source":{"subagent":{"thread_spawn":{"parent_thread_id":%q,"depth":1}}}}}`+"\n", session, agent, parent, parent)
	if err := os.WriteFile(path, []byte(meta), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A sub-agent's file belongs to the session that a person started, however deeply the sub-agent is
// nested. A file is identified once its first line is complete.
func TestFilesOfSubagents(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	rollout(t, dir, now, "root", now)
	subagent(t, dir, now, "root", "root", "child")
	subagent(t, dir, now, "root", "child", "grandchild")
	old := rollout(t, dir, now, "old", now)
	if err := os.WriteFile(old, []byte(`{"type":"session_meta","payload":{"id":"old","source":{"subagent":{"thread_spawn":{"parent_thread_id":"root"}}}}}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	begun := rollout(t, dir, now, "begun", now)
	if err := os.WriteFile(begun, []byte(`{"type":"session_meta"`), 0o600); err != nil {
		t.Fatal(err)
	}
	var c scanner
	names := func() (list []string) {
		for _, f := range c.files(guest.Scan{Dir: dir, Now: now}) {
			list = append(list, f.Session+"/"+f.Agent)
		}
		slices.Sort(list)
		return list
	}
	want := []string{"root/", "root/child", "root/grandchild", "root/old"}
	for range 2 { // the second search uses the remembered writers
		if d := cmp.Diff(want, names()); d != "" {
			t.Error(d)
		}
	}
	if err := os.WriteFile(begun, []byte(`{"type":"session_meta","payload":{"id":"begun"}}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(append([]string{"begun/"}, want...), names()); d != "" {
		t.Error(d)
	}
}

func sessions(list []guest.File) (ids []string) {
	for _, f := range list {
		ids = append(ids, f.Session)
	}
	return ids
}

// Files that were written recently are found, even if their session started long ago; other files
// are not.
func TestFiles(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	old := now.Add(-2 * contracts.SessionFreshness)
	rollout(t, dir, now, "new", now)
	rollout(t, dir, now, "old", old)
	rollout(t, dir, now.AddDate(-1, 0, 0), "resumed", now)
	rollout(t, dir, now.AddDate(-1, 0, 0), "forgotten", old)
	for _, name := range []string{"rollout-2026.jsonl", "other.jsonl", "rollout-2026-11-16T06-55-52-x.json"} {
		if err := os.WriteFile(filepath.Join(dir, "sessions", now.Format("2006/01/02"), name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var c scanner
	if d := cmp.Diff([]string{"new", "resumed"}, sessions(c.files(guest.Scan{Dir: dir, Now: now}))); d != "" {
		t.Error(d)
	}
	rollout(t, dir, now.AddDate(-1, 0, 0), "later", now)
	if got := sessions(c.files(guest.Scan{Dir: dir, Now: now.Add(fullScanInterval / 2)})); len(got) != 2 {
		t.Errorf("all days are searched too often: %q", got)
	}
	if got := sessions(c.files(guest.Scan{Dir: dir, Now: now.Add(fullScanInterval)})); len(got) != 3 {
		t.Errorf("%q", got)
	}
	if got := c.files(guest.Scan{Dir: filepath.Join(dir, "missing"), Now: now.Add(2 * fullScanInterval)}); got != nil {
		t.Errorf("%v", got)
	}
}

func TestIsProgram(t *testing.T) {
	for program, want := range map[string]bool{"/opt/bin/codex": true, "/x/codex-x86_64": true, "/usr/bin/node": true, "/usr/bin/bash": false} {
		if got := IsProgram(program, []string{"node", "/x/bin/codex.js", "exec"}); got != want {
			t.Errorf("%s: %v", program, got)
		}
	}
}

// BenchmarkFiles measures one search with 50 active sessions and 2,000 old ones.
func BenchmarkFiles(b *testing.B) {
	dir, now := b.TempDir(), time.Now()
	for i := range 50 {
		rollout(b, dir, now, fmt.Sprint(i), now)
	}
	for i := range 2000 {
		day := now.AddDate(0, 0, -2-i%100)
		rollout(b, dir, day, fmt.Sprint(i), day)
	}
	var c scanner
	for b.Loop() {
		if got := len(c.files(guest.Scan{Dir: dir, Now: now})); got != 50 {
			b.Fatal(got)
		}
	}
}
