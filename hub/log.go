package hub

import (
	"sort"

	"github.com/gobwas/ws"

	"github.com/bullpen-office/bullpen/contracts"
)

// entry is one frame in a chunk.
type entry struct {
	seq uint64
	off uint32
	n   uint32
	bit channel
}

// chunk is a run of frames stored end to end. Its bytes never change once stored, so they are
// written to viewers' sockets without being copied.
type chunk struct {
	first   uint64 // position of entries[0]
	abs     uint64 // bytes in the log before this chunk
	entries []entry
	buf     []byte
}

func (c *chunk) end() uint64 { return c.first + uint64(len(c.entries)) }

func (c *chunk) frame(i int) []byte {
	e := &c.entries[i]
	return c.buf[e.off : e.off+e.n : e.off+e.n]
}

// span returns the bytes of entries [i, j).
func (c *chunk) span(i, j int) []byte {
	if i >= j {
		return nil
	}
	last := &c.entries[j-1]
	return c.buf[c.entries[i].off : last.off+last.n : last.off+last.n]
}

// frameLog holds the newest part of the timeline as encoded frames. A position counts frames since
// the log was created. The owner's lock guards the log.
type frameLog struct {
	limit  int
	chunks []*chunk
	bytes  int    // memory used for frames and index
	abs    uint64 // total bytes written to the log
	end    uint64 // position after the newest frame
	since  uint64 // all visible records after this seq are in the log
	head   uint64 // seq of the last record that was added, visible or not
	msg    []byte // scratch buffer
}

func newFrameLog(limit int, head uint64) *frameLog {
	return &frameLog{limit: limit, since: head, head: head}
}

// base returns the position of the oldest frame in the log.
func (l *frameLog) base() uint64 {
	if len(l.chunks) == 0 {
		return l.end
	}
	return l.chunks[0].first
}

// add adds a record to the log. The record is framed only if viewers may see it.
func (l *frameLog) add(r *contracts.Record) {
	l.head = r.Seq
	bit := channelOf(r.Kind)
	if bit == 0 {
		return
	}
	l.msg = r.AppendMessage(l.msg[:0])
	l.put(r.Seq, bit, l.msg)
}

// put appends a message to the log as a frame, and drops the oldest chunks while the log exceeds
// its limit.
func (l *frameLog) put(seq uint64, bit channel, msg []byte) {
	n := headerSize(len(msg)) + len(msg)
	c := l.chunkFor(n)
	off := len(c.buf)
	c.buf = appendHeader(c.buf, ws.OpText, len(msg))
	c.buf = append(c.buf, msg...)
	c.entries = append(c.entries, entry{seq: seq, off: uint32(off), n: uint32(n), bit: bit})
	l.bytes += n
	l.abs += uint64(n)
	l.end++
	for l.bytes > l.limit && len(l.chunks) > 1 {
		l.drop()
	}
}

// chunkFor returns the newest chunk if n more bytes fit into it, otherwise a new chunk.
func (l *frameLog) chunkFor(n int) *chunk {
	if k := len(l.chunks); k > 0 {
		if c := l.chunks[k-1]; cap(c.buf)-len(c.buf) >= n {
			return c
		}
	}
	size := min(contracts.LimitChunk, max(l.limit/8, 1))
	c := &chunk{first: l.end, abs: l.abs, buf: make([]byte, 0, max(size, n))}
	l.chunks = append(l.chunks, c)
	return c
}

func (l *frameLog) drop() {
	c := l.chunks[0]
	l.chunks[0] = nil
	l.chunks = l.chunks[1:]
	l.bytes -= len(c.buf)
	l.since = c.entries[len(c.entries)-1].seq
}

// after returns the position of the first frame whose record comes after seq; ok is false if such
// frames may already have been dropped.
func (l *frameLog) after(seq uint64) (pos uint64, ok bool) {
	if seq < l.since {
		return 0, false
	}
	k := sort.Search(len(l.chunks), func(i int) bool {
		c := l.chunks[i]
		return c.entries[len(c.entries)-1].seq > seq
	})
	if k == len(l.chunks) {
		return l.end, true
	}
	c := l.chunks[k]
	i := sort.Search(len(c.entries), func(i int) bool { return c.entries[i].seq > seq })
	return c.first + uint64(i), true
}

// at returns the index of the chunk that contains a position.
func (l *frameLog) at(pos uint64) int {
	return sort.Search(len(l.chunks), func(i int) bool { return l.chunks[i].end() > pos })
}

// visit calls fn with the parts of [from, to), chunk by chunk, until fn returns false.
func (l *frameLog) visit(from, to uint64, fn func(c *chunk, i, j int) bool) {
	for k := l.at(from); k < len(l.chunks) && from < to; k++ {
		c := l.chunks[k]
		i, j := int(from-c.first), int(min(to, c.end())-c.first)
		if !fn(c, i, j) {
			return
		}
		from = c.end()
	}
}

// backlog returns the number of frames in [from, end) that match a mask, and their size in bytes.
func (l *frameLog) backlog(from uint64, mask channel) (msgs, bytes int) {
	l.visit(max(from, l.base()), l.end, func(c *chunk, i, j int) bool {
		if mask == chanAll {
			msgs, bytes = msgs+j-i, bytes+len(c.span(i, j))
			return true
		}
		for ; i < j; i++ {
			if e := &c.entries[i]; e.bit&mask != 0 {
				msgs, bytes = msgs+1, bytes+int(e.n)
			}
		}
		return true
	})
	return msgs, bytes
}
