package jetstream_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/jetstream"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
)

// BenchmarkAppend compares appends with a bare publisher, on three servers, in one run. The
// publisher's stream has the same settings. "of-bare" is the append rate divided by the publisher's
// rate.
func BenchmarkAppend(b *testing.B) {
	c := natstest.Start(b, 3)
	l, err := jetstream.Open(b.Context(), jetstream.Config{URL: c.URL(), Office: "bench", Replicas: 3})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	if err := l.Lead(b.Context()); err != nil {
		b.Fatal(err)
	}
	body := make([]byte, 300)
	for i := range body {
		body[i] = 'a'
	}
	body = fmt.Appendf(nil, `{"text":%q}`, body)
	var id atomic.Uint64
	write := func() error {
		n := id.Add(1)
		return l.Append(b.Context(), ledger.AnySeq, []contracts.Record{{TS: int64(n), Kind: contracts.KindEvent, ID: fmt.Sprint(n), Body: body}})
	}
	publish := barePublisher(b, c, body)
	for _, producers := range []int{1, 64} {
		b.Run(fmt.Sprintf("producers=%d", producers), func(b *testing.B) {
			var ours, bare time.Duration
			for n := b.N; n > 0; n -= 2000 { // alternately, so that both run under the same conditions
				ours += together(b, producers, min(n, 2000), write)
				bare += together(b, producers, min(n, 2000), publish)
			}
			b.ReportMetric(bare.Seconds()/ours.Seconds(), "of-bare")
			b.ReportMetric(float64(b.N)/ours.Seconds(), "appends/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// barePublisher returns a function that publishes a message to a separate stream.
func barePublisher(b *testing.B, c *natstest.Cluster, body []byte) func() error {
	b.Helper()
	conn, err := nats.Connect(c.URL())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(conn.Close)
	stream, err := js.New(conn)
	if err != nil {
		b.Fatal(err)
	}
	_, err = stream.CreateStream(b.Context(), js.StreamConfig{Name: "BARE", Subjects: []string{"bare.>"}, Storage: js.FileStorage, Replicas: 3, AllowDirect: true, AllowAtomicPublish: true, Duplicates: time.Second})
	if err != nil {
		b.Fatal(err)
	}
	return func() error {
		_, err := stream.Publish(context.Background(), "bare.event", body)
		return err
	}
}

// together makes the given number of producers call fn n times in total, and returns the elapsed
// time.
func together(b *testing.B, producers, n int, fn func() error) time.Duration {
	b.Helper()
	var left atomic.Int64
	left.Store(int64(n))
	began := time.Now()
	var running sync.WaitGroup
	for range producers {
		running.Go(func() {
			for left.Add(-1) >= 0 {
				if err := fn(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	running.Wait()
	return time.Since(began)
}
