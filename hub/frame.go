package hub

import (
	"bytes"
	"encoding/binary"

	"github.com/go-json-experiment/json"
	"github.com/gobwas/ws"

	"github.com/bullpen-office/bullpen/contracts"
)

// headerSize returns the header size of an unmasked frame with a payload of n bytes.
func headerSize(n int) int {
	switch {
	case n < 126:
		return 2
	case n <= 0xffff:
		return 4
	}
	return 10
}

// appendHeader appends the header of an unfragmented, unmasked frame.
func appendHeader(dst []byte, op ws.OpCode, n int) []byte {
	dst = append(dst, 0x80|byte(op))
	switch {
	case n < 126:
		return append(dst, byte(n))
	case n <= 0xffff:
		return binary.BigEndian.AppendUint16(append(dst, 126), uint16(n))
	}
	return binary.BigEndian.AppendUint64(append(dst, 127), uint64(n))
}

func textFrame(msg []byte) []byte {
	dst := make([]byte, 0, headerSize(len(msg))+len(msg))
	return append(appendHeader(dst, ws.OpText, len(msg)), msg...)
}

// controlFrame returns a ping or pong frame; payload must not exceed 125 bytes.
func controlFrame(op ws.OpCode, payload []byte) []byte {
	return append(appendHeader(make([]byte, 0, 2+len(payload)), op, len(payload)), payload...)
}

// closeFrame returns a close frame with a code and a reason; code 0 results in an empty close
// frame.
func closeFrame(code contracts.CloseCode, reason string) []byte {
	if code == 0 {
		return appendHeader(nil, ws.OpClose, 0)
	}
	n := 2 + len(reason)
	dst := appendHeader(make([]byte, 0, 2+n), ws.OpClose, n)
	return append(binary.BigEndian.AppendUint16(dst, uint16(code)), reason...)
}

// frameBody returns the message inside a frame that textFrame created.
func frameBody(frame []byte) []byte {
	switch frame[1] {
	case 126:
		return frame[4:]
	case 127:
		return frame[10:]
	}
	return frame[2:]
}

// payloadMark ends the envelope of a record's message. A quote inside the id is escaped, so the
// first occurrence is the right one.
var payloadMark = []byte(`,"v":1,"payload":{`)

// markReplay appends a record's message to dst with replay:true inserted into its payload.
func markReplay(dst, msg []byte) []byte {
	cut := bytes.Index(msg, payloadMark)
	if cut < 0 || hasReplayFlag(msg[cut+len(payloadMark)-1:len(msg)-1]) {
		return append(dst, msg...)
	}
	cut += len(payloadMark)
	dst = append(dst, msg[:cut]...)
	dst = append(dst, `"replay":true,`...)
	return append(dst, msg[cut:]...)
}

// hasReplayFlag reports whether a payload is already marked as a replay. An adapter that reads old
// transcripts marks its payloads, and a second mark would be a duplicate member.
func hasReplayFlag(payload []byte) bool {
	if !bytes.Contains(payload, []byte(`"replay"`)) {
		return false
	}
	var p struct {
		Replay bool `json:"replay"`
	}
	return json.Unmarshal(payload, &p) == nil && p.Replay
}

// appendFlat appends the flat form of a hud message, which has the payload's members at the same
// level as type, id and ts.
func appendFlat(dst, msg []byte) []byte {
	cut := bytes.Index(msg, payloadMark)
	if cut < 0 {
		return append(dst, msg...)
	}
	dst = append(dst, msg[:cut]...)
	dst = append(dst, ',')
	return append(dst, msg[cut+len(payloadMark):len(msg)-1]...)
}
