package sim

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gobwas/ws"

	"github.com/bullpen-office/bullpen/contracts"
)

// stretch is a part of the timeline that a viewer saw without a gap.
type stretch struct {
	after, upTo uint64
	seen        []string // ids of records
}

// viewer is a world socket client that keeps its place in the timeline across connections.
type viewer struct {
	name    string
	history *history
	plan    viewerPlan
	rand    *rand.Rand

	conn      net.Conn
	rd        *bufio.Reader
	epoch     string
	segment   string
	snapshot  string // id of the last snapshot
	stretches []stretch
	world     contracts.Snapshot // the last snapshot
	asked     string             // id of the command that is waiting for a reply
	reply     *contracts.Reply   // the reply to that command
	wrong     []string           // errors in what the hub sent
}

func (h *history) newViewer(name string, p viewerPlan) *viewer {
	v := &viewer{name: name, history: h, plan: p, rand: source(h.plan.seed, name)}
	h.viewers = append(h.viewers, v)
	return v
}

// watch connects, and reconnects whenever the connection ends, until ctx is done.
func (v *viewer) watch(ctx context.Context) {
	for ctx.Err() == nil {
		if err := v.connect(ctx); err == nil {
			conn := v.conn
			stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
			for v.next() == nil {
				if v.history.active() && v.rand.Float64() < v.plan.drops {
					break
				}
				if v.history.active() {
					time.Sleep(v.plan.pause)
				}
			}
			stop()
			_ = conn.Close()
		}
		time.Sleep(between(v.rand, 10*time.Millisecond, time.Second))
	}
}

// connect opens a connection and sends hello, with the position to resume from.
func (v *viewer) connect(ctx context.Context) error {
	d := ws.Dialer{NetDial: v.history.await().door.dial}
	conn, rd, _, err := d.Dial(ctx, "ws://sim/ws/world")
	if err != nil {
		return err
	}
	if rd == nil {
		rd = bufio.NewReader(conn)
	}
	v.conn, v.rd = conn, rd
	hello := contracts.Hello{SupportedVersions: []int{contracts.ProtocolVersion}, Client: contracts.ClientInfo{ID: v.name, Name: v.name}}
	if len(v.stretches) > 0 {
		hello.Resume = &contracts.Resume{LastSeq: v.last().upTo, LastSnapshotID: v.snapshot, Epoch: v.epoch, Segment: v.segment}
	}
	return v.send(contracts.TypeHello, fmt.Sprint("msg_", v.history.next()), hello)
}

func (v *viewer) last() *stretch { return &v.stretches[len(v.stretches)-1] }

func (v *viewer) send(t contracts.MessageType, id string, payload any) error {
	b, err := contracts.AppendEnvelope(nil, t, id, time.Now().UnixMilli(), payload)
	if err != nil {
		return err
	}
	return ws.WriteFrame(v.conn, ws.MaskFrame(ws.NewTextFrame(b)))
}

// everything lists the channels that carry records.
var everything = contracts.Channels{Events: true, Goals: true, Chat: true, HUD: true, UI: true}

// next processes the next message. It fails when the connection ends.
func (v *viewer) next() error {
	f, err := ws.ReadFrame(v.rd)
	if err != nil {
		return err
	}
	switch f.Header.OpCode {
	case ws.OpClose:
		return net.ErrClosed
	case ws.OpPing:
		return ws.WriteFrame(v.conn, ws.MaskFrame(ws.NewPongFrame(f.Payload)))
	}
	return v.take(f.Payload)
}

// message contains the members of a message that a viewer reads.
type message struct {
	Type    contracts.MessageType `json:"type"`
	ID      string                `json:"id"`
	Payload jsontext.Value        `json:"payload"`
}

func (v *viewer) take(b []byte) error {
	var m message
	if err := json.Unmarshal(b, &m); err != nil {
		return err
	}
	switch m.Type {
	case contracts.TypeHelloAck:
		return v.welcome(m.Payload)
	case contracts.TypeSnapshot:
		return v.applySnapshot(m)
	case contracts.TypeAck, contracts.TypeError:
		return v.answered(m)
	}
	var p struct {
		Seq uint64 `json:"seq"`
	}
	if err := json.Unmarshal(m.Payload, &p); err != nil || p.Seq == 0 { // not a record
		return err
	}
	if p.Seq <= v.last().upTo {
		v.addError("record %d arrived after record %d", p.Seq, v.last().upTo)
	}
	v.last().upTo = p.Seq
	v.last().seen = append(v.last().seen, m.ID)
	return nil
}

// welcome subscribes, and records whether the timeline continues.
func (v *viewer) welcome(payload jsontext.Value) error {
	var ack contracts.HelloAck
	if err := json.Unmarshal(payload, &ack); err != nil {
		return err
	}
	v.epoch, v.segment = ack.Epoch, ack.Segment
	if ack.Resume == nil || ack.Resume.Reason != contracts.ResumeCursorOK {
		if ack.Resume != nil && ack.Resume.Reason != contracts.ResumeReplayUnavailable {
			v.addError("resume after %d refused: %s", v.last().upTo, ack.Resume.Reason)
		}
		v.stretches = append(v.stretches, stretch{})
	}
	return v.send(contracts.TypeSubscribe, fmt.Sprint("msg_", v.history.next()), contracts.Subscribe{SceneID: ack.SceneID, Channels: everything})
}

// applySnapshot replaces the viewer's world with a full snapshot. A stretch starts with its first
// snapshot.
func (v *viewer) applySnapshot(m message) error {
	var s contracts.Snapshot
	if err := json.Unmarshal(m.Payload, &s); err != nil {
		return err
	}
	at := v.last()
	if at.upTo == 0 {
		at.after = s.Seq
	} else if s.Seq < at.upTo {
		v.addError("a snapshot at %d arrived after record %d", s.Seq, at.upTo)
	}
	at.upTo, v.snapshot, v.world = s.Seq, m.ID, s
	return nil
}

func (v *viewer) addError(format string, args ...any) {
	v.wrong = append(v.wrong, fmt.Sprintf(format, args...))
}
