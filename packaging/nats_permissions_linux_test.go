package packaging_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// checkBuckets checks that the nodes' user has permission for everything that the nodes have
// created in the cluster. Buckets are checked by name, and streams by subject.
func checkBuckets(t *testing.T, url string) {
	t.Helper()
	denied := make(chan error, 64)
	conn, err := nats.Connect(url, nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
		select {
		case denied <- err:
		default:
		}
	}))
	must(t, err)
	defer conn.Close()
	js, err := jetstream.New(conn)
	must(t, err)
	conf, count := read(t, "packaging/compose/nodes/nats.conf"), 0
	streams := js.ListStreams(t.Context())
	for info := range streams.Info() {
		for _, subject := range info.Config.Subjects {
			if !strings.HasPrefix(subject, "bullpen.") && !strings.Contains(conf, `"`+subject+`"`) {
				t.Errorf("nodes may not publish to %s of stream %s", subject, info.Config.Name)
			}
		}
		if bucket, ok := strings.CutPrefix(info.Config.Name, "KV_"); ok {
			watchBucket(t, js, bucket, denied)
			count++
		}
	}
	if must(t, streams.Err()); count != len(buckets(t)) {
		t.Errorf("the nodes have created %d buckets, package cluster names %v", count, buckets(t))
	}
}

// watchBucket watches more messages than a server sends before waiting for the watcher's
// flow-control reply. A watcher without permission to reply receives no more messages.
func watchBucket(t *testing.T, js jetstream.JetStream, bucket string, denied <-chan error) {
	t.Helper()
	kv, err := js.KeyValue(t.Context(), bucket)
	must(t, err)
	w, err := kv.Watch(t.Context(), "probe.>", jetstream.UpdatesOnly())
	must(t, err)
	defer w.Stop()
	const many = 64
	for i := range many {
		key := fmt.Sprint("probe.", i)
		eventually(t, key+" is stored in bucket "+bucket, func() bool {
			_, err := kv.Put(t.Context(), key, make([]byte, 64<<10))
			return err == nil
		})
	}
	for i := range many {
		select {
		case <-w.Updates():
		case err := <-denied:
			t.Fatalf("bucket %s, after %d of %d updates: %v", bucket, i, many, err)
		}
	}
}
