package hub

import "github.com/bullpen-office/bullpen/contracts"

// parcel collects the content of one write: private frames, the notice of a new segment, frames from
// the log with at most one snapshot among them, then streams.
type parcel struct {
	parts [][]byte
	bytes int
	msgs  int
	limit int
	memo  *batchMemo // optional

	spareFrom, spareTo int // range of the bytes that belong to the replay and the snapshot
	streams            int // bytes of stream frames, which come last
}

func (p *parcel) add(frame []byte) {
	if len(frame) == 0 {
		return
	}
	p.parts = append(p.parts, frame)
	p.bytes += len(frame)
	p.msgs++
}

// spare exempts all bytes from the given offset on: they do not count as lag, no matter how slowly
// they are sent.
func (p *parcel) spare(from int) { p.spareFrom, p.spareTo = from, p.bytes }

// owed returns how many bytes still count as lag once the given number of bytes has been sent: the
// bytes of private frames and of live frames from the log. Snapshots, replay and the text of
// streams do not count, because a viewer does not choose their size.
func (p *parcel) owed(sent int) int {
	left := max(0, p.bytes-p.streams-sent)
	return left - max(0, p.spareTo-max(p.spareFrom, sent))
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
