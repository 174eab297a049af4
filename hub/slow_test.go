package hub

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobwas/ws"

	"github.com/bullpen-office/bullpen/contracts"
)

// TestW18_SlowViewerGetsACloseCode checks that a slow viewer that starts reading again in time
// receives complete frames, then close code 4008.
func TestW18_SlowViewerGetsACloseCode(t *testing.T) {
	limits := withConfig(func(c *Config) { c.Limits.QueueMessages = 10 })
	virtual(t, func(t *testing.T, r *rig) {
		conn, rd := r.handshake(t, "/ws/world")
		defer conn.Close()
		c := &client{t: t, conn: conn}
		c.send(contracts.TypeHello, helloPlain)
		ws.ReadFrame(rd)
		c.subscribe(everything)
		ws.ReadFrame(rd)
		start := time.Now()
		for range 30 {
			r.append(note("x"))
			synctest.Wait()
			time.Sleep(contracts.FlushInterval)
		}
		for {
			f, err := ws.ReadFrame(rd)
			if err != nil {
				t.Fatal(err)
			}
			if f.Header.OpCode != ws.OpClose {
				decodeMessage(t, f.Payload)
				continue
			}
			if code, _ := ws.ParseCloseFrameData(f.Payload); contracts.CloseCode(code) != contracts.CloseSlowConsumer {
				t.Errorf("closed with %d", code)
			}
			break
		}
		if d := time.Since(start); d > contracts.CloseGrace {
			t.Errorf("took %v", d)
		}
	}, limits)
}

// TestW18_StuckViewerIsCut checks that a viewer that reads nothing is cut off after the write
// timeout, even if nothing more is published.
func TestW18_StuckViewerIsCut(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		conn, rd := r.handshake(t, "/ws/world")
		defer conn.Close()
		c := &client{t: t, conn: conn}
		c.send(contracts.TypeHello, helloPlain)
		ws.ReadFrame(rd)
		c.subscribe(everything)
		ws.ReadFrame(rd)
		r.append(note("x"))
		time.Sleep(contracts.WriteTimeout + time.Second)
		synctest.Wait()
		if n := r.hub.Health().Sockets; n != 0 {
			t.Errorf("%d sockets are left", n)
		}
	})
}

// slowLine returns a reader that reads at most rate bytes per second.
func slowLine(r io.Reader, rate int) io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		n, err := r.Read(p[:min(len(p), rate/10)])
		time.Sleep(time.Duration(n) * time.Second / time.Duration(rate))
		return n, err
	})
}

// bigCrowd returns an event with n agents, which makes snapshots large.
func bigCrowd(n int) *contracts.Event {
	e := note("crowd")
	for i := range n {
		e.Agents = append(e.Agents, contracts.AgentProfile{AgentID: fmt.Sprint("agent_x", i), Name: "Kim", Role: contracts.RoleWriter})
	}
	return e
}

// TestW18_LargeSnapshotsAreNotLag checks that a viewer on a slow connection receives every snapshot
// and every event, although a snapshot is larger than the queue and takes longer than the write
// timeout. The same holds for a viewer that resumes.
func TestW18_LargeSnapshotsAreNotLag(t *testing.T) {
	const rate = 40_000
	limits := withConfig(func(c *Config) {
		c.Limits.QueueBytes = 50_000
		c.Limits.WriteTimeout = 2 * time.Second
	})
	virtual(t, func(t *testing.T, r *rig) {
		cursor := r.append(bigCrowd(1200))
		synctest.Wait()
		for _, hello := range []string{helloPlain, helloResume(cursor, "")} {
			conn, rd := r.handshake(t, "/ws/world")
			v := &client{t: t, conn: conn, got: make(chan message, 1<<12)}
			go v.read(slowLine(rd, rate))
			v.hello(hello)
			v.subscribe(`{"events":true,"snapshots":true}`)
			var snapshots, events int
			for snapshots < 4 {
				if m := v.next(); m.Type == contracts.TypeSnapshot {
					if len(m.raw) < max(r.hub.limits.QueueBytes, 2*rate) {
						t.Fatalf("a snapshot of %d bytes is too small for this test", len(m.raw))
					}
					snapshots++
					r.append(note("x"))
				} else if m.Type == contracts.TypeEvent {
					events++
				} else {
					t.Fatalf("got %s %s %d", m.Type, m.raw, m.closed)
				}
			}
			if events < snapshots-2 {
				t.Errorf("%d events between %d snapshots", events, snapshots)
			}
			if err := v.drained(); err != nil {
				t.Error(err)
			}
		}
	}, limits)
}

// TestW18_LogFramesAreLag checks that frames from the log count as lag even while a snapshot is
// being sent.
func TestW18_LogFramesAreLag(t *testing.T) {
	limits := withConfig(func(c *Config) { c.Limits.QueueBytes = 50_000 })
	virtual(t, func(t *testing.T, r *rig) {
		r.append(bigCrowd(1200))
		synctest.Wait()
		conn, rd := r.handshake(t, "/ws/world")
		v := &client{t: t, conn: conn, got: make(chan message, 1<<12)}
		go v.read(slowLine(rd, 40_000))
		defer v.drained()
		v.hello(helloPlain)
		v.subscribe(`{"events":true,"snapshots":true}`)
		synctest.Wait()
		r.append(note("%s", strings.Repeat("x", 60_000)))
		time.Sleep(contracts.CloseGrace * 2)
		synctest.Wait()
		if n := counted(t, r.hub.metrics.closes.WithLabelValues("4008")); n != 1 {
			t.Errorf("%v viewers were cut", n)
		}
	}, limits)
}

// TestW8_OneSnapshotInFlight checks that a packet never contains two snapshots, and that only
// replies and frames from the log count as lag.
func TestW8_OneSnapshotInFlight(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		synctest.Wait()
		s := &session{hub: r.hub}
		s.segment = r.hub.noteSegment() // as onHello does
		s.subscribed, s.mask, s.mode = true, chanAll, snapshotsFull
		s.pendingSnapshot = r.hub.joinSnapshot()
		s.pos, s.live = s.pendingSnapshot.pos, s.pendingSnapshot.pos
		r.append(note("x"))
		synctest.Wait()
		r.hub.takeSnapshot()
		s.queue([]byte("reply"))
		first := s.pendingSnapshot.fullFrame()
		p := packet{limit: contracts.LimitFastWrite}
		s.gather(&p, r.hub.tip())
		if n := bytes.Count(bytes.Join(p.parts, nil), []byte(`"type":"snapshot"`)); n != 1 {
			t.Errorf("%d snapshots in one packet", n)
		}
		if want := p.bytes - len(first); p.lagBytes(0) != want || p.lagBytes(len("reply")) != want-len("reply") {
			t.Errorf("lag is %d, without the reply %d, want %d", p.lagBytes(0), p.lagBytes(len("reply")), want)
		}
		if n := p.lagBytes(len("reply") + len(first)/2); n != p.lagBytes(len("reply")) {
			t.Errorf("after half a snapshot the lag is %d", n)
		}
		if n := p.lagBytes(p.bytes); n != 0 {
			t.Errorf("after everything was sent the lag is %d", n)
		}
	})
}

func TestPiecesAreBoundedAndWhole(t *testing.T) {
	var parts [][]byte
	var want []byte
	for i, n := range []int{1, contracts.LimitWritePiece - 1, 5, 3 * contracts.LimitWritePiece, contracts.LimitWritePiece, 7} {
		parts = append(parts, bytes.Repeat([]byte{byte('a' + i)}, n))
		want = append(want, parts[i]...)
	}
	var got []byte
	for len(parts) > 0 {
		var piece [][]byte
		piece, parts = nextPiece(parts)
		b := bytes.Join(piece, nil)
		if len(b) == 0 || len(b) > contracts.LimitWritePiece {
			t.Fatalf("a piece has %d bytes", len(b))
		}
		got = append(got, b...)
	}
	if !bytes.Equal(got, want) {
		t.Error("the pieces do not add up to the original")
	}
}

// TestFlushIsImmediateWhenIdleAndCoalescedUnderLoad checks that the first record is sent
// immediately, and that the records of the next 20 ms are sent in one write.
func TestFlushIsImmediateWhenIdleAndCoalescedUnderLoad(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		c := r.connect(t)
		c.join()
		time.Sleep(time.Second)
		start, writes := time.Now(), counted(t, r.hub.metrics.writes)
		r.append(note("first"))
		c.expect(contracts.TypeEvent)
		if d := time.Since(start); d != 0 {
			t.Errorf("the first record took %v", d)
		}
		for range 10 {
			time.Sleep(time.Millisecond)
			r.append(note("more"))
		}
		for range 10 {
			c.expect(contracts.TypeEvent)
		}
		if d := time.Since(start); d != contracts.FlushInterval {
			t.Errorf("the other records took %v", d)
		}
		synctest.Wait()
		if n := counted(t, r.hub.metrics.writes) - writes; n != 2 {
			t.Errorf("%v writes", n)
		}
	})
}
