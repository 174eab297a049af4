//go:build linux

package sqlite_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/bullpen-office/bullpen/contracts"
)

// BenchmarkAppendRaw does the same work as BenchmarkAppend, but on a plain file.
func BenchmarkAppendRaw(b *testing.B) {
	for _, producers := range []int{1, 64} {
		b.Run(strconv.Itoa(producers), func(b *testing.B) {
			f := newRawLog(b)
			produce(b, producers, f.append)
		})
	}
}

// rawLog is a file with group commit and nothing else.
type rawLog struct {
	file  *os.File
	queue chan chan error
}

func newRawLog(b *testing.B) *rawLog {
	f, err := os.Create(filepath.Join(b.TempDir(), "raw"))
	if err != nil {
		b.Fatal(err)
	}
	l := &rawLog{f, make(chan chan error, contracts.LimitAppendBatch)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for first := range l.queue {
			l.commit(first)
		}
	}()
	b.Cleanup(func() {
		close(l.queue)
		<-ended
		f.Close()
	})
	return l
}

func (l *rawLog) append() error {
	done := make(chan error, 1)
	l.queue <- done
	return <-done
}

func (l *rawLog) commit(first chan error) {
	batch := []chan error{first}
	for len(l.queue) > 0 && len(batch) < contracts.LimitAppendBatch {
		batch = append(batch, <-l.queue)
	}
	var buf []byte
	for range batch {
		buf = append(buf, benchBody...)
	}
	_, err := l.file.Write(buf)
	if err == nil {
		err = unix.Fdatasync(int(l.file.Fd()))
	}
	for _, done := range batch {
		done <- err
	}
}
