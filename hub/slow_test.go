package hub

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobwas/ws"

	"github.com/bullpen-office/bullpen/contracts"
)

// TestW18_SlowViewerIsToldWhy: a viewer that wakes up in time finds 4008 after
// whole frames.
func TestW18_SlowViewerIsToldWhy(t *testing.T) {
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

// TestW18_StuckViewerIsCut: one that takes nothing at all is cut after the write
// timeout even when nothing more is published.
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
			t.Errorf("%d sockets left", n)
		}
	})
}

// TestFlushIsAtOnceWhenQuietAndCoalescedUnderLoad: the first record goes out at
// once, those of the next 20 ms in one write.
func TestFlushIsAtOnceWhenQuietAndCoalescedUnderLoad(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		c := r.connect(t)
		c.join()
		time.Sleep(time.Second)
		start, writes := time.Now(), counted(t, r.hub.metrics.writes)
		r.append(note("first"))
		c.expect(contracts.TypeEvent)
		if d := time.Since(start); d != 0 {
			t.Errorf("the first took %v", d)
		}
		for range 10 {
			time.Sleep(time.Millisecond)
			r.append(note("more"))
		}
		for range 10 {
			c.expect(contracts.TypeEvent)
		}
		if d := time.Since(start); d != contracts.FlushInterval {
			t.Errorf("the others took %v", d)
		}
		synctest.Wait()
		if n := counted(t, r.hub.metrics.writes) - writes; n != 2 {
			t.Errorf("%v writes", n)
		}
	})
}
