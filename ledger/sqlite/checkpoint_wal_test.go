package sqlite

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// The WAL of an idle ledger is empty, and a checkpoint of the WAL never disturbs appends or reads.
func TestCheckpointDuringAppends(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := openAt(t, path, nil)
	var producing, reading sync.WaitGroup
	for range 4 {
		producing.Go(func() {
			for range 25 {
				if err := l.Append(context.Background(), ledger.AnySeq, fill(contracts.KindHUD, 3)); err != nil {
					t.Errorf("append: %v", err)
				}
			}
		})
	}
	stop := make(chan struct{})
	for _, do := range []func(){l.checkpointIdle, func() {
		if _, err := l.readPage(context.Background(), 0, l.Head(), 1000, nil); err != nil {
			t.Errorf("read: %v", err)
		}
	}} {
		reading.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					do()
				}
			}
		})
	}
	producing.Wait()
	close(stop)
	reading.Wait()
	l.checkpointIdle()
	if info, err := os.Stat(path + "-wal"); err != nil || info.Size() != 0 {
		t.Errorf("the log holds %v: %v", info, err)
	}
	if err := l.Verify(t.Context()); err != nil || l.Head() != 300 {
		t.Errorf("head %d: %v", l.Head(), err)
	}
}
