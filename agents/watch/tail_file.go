package watch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
)

const (
	limitRows = 64      // rows of a file that are handled together
	limitRead = 1 << 20 // bytes of rows that are handled together
	limitNote = 64 << 10
)

// file is a transcript with its read position.
type file struct {
	path, session, agent string

	offset    int64       // where the first unread line starts
	info      os.FileInfo // file info at the last check; distinguishes this file from another with the same name
	lastBytes []byte      // last bytes before offset, to detect that the file was rewritten
	skip      bool        // offset is inside a line that is too long
	first     bool        // nothing has been read yet: existing content is history
}

// poll reads the lines that have been added since the last poll. It returns false if the file is
// gone.
func (f *file) poll(ctx context.Context, watcher *Watcher) bool {
	info, err := os.Stat(f.path)
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	if f.info != nil && (!os.SameFile(f.info, info) || info.Size() < f.offset) {
		f.rewind()
	}
	if f.info != nil && info.Size() == f.info.Size() && info.ModTime().Equal(f.info.ModTime()) && !f.first {
		return true
	}
	if err := f.read(ctx, watcher); err != nil {
		watcher.Log.Debug("transcript cannot be read; retrying", "path", f.path, "error", err)
		return true
	}
	f.info = info
	return true
}

// rewind makes the next read start from the beginning, because the file was truncated, replaced or
// rewritten. Facts that were reported before have the same ids and are not recorded again.
func (f *file) rewind() { f.offset, f.skip, f.first, f.lastBytes = 0, false, true, nil }

func (f *file) read(ctx context.Context, watcher *Watcher) error {
	src, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer src.Close()
	if !bytes.Equal(f.lastBytes, lastBytesBefore(src, f.offset)) {
		f.rewind()
	}
	if f.first {
		f.describe(ctx, watcher)
	}
	if _, err := src.Seek(f.offset, io.SeekStart); err != nil {
		return err
	}
	lines := bufio.NewReaderSize(src, 64<<10)
	b := rowBatch{file: f, watcher: watcher}
	for ctx.Err() == nil {
		line, size, err := nextLine(lines)
		if errors.Is(err, io.EOF) { // the rest is not a complete line yet
			f.skipLongLine(watcher, size)
			break
		}
		if err != nil {
			return err
		}
		f.offset += size
		switch {
		case f.skip: // the end of a line that was already counted
			f.skip = false
		case line == nil:
			watcher.metrics.lines.WithLabelValues(lineTooLong).Inc()
			watcher.Log.Warn("skipped a transcript line that is too long", "path", f.path, "bytes", size)
		default:
			b.add(ctx, line)
		}
	}
	b.send(ctx, true)
	if ctx.Err() == nil {
		f.first = false
	}
	f.lastBytes = lastBytesBefore(src, f.offset)
	return nil
}

// lastBytesBefore returns the last bytes before offset, to detect later that the file was rewritten.
func lastBytesBefore(src io.ReaderAt, offset int64) []byte {
	const length = 64
	b := make([]byte, min(offset, length))
	n, _ := src.ReadAt(b, offset-int64(len(b))) // fewer bytes if the file has become shorter
	return b[:n]
}

// skipLongLine skips an incomplete line if it is already too long, so that it is not read repeatedly.
func (f *file) skipLongLine(watcher *Watcher, size int64) {
	if size <= contracts.LimitTranscriptLine {
		return
	}
	if !f.skip {
		watcher.metrics.lines.WithLabelValues(lineTooLong).Inc()
		watcher.Log.Warn("skipped a transcript line that is too long", "path", f.path, "bytes", size)
	}
	f.offset, f.skip = f.offset+size, true
}

// nextLine reads a line and returns its size including the line ending. line is nil if it is too
// long. At the end of the file, line and size describe the incomplete line, and err is io.EOF.
func nextLine(r *bufio.Reader) (line []byte, size int64, err error) {
	keep := true
	for {
		part, err := r.ReadSlice('\n')
		size += int64(len(part))
		if keep = keep && size <= contracts.LimitTranscriptLine; keep {
			line = append(line, part...)
		} else {
			line = nil
		}
		if err == nil || !errors.Is(err, bufio.ErrBufferFull) {
			return line, size, err
		}
	}
}

// describe reads the description of a sub-agent's task and queues it; it does nothing for a
// session's own file.
func (f *file) describe(ctx context.Context, watcher *Watcher) {
	if f.agent == "" || watcher.DescribedIn == nil {
		return
	}
	content, err := readSmall(watcher.DescribedIn(f.path))
	if err != nil {
		return
	}
	if kind, text, ok := watcher.ParseDescription(content); ok {
		watcher.send(ctx, &task{session: f.session, agent: f.agent, meta: &description{kind, text}})
	}
}

// readSmall reads at most limitNote bytes of a regular file.
func readSmall(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for its writer
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	src, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return io.ReadAll(io.LimitReader(src, limitNote))
}

// rowBatch collects rows that are handled together.
type rowBatch struct {
	file    *file
	watcher *Watcher
	rows    []guest.Row
	bytes   int
	sent    bool
}

func (b *rowBatch) add(ctx context.Context, line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	row, err := b.watcher.ParseRow(line)
	if err != nil {
		b.watcher.metrics.lines.WithLabelValues(lineUnread).Inc()
		b.watcher.Log.Debug("transcript line skipped", "path", b.file.path, "error", err)
		return
	}
	b.watcher.metrics.lines.WithLabelValues(lineRead).Inc()
	if row == nil {
		return
	}
	head := row.Head()
	b.watcher.reportIgnored("transcript "+head.Kind, head.Mismatched)
	b.rows = append(b.rows, row)
	if b.bytes += len(line); len(b.rows) >= limitRows || b.bytes >= limitRead {
		b.send(ctx, false)
	}
}

// send queues the rows and waits if the queue is full: a transcript is not urgent.
func (b *rowBatch) send(ctx context.Context, last bool) {
	caughtUp := last && b.file.first
	if len(b.rows) == 0 && !caughtUp {
		return
	}
	select {
	case b.watcher.reading <- struct{}{}:
	case <-ctx.Done():
		return
	}
	b.watcher.send(ctx, &task{
		session: b.file.session, agent: b.file.agent, rows: b.rows, slot: true,
		history: b.file.first, rewound: b.file.first && !b.sent, caughtUp: caughtUp,
	})
	b.rows, b.bytes, b.sent = nil, 0, true
}

func (w *Watcher) send(ctx context.Context, t *task) {
	select {
	case w.shardOf(t.session).tasks <- t:
	case <-ctx.Done():
	}
}
