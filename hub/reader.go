package hub

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"unicode/utf8"

	"github.com/gobwas/ws"

	"github.com/bullpen-office/bullpen/contracts"
)

// closeError is the error that ends a connection with a close code.
type closeError struct {
	code   contracts.CloseCode
	reason string
	peer   bool // the peer closed first, and its code is echoed
}

func (e *closeError) Error() string { return fmt.Sprintf("close %d: %s", e.code, e.reason) }

// frameReader reads a client's messages from a connection. It reads each message into a borrowed
// buffer, and keeps only a small buffer while it waits.
type frameReader struct {
	conn   net.Conn
	limit  int
	r, w   int
	small  [256]byte
	early  []byte  // bytes that arrived with the handshake
	pooled *[]byte // the borrowed buffer, until the message is released
}

// readStep limits how much memory is allocated for bytes that have not arrived yet.
const readStep = 16 << 10

// emptyReads limits reads that return neither bytes nor an error.
const emptyReads = 16

// messages pools buffers for inbound messages.
var messages = sync.Pool{New: func() any { b := make([]byte, 0, 1024); return &b }}

// borrow takes a buffer from the pool; release returns it to the pool.
func (f *frameReader) borrow() []byte {
	if f.pooled == nil {
		f.pooled = messages.Get().(*[]byte)
	}
	return (*f.pooled)[:0]
}

func (f *frameReader) release(msg []byte) {
	if f.pooled == nil {
		return
	}
	if cap(msg) <= readStep { // large buffers are rare and are not kept
		*f.pooled = msg[:0]
		messages.Put(f.pooled)
	}
	f.pooled = nil
}

// message reads the next text message. The caller must release it after use, even on error. control
// is called for each ping or pong in between, and before is called before each wait.
func (f *frameReader) message(before func(), control func(ws.OpCode, []byte)) (msg []byte, err error) {
	state := ws.StateServerSide
	for fragments := 0; ; {
		before()
		h, err := f.header()
		if err != nil {
			return msg, err
		}
		if err := ws.CheckHeader(h, state); err != nil {
			return msg, &closeError{code: contracts.CloseFraming, reason: err.Error()}
		}
		if h.OpCode.IsControl() {
			if err := f.control(h, control); err != nil {
				return msg, err
			}
			continue
		}
		if h.OpCode == ws.OpBinary {
			return msg, &closeError{code: contracts.CloseBinary, reason: "binary messages are not supported; send JSON text"}
		}
		if fragments++; fragments > contracts.LimitFragments {
			return msg, &closeError{code: contracts.ClosePolicy, reason: "too many fragments in one message"}
		}
		if h.Length > int64(f.limit-len(msg)) {
			return msg, &closeError{code: contracts.CloseTooBig, reason: fmt.Sprintf("message exceeds %d bytes", f.limit)}
		}
		if msg == nil {
			msg = f.borrow()
		}
		if msg, err = f.payload(msg, h); err != nil {
			return msg, err
		}
		if !h.Fin {
			state = state.Set(ws.StateFragmented)
			continue
		}
		if !utf8.Valid(msg) {
			return msg, &closeError{code: contracts.CloseNotUTF8, reason: "message is not valid UTF-8"}
		}
		return msg, nil
	}
}

// control reads a ping, pong or close frame.
func (f *frameReader) control(h ws.Header, seen func(ws.OpCode, []byte)) error {
	body, err := f.payload(make([]byte, 0, ws.MaxControlFramePayloadSize), h)
	if err != nil {
		return err
	}
	if h.OpCode != ws.OpClose {
		seen(h.OpCode, body)
		return nil
	}
	switch len(body) {
	case 0:
		return &closeError{peer: true}
	case 1:
		return &closeError{code: contracts.CloseFraming, reason: "a close frame must have an empty payload or a complete status code"}
	}
	code, reason := ws.ParseCloseFrameData(body)
	switch err := ws.CheckCloseFrameData(code, reason); {
	case errors.Is(err, ws.ErrProtocolInvalidUTF8):
		return &closeError{code: contracts.CloseNotUTF8, reason: "the close reason is not valid UTF-8"}
	case err != nil:
		return &closeError{code: contracts.CloseFraming, reason: err.Error()}
	}
	return &closeError{code: contracts.CloseCode(code), peer: true}
}

// header reads a frame header without allocating.
func (f *frameReader) header() (h ws.Header, err error) {
	b, err := f.peek(2)
	if err != nil {
		return h, err
	}
	h.Fin = b[0]&0x80 != 0
	h.Rsv = b[0] >> 4 & 7
	h.OpCode = ws.OpCode(b[0] & 0x0f)
	h.Masked = b[1]&0x80 != 0
	h.Length = int64(b[1] & 0x7f)
	size := 2
	switch h.Length {
	case 126:
		size += 2
	case 127:
		size += 8
	}
	mask := size
	if h.Masked {
		size += 4
	}
	if b, err = f.peek(size); err != nil {
		return h, err
	}
	switch h.Length {
	case 126:
		h.Length = int64(binary.BigEndian.Uint16(b[2:]))
	case 127:
		h.Length = int64(binary.BigEndian.Uint64(b[2:]))
	}
	if h.Length < 0 {
		return h, &closeError{code: contracts.CloseFraming, reason: "negative frame length"}
	}
	copy(h.Mask[:], b[mask:size])
	f.r += size
	return h, nil
}

// peek returns at least the next n bytes without consuming them; n is at most the size of a frame
// header.
func (f *frameReader) peek(n int) ([]byte, error) {
	for f.w-f.r < n {
		if f.r > 0 {
			f.w = copy(f.small[:], f.small[f.r:f.w])
			f.r = 0
		}
		k, err := f.read(f.small[f.w:])
		f.w += k
		if k == 0 && err != nil {
			return nil, err
		}
	}
	return f.small[f.r:f.w], nil
}

// payload appends a frame's unmasked payload to dst.
func (f *frameReader) payload(dst []byte, h ws.Header) ([]byte, error) {
	start, left := len(dst), int(h.Length)
	n := min(left, f.w-f.r)
	dst = append(dst, f.small[f.r:f.r+n]...)
	f.r += n
	left -= n
	for left > 0 {
		at := len(dst)
		step := min(left, readStep)
		if cap(dst)-at < step {
			dst = append(dst, make([]byte, step)...)[:at]
		}
		k, err := f.read(dst[at : at+step])
		dst = dst[:at+k]
		left -= k
		if k == 0 && err != nil {
			return dst, err
		}
	}
	if h.Masked {
		ws.Cipher(dst[start:], h.Mask, 0)
	}
	return dst, nil
}

// read reads from the connection; bytes that arrived with the handshake come first.
func (f *frameReader) read(p []byte) (int, error) {
	if len(f.early) > 0 {
		n := copy(p, f.early)
		if f.early = f.early[n:]; len(f.early) == 0 {
			f.early = nil
		}
		return n, nil
	}
	for range emptyReads {
		if n, err := f.conn.Read(p); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}
