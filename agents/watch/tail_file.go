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

	offset int64       // where the first unread line starts
	info   os.FileInfo // file info at the last check; distinguishes this file from another with the same name
	seal   []byte      // content before offset, to detect that the file was rewritten
	skip   bool        // offset is inside a line that is too long
	first  bool        // nothing has been read yet: existing content is history
}

// poll reads the lines that have been added since the last poll. It returns false if the file is
// gone.
func (f *file) poll(ctx context.Context, in *Intake) bool {
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
	if err := f.read(ctx, in); err != nil {
		in.Log.Debug("transcript cannot be read; retrying", "path", f.path, "error", err)
		return true
	}
	f.info = info
	return true
}

// rewind makes the next read start from the beginning, because the file was truncated, replaced or
// rewritten. Facts that were reported before have the same ids and are not recorded again.
func (f *file) rewind() { f.offset, f.skip, f.first, f.seal = 0, false, true, nil }

func (f *file) read(ctx context.Context, in *Intake) error {
	src, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer src.Close()
	if !bytes.Equal(f.seal, sealOf(src, f.offset)) {
		f.rewind()
	}
	if f.first {
		f.describe(ctx, in)
	}
	if _, err := src.Seek(f.offset, io.SeekStart); err != nil {
		return err
	}
	lines := bufio.NewReaderSize(src, 64<<10)
	b := batch{file: f, in: in}
	for ctx.Err() == nil {
		line, size, err := nextLine(lines)
		if errors.Is(err, io.EOF) { // the rest is not a complete line yet
			f.passOver(in, size)
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
			in.metrics.lines.WithLabelValues(lineTooLong).Inc()
			in.Log.Warn("skipped a transcript line that is too long", "path", f.path, "bytes", size)
		default:
			b.add(ctx, line)
		}
	}
	b.send(ctx, true)
	if ctx.Err() == nil {
		f.first = false
	}
	f.seal = sealOf(src, f.offset)
	return nil
}

// sealOf returns the last bytes before offset, to detect later that the file was rewritten.
func sealOf(src io.ReaderAt, offset int64) []byte {
	const length = 64
	seal := make([]byte, min(offset, length))
	n, _ := src.ReadAt(seal, offset-int64(len(seal))) // a shorter file has a shorter seal
	return seal[:n]
}

// passOver skips an incomplete line that is already too long, so that it is not read
// repeatedly.
func (f *file) passOver(in *Intake, size int64) {
	if size <= contracts.LimitTranscriptLine {
		return
	}
	if !f.skip {
		in.metrics.lines.WithLabelValues(lineTooLong).Inc()
		in.Log.Warn("skipped a transcript line that is too long", "path", f.path, "bytes", size)
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

// describe reads the description of a sub-agent's task and queues it; it does nothing for the file
// of a session itself.
func (f *file) describe(ctx context.Context, in *Intake) {
	if f.agent == "" || in.DescribedIn == nil {
		return
	}
	content, err := readSmall(in.DescribedIn(f.path))
	if err != nil {
		return
	}
	if kind, text, ok := in.ParseDescription(content); ok {
		in.send(ctx, &task{session: f.session, agent: f.agent, meta: &description{kind, text}})
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

// batch collects rows that are handled together.
type batch struct {
	file  *file
	in    *Intake
	rows  []guest.Row
	bytes int
	sent  bool
}

func (b *batch) add(ctx context.Context, line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	row, err := b.in.ParseRow(line)
	if err != nil {
		b.in.metrics.lines.WithLabelValues(lineUnread).Inc()
		b.in.Log.Debug("transcript line skipped", "path", b.file.path, "error", err)
		return
	}
	b.in.metrics.lines.WithLabelValues(lineRead).Inc()
	if row == nil {
		return
	}
	head := row.Head()
	b.in.leftOut("transcript "+head.Kind, head.Odd)
	b.rows = append(b.rows, row)
	if b.bytes += len(line); len(b.rows) >= limitRows || b.bytes >= limitRead {
		b.send(ctx, false)
	}
}

// send queues the rows and waits if the queue is full: a transcript is not urgent.
func (b *batch) send(ctx context.Context, last bool) {
	caught := last && b.file.first
	if len(b.rows) == 0 && !caught {
		return
	}
	select {
	case b.in.reading <- struct{}{}:
	case <-ctx.Done():
		return
	}
	b.in.send(ctx, &task{session: b.file.session, agent: b.file.agent, rows: b.rows, history: b.file.first, rewound: b.file.first && !b.sent, caught: caught, slot: true})
	b.rows, b.bytes, b.sent = nil, 0, true
}

func (in *Intake) send(ctx context.Context, t *task) {
	select {
	case in.laneOf(t.session).tasks <- t:
	case <-ctx.Done():
	}
}
