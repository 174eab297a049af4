//go:build unix

package hub

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"github.com/bullpen-office/bullpen/contracts"
)

// crowd connects n viewers over loopback and passes each connection to drain.
func crowd(tb testing.TB, r *rig, n int, drain func(net.Conn)) []net.Conn {
	tb.Helper()
	conns := make([]net.Conn, n)
	var wg sync.WaitGroup
	gate := make(chan struct{}, 32)
	for i := range conns {
		wg.Go(func() {
			gate <- struct{}{}
			defer func() { <-gate }()
			conn, rd := r.handshake(tb, "/ws/world")
			c := &client{t: tb, conn: conn}
			c.send(contracts.TypeHello, helloPlain)
			ws.ReadFrame(rd)
			c.subscribe(everything)
			ws.ReadFrame(rd)
			conns[i] = conn
			if drain != nil {
				go drain(conn)
			}
		})
	}
	wg.Wait()
	return conns
}

func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkFanout measures sending one record to 1000 viewers on loopback, from the append to the
// last byte that the last viewer reads. CPU time includes the viewers.
func BenchmarkFanout(b *testing.B) {
	for _, burst := range []int{1, 16} {
		b.Run(fmt.Sprintf("burst=%d", burst), func(b *testing.B) { benchmarkFanout(b, burst) })
	}
}

func benchmarkFanout(b *testing.B, burst int) {
	const viewers = 1000
	r := newRig(b, overTCP)
	defer r.stop()
	text := strings.Repeat("x", 180)
	r.made.Store(10_000_000) // ids and seqs have equal lengths, so all frames have the same size
	r.warm(100_000)
	size := len(textFrame(func() []byte { rec := r.record(note("%s", text)); rec.Seq = 100_000; return rec.AppendMessage(nil) }()))
	var arrived sync.WaitGroup
	conns := crowd(b, r, viewers, func(c net.Conn) {
		buf := make([]byte, 64<<10)
		for left := size * burst; ; {
			n, err := c.Read(buf)
			if err != nil {
				return
			}
			for left -= n; left <= 0; left += size * burst {
				arrived.Done()
			}
		}
	})
	bodies := make([]contracts.Body, burst)
	for i := range bodies {
		bodies[i] = note("%s", text)
	}
	start := cpu()
	for b.Loop() {
		arrived.Add(viewers)
		r.append(bodies...)
		arrived.Wait()
	}
	b.ReportMetric(float64((cpu()-start).Microseconds())/float64(b.N*viewers*burst), "cpu-us/delivery")
	for _, c := range conns {
		c.Close()
	}
}

// warm appends records until the next record's seq is at least head, so that all seqs in a
// benchmark have the same number of digits.
func (r *rig) warm(head uint64) {
	for r.ledger.Head() < head-1 {
		n := min(500, head-1-r.ledger.Head())
		bodies := make([]contracts.Body, n)
		for i := range bodies {
			bodies[i] = &contracts.Receipt{CommandID: "c"}
		}
		r.append(bodies...)
	}
}
