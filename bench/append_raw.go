//go:build linux

package main

import (
	"context"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// rawLog is a file with group commit: one goroutine collects the waiting appends, writes them
// together and syncs the file.
type rawLog struct {
	file  *os.File
	queue chan *rawAppend
	ended chan struct{}
	buf   []byte
}

type rawAppend struct {
	body []byte
	done chan error
}

// rawGroup is the maximum number of appends per sync, the same as in the ledger's group commit.
const rawGroup = 512

func openRawLog(_ context.Context, path string) (appender, error) {
	f, err := os.Create(path)
	if err != nil {
		return appender{}, fmt.Errorf("create the raw log: %w", err)
	}
	l := &rawLog{file: f, queue: make(chan *rawAppend, rawGroup), ended: make(chan struct{})}
	go l.commitLoop()
	return appender{append: l.append, close: l.close}, nil
}

func (l *rawLog) append(body []byte) error {
	r := &rawAppend{body, make(chan error, 1)}
	l.queue <- r
	return <-r.done
}

func (l *rawLog) commitLoop() {
	defer close(l.ended)
	for first := range l.queue {
		group := append(make([]*rawAppend, 0, rawGroup), first)
		for len(l.queue) > 0 && len(group) < rawGroup {
			group = append(group, <-l.queue)
		}
		err := l.commit(group)
		for _, r := range group {
			r.done <- err
		}
	}
}

func (l *rawLog) commit(group []*rawAppend) error {
	l.buf = l.buf[:0]
	for _, r := range group {
		l.buf = append(l.buf, r.body...)
	}
	if _, err := l.file.Write(l.buf); err != nil {
		return err
	}
	return unix.Fdatasync(int(l.file.Fd()))
}

func (l *rawLog) close() error {
	close(l.queue)
	<-l.ended
	return l.file.Close()
}
