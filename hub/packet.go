package hub

import "github.com/bullpen-office/bullpen/contracts"

// packet collects the content of one write: private frames, the notice of a new segment, frames
// from the log with at most one snapshot among them, then streams.
type packet struct {
	parts [][]byte
	bytes int
	msgs  int
	limit int
	memo  *batchMemo // optional

	exemptFrom, exemptTo int // range of the bytes that belong to the replay and the snapshot
	streams              int // bytes of stream frames, which come last
}

func (p *packet) add(frame []byte) {
	if len(frame) == 0 {
		return
	}
	p.parts = append(p.parts, frame)
	p.bytes += len(frame)
	p.msgs++
}

// exempt marks the bytes from the given offset to the packet's current end as exempt: they do not
// count as lag, no matter how slowly they are sent.
func (p *packet) exempt(from int) { p.exemptFrom, p.exemptTo = from, p.bytes }

// lagBytes returns how many bytes still count as lag once the given number of bytes has been sent:
// those of private frames and of live frames from the log. Snapshots, replay and stream text do not
// count, because a viewer does not choose their size.
func (p *packet) lagBytes(sent int) int {
	left := max(0, p.bytes-p.streams-sent)
	return left - max(0, p.exemptTo-max(p.exemptFrom, sent))
}

// remaining returns the parts that are left after the first n bytes.
func remaining(parts [][]byte, n int) [][]byte {
	for i, part := range parts {
		if n < len(part) {
			rest := append([][]byte{part[n:]}, parts[i+1:]...)
			return rest
		}
		n -= len(part)
	}
	return nil
}

// nextPiece splits off the first LimitWritePiece bytes, which a viewer must accept within one write
// timeout.
func nextPiece(parts [][]byte) (piece, rest [][]byte) {
	room := contracts.LimitWritePiece
	for i, part := range parts {
		if room == 0 {
			return parts[:i], parts[i:]
		}
		if len(part) > room {
			return append(parts[:i:i], part[:room]), remaining(parts[i:], room)
		}
		room -= len(part)
	}
	return parts, nil
}
