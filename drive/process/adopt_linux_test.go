package process_test

import (
	"syscall"
	"testing"
	"time"
)

// Orphans that exit while the program is still running do not stay zombies.
func TestOrphansAreReaped(t *testing.T) {
	p := shell(t, `sh -c 'sleep 0 & echo $!'; read line`)
	defer p.Stop(0)
	orphan := pids(t, p.Stdout)[0]
	for syscall.Kill(orphan, 0) == nil {
		if t.Context().Err() != nil {
			t.Fatalf("process %d is a zombie", orphan)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
