package hub

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/gobwas/ws"

	"github.com/bullpen-office/bullpen/contracts"
)

// masked returns a frame as a client sends it, valid or not.
func masked(fin bool, op ws.OpCode, payload []byte) []byte {
	return ws.MustCompileFrame(ws.MaskFrame(ws.NewFrame(op, fin, payload)))
}

func TestW18_InvalidFramesCloseWithACode(t *testing.T) {
	var flood []byte
	flood = append(flood, masked(false, ws.OpText, []byte(`{`))...)
	for range contracts.LimitFragments + 1 {
		flood = append(flood, masked(false, ws.OpContinuation, []byte(" "))...)
	}
	huge := []byte{0x81, 0x80 | 127}
	huge = binary.BigEndian.AppendUint64(huge, contracts.LimitFrame+1)
	huge = append(huge, 1, 2, 3, 4)
	negative := append([]byte{0x81, 0x80 | 127, 0x80, 0, 0, 0, 0, 0, 0, 0}, 1, 2, 3, 4)
	half := bytes.Repeat([]byte("x"), contracts.LimitFrame/2+1)
	cases := map[string]struct {
		frames []byte
		want   contracts.CloseCode
	}{
		"binary":                {masked(true, ws.OpBinary, []byte("{}")), contracts.CloseBinary},
		"unmasked":              {ws.MustCompileFrame(ws.NewTextFrame([]byte("{}"))), contracts.CloseFraming},
		"bad UTF-8":             {masked(true, ws.OpText, []byte("{\"a\":\"\xff\"}")), contracts.CloseNotUTF8},
		"UTF-8 cut in two":      {append(masked(false, ws.OpText, []byte("\xe2\x82")), masked(true, ws.OpContinuation, []byte("\x28"))...), contracts.CloseNotUTF8},
		"oversize":              {huge, contracts.CloseTooBig},
		"oversize in fragments": {append(masked(false, ws.OpText, half), masked(true, ws.OpContinuation, half)...), contracts.CloseTooBig},
		"negative length":       {negative, contracts.CloseFraming},
		"fragment flood":        {flood, contracts.ClosePolicy},
		"reserved opcode":       {masked(true, 3, nil), contracts.CloseFraming},
		"reserved bit":          {[]byte{0xc1, 0x80, 0, 0, 0, 0}, contracts.CloseFraming},
		"continuation first":    {masked(true, ws.OpContinuation, nil), contracts.CloseFraming},
		"text inside fragments": {append(masked(false, ws.OpText, []byte("a")), masked(true, ws.OpText, []byte("b"))...), contracts.CloseFraming},
		"split ping":            {masked(false, ws.OpPing, nil), contracts.CloseFraming},
		"long ping":             {masked(true, ws.OpPing, bytes.Repeat([]byte("x"), 126)), contracts.CloseFraming},
		"close with one byte":   {masked(true, ws.OpClose, []byte{3}), contracts.CloseFraming},
		"close with bad code":   {masked(true, ws.OpClose, []byte{3, 0xed}), contracts.CloseFraming},
		"close with bad reason": {masked(true, ws.OpClose, []byte{3, 0xe8, 0xff}), contracts.CloseNotUTF8},
		"close is echoed":       {masked(true, ws.OpClose, ws.NewCloseFrameBody(1000, "bye")), 1000},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, r *rig) {
				v := r.connect(t)
				v.hello(helloPlain)
				go v.conn.Write(c.frames)
				if code := v.awaitClose(); code != c.want {
					t.Errorf("closed with %d, want %d", code, c.want)
				}
			})
		})
	}
}

func TestW18_InvalidMessagesGetAnError(t *testing.T) {
	deep := strings.Repeat(`{"a":`, contracts.LimitDepth+1) + "1" + strings.Repeat("}", contracts.LimitDepth+1)
	cases := map[string]struct{ msg, code, id string }{
		"not JSON":           {`hello?`, "VALIDATION_FAILED", contracts.UnknownMsgID},
		"empty":              {``, "VALIDATION_FAILED", contracts.UnknownMsgID},
		"array":              {`[]`, "VALIDATION_FAILED", contracts.UnknownMsgID},
		"two values":         {`{} {}`, "VALIDATION_FAILED", contracts.UnknownMsgID},
		"duplicate keys":     {`{"type":"ping","type":"ping","id":"p1","ts":1,"v":1,"payload":{}}`, "VALIDATION_FAILED", ""},
		"too deep":           {`{"type":"ping","id":"p1","ts":1,"v":1,"payload":` + deep + `}`, "VALIDATION_FAILED", ""},
		"no id":              {`{"type":"ping","ts":1,"v":1,"payload":{}}`, "VALIDATION_FAILED", contracts.UnknownMsgID},
		"no type":            {`{"id":"p1","ts":1,"v":1,"payload":{}}`, "VALIDATION_FAILED", "p1"},
		"unknown type":       {`{"type":"dance","id":"p1","ts":1,"v":1,"payload":{}}`, "VALIDATION_FAILED", "p1"},
		"a server's type":    {`{"type":"snapshot","id":"p1","ts":1,"v":1,"payload":{}}`, "NOT_ALLOWED", "p1"},
		"unknown command":    {`{"type":"command","id":"p1","ts":1,"v":1,"payload":{"name":"dance","data":{}}}`, "VALIDATION_FAILED", "p1"},
		"command, no text":   {`{"type":"command","id":"p1","ts":1,"v":1,"payload":{"name":"submit_request","data":{}}}`, "VALIDATION_FAILED", "p1"},
		"subscribe, nothing": {`{"type":"subscribe","id":"p1","ts":1,"v":1,"payload":{}}`, "VALIDATION_FAILED", "p1"},
		"scene as a path":    {`{"type":"subscribe","id":"p1","ts":1,"v":1,"payload":{"scene_id":"no_such","channels":{}}}`, "NOT_FOUND", "p1"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, r *rig) {
				v := r.connect(t)
				v.hello(helloPlain)
				v.write(c.msg)
				m := v.expect(contracts.TypeError)
				if m.Code != c.code || c.id != "" && m.InReplyTo != c.id {
					t.Errorf("got %s", m.raw)
				}
				v.send(contracts.TypePing, `{}`) // the socket stays open
				v.expect(contracts.TypePong)
			})
		})
	}
}

func TestFragmentsAndControlFramesBetweenThem(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		v := r.connect(t)
		msg := []byte(`{"type":"hello","id":"h","ts":1,"v":1,"payload":` + helloPlain + `}`)
		var frames []byte
		frames = append(frames, masked(false, ws.OpText, msg[:10])...)
		frames = append(frames, masked(true, ws.OpPing, []byte("in between"))...)
		frames = append(frames, masked(false, ws.OpContinuation, msg[10:11])...)
		frames = append(frames, masked(true, ws.OpContinuation, msg[11:])...)
		go func() {
			for _, b := range frames { // one byte at a time
				v.conn.Write([]byte{b})
			}
		}()
		if m := v.next(); m.Type != "ws_pong" || m.raw != "in between" {
			t.Errorf("got %+v", m)
		}
		v.expect(contracts.TypeHelloAck)
	})
}

func TestLargestMessageIsRead(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		v := r.connect(t)
		v.hello(helloPlain)
		msg := `{"type":"ping","id":"p1","ts":1,"v":1,"payload":{}}`
		v.write(msg + strings.Repeat(" ", contracts.LimitFrame-len(msg)))
		v.expect(contracts.TypePong)
	})
}
