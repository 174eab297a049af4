package hub

import (
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/bullpen-office/bullpen/contracts"
)

// checkOrder waits for the given number of messages with a seq, and returns an error if one is
// missing, duplicated or out of order.
func checkOrder(c *client, last uint64, wanted int) error {
	for n := 0; n < wanted; {
		m, ok := c.poll(3 * time.Minute)
		if !ok {
			return fmt.Errorf("got %d of %d messages", n, wanted)
		}
		if m.Type == contracts.TypeSnapshot {
			continue
		}
		if m.Type == "close" {
			return fmt.Errorf("closed with %d after %d of %d messages", m.closed, n, wanted)
		}
		if m.Seq != last+1 {
			return fmt.Errorf("seq %d after %d", m.Seq, last)
		}
		last = m.Seq
		n++
	}
	return nil
}

func TestW8_EveryViewerSeesEverythingOnceInOrder(t *testing.T) {
	r := newRig(t, overTCP)
	defer r.stop()
	const viewers, records = 32, 1000
	errs := make(chan error, viewers)
	var joined sync.WaitGroup
	for i := range viewers {
		joined.Add(1)
		c := r.connect(t)
		go func() {
			defer c.drained()
			c.hello(helloPlain)
			channels := everything
			if i%2 == 1 {
				channels = `{"events":true,"snapshots":true}`
			}
			c.subscribe(channels)
			snap := c.expect(contracts.TypeSnapshot)
			joined.Done()
			errs <- checkOrder(c, snap.Seq, records)
		}()
	}
	joined.Wait()
	for i := range records {
		r.append(note("%d", i))
	}
	for range viewers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

func TestW10_ReplyComesBeforeWhatItCaused(t *testing.T) {
	r := newRig(t, overTCP)
	defer r.stop()
	stop := make(chan struct{})
	var noise sync.WaitGroup
	noise.Go(func() { // too few records to exceed the lag limit of any viewer
		for range contracts.LimitSendQueueMsgs / 2 {
			select {
			case <-stop:
				return
			default:
				r.append(note("noise"))
			}
		}
	})
	var people sync.WaitGroup
	for i := range 8 {
		c := r.connect(t)
		people.Go(func() {
			defer c.drained()
			c.prefix = fmt.Sprint("p", i, "_")
			c.join()
			for range contracts.RequestsPerMinute {
				id := c.submit()
				for replied := false; ; {
					m := c.next()
					if m.InReplyTo == id {
						replied = true
					}
					if m.Note == id && !replied {
						t.Errorf("%s came before the reply", m.raw)
					}
					if m.Note == id && m.Type == contracts.TypeChat {
						break
					}
				}
			}
		})
	}
	people.Wait()
	close(stop)
	noise.Wait()
}

// TestW10_HeldUntilReplied checks that a caller receives the reply to a command before the records
// that the command caused, even if the office replies long after other viewers have received them.
func TestW10_HeldUntilReplied(t *testing.T) {
	r := newRig(t, overTCP)
	defer r.stop()
	visible := make(chan struct{})
	r.office.do = func(contracts.Command) contracts.Reply {
		seq := r.append(note("effect"))
		<-visible
		return contracts.Reply{Seq: seq}
	}
	a, b := r.connect(t), r.connect(t)
	defer a.drained()
	defer b.drained()
	a.join()
	b.join()
	id := a.submit()
	if m := b.expect(contracts.TypeEvent); m.Note != "effect" {
		t.Fatalf("got %s", m.raw)
	}
	close(visible)
	if m := a.expect(contracts.TypeAck); m.InReplyTo != id {
		t.Errorf("got %s", m.raw)
	}
	if m := a.expect(contracts.TypeEvent); m.Note != "effect" {
		t.Errorf("got %s", m.raw)
	}
}

// TestW18_SlowViewerIsCutAndResumes checks that a viewer that stops reading is disconnected with
// code 4008 and loses nothing across the resume, and that other viewers are not affected.
func TestW18_SlowViewerIsCutAndResumes(t *testing.T) {
	r := newRig(t, overTCP)
	defer r.stop()
	fast := r.connect(t)
	defer fast.drained()
	start := fast.join()

	conn, rd := r.handshake(t, "/ws/world")
	conn.(*net.TCPConn).SetReadBuffer(4096)
	slow := &client{t: t, conn: conn, got: make(chan message, 1<<16)}
	hold := make(chan struct{})
	var once sync.Once
	go slow.read(readerFunc(func(p []byte) (int, error) {
		if len(slow.got) > 3 {
			once.Do(func() { <-hold })
		}
		return rd.Read(p)
	}))
	slow.join()
	batch := make([]contracts.Body, 20)
	for i := range batch {
		batch[i] = note("%s", strings.Repeat("x", 10_000))
	}
	records := 0
	for counted(t, r.hub.metrics.closes.WithLabelValues("4008")) == 0 {
		if records += len(batch); records > 3000 {
			t.Fatal("the slow viewer was never closed")
		}
		last := r.append(batch...)
		if err := checkOrder(fast, last-uint64(len(batch)), len(batch)); err != nil {
			t.Fatalf("the fast viewer: %v", err)
		}
	}
	close(hold)
	last := start.Seq
	for m := range slow.got {
		if m.Type == contracts.TypeEvent {
			if m.Seq != last+1 {
				t.Fatalf("slow viewer got %d after %d", m.Seq, last)
			}
			last = m.Seq
		}
	}
	again := r.connect(t)
	defer again.drained()
	if ack := again.hello(helloResume(last, start.ID)); ack.Resume.Reason != contracts.ResumeCursorOK {
		t.Fatalf("resume %+v", ack.Resume)
	}
	again.subscribe(everything)
	if err := checkOrder(again, last, int(r.ledger.Head()-last)); err != nil {
		t.Error(err)
	}
}

func counted(t *testing.T, c prometheus.Counter) float64 {
	t.Helper()
	var m dto.Metric
	if err := c.Write(&m); err != nil {
		t.Fatal(err)
	}
	return m.GetCounter().GetValue()
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestW9_ReconnectStorm checks that all viewers can drop and resume at the same time while records
// are being appended.
func TestW9_ReconnectStorm(t *testing.T) {
	r := newRig(t, overTCP)
	defer r.stop()
	const viewers = 250
	cursor := r.append(note("start"))
	for i := range 200 {
		r.append(note("missed %d", i))
	}
	stop := make(chan struct{})
	var noise, crowd sync.WaitGroup
	noise.Go(func() { // too few records to exceed the lag limit of any viewer
		for range contracts.LimitSendQueueMsgs / 2 {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				r.append(note("live"))
			}
		}
	})
	gate := make(chan struct{}, 64) // keeps the listener's backlog from overflowing
	var failed atomic.Int64
	for i := range viewers {
		crowd.Go(func() {
			gate <- struct{}{}
			conn, rd := r.handshake(t, "/ws/world")
			<-gate
			c := &client{t: t, conn: conn, got: make(chan message, 1<<12)}
			go c.read(rd)
			defer c.drained()
			if ack := c.hello(helloResume(cursor-uint64(i%2), "")); ack.Resume.Reason != contracts.ResumeCursorOK {
				failed.Add(1)
				return
			}
			c.subscribe(everything)
			if err := checkOrder(c, cursor-uint64(i%2), 250); err != nil {
				t.Error(err)
				failed.Add(1)
			}
		})
	}
	crowd.Wait()
	close(stop)
	noise.Wait()
	if n := failed.Load(); n > 0 {
		t.Errorf("%d of %d viewers did not catch up", n, viewers)
	}
}

// TestCloseFrameReachesAClientThatStillSends checks that a client receives the close frame if its
// message is too large and is refused while most of it is still in transit.
func TestCloseFrameReachesAClientThatStillSends(t *testing.T) {
	r := newRig(t, overTCP)
	defer r.stop()
	c := r.connect(t)
	c.hello(helloPlain)
	go func() {
		ws.WriteHeader(c.conn, ws.Header{Fin: true, OpCode: ws.OpText, Masked: true, Length: 64 << 20})
		io.CopyN(c.conn, readerFunc(func(p []byte) (int, error) { return len(p), nil }), 4<<20)
	}()
	if code := c.awaitClose(); code != contracts.CloseTooBig {
		t.Errorf("code %d", code)
	}
}
