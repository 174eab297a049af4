//go:build unix

package watch

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// A named pipe among Claude Code's files does not block reading the other files.
func TestPipeInTheDirectoryBlocksNothing(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		for _, name := range []string{"sessions/1.json", subagent + ".meta.json"} {
			path := filepath.Join(r.dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Skip("this file system does not support pipes:", err)
			}
		}
		r.write(subagent+".jsonl", turn(2, time.Now()))
		r.write(transcript, turn(1, time.Now()))
		r.settle()
		if n := counted(t, r.hud()); n[contracts.HUDTurnEnd] == 0 {
			t.Errorf("%v", n)
		}
	})
}
