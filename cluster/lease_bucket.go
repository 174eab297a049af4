package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/bullpen-office/bullpen/contracts"
)

// bucket holds the leases of all offices in an installation.
const bucket = "BULLPEN_LEASES"

// open opens the lease bucket, and creates it if it is missing.
func (l *Lease) open(ctx context.Context) (err error) {
	if l.js, err = jetstream.New(l.cfg.Conn); err != nil {
		return err
	}
	var status jetstream.KeyValueStatus
	err = retry(ctx, func(ctx context.Context) (err error) {
		l.kv, err = l.js.KeyValue(ctx, bucket)
		if errors.Is(err, jetstream.ErrBucketNotFound) {
			if err = l.create(ctx); err == nil {
				l.kv, err = l.js.KeyValue(ctx, bucket)
			}
		}
		if err == nil {
			status, err = l.kv.Status(ctx)
		}
		return err
	})
	if err == nil && status.LimitMarkerTTL() == 0 {
		err = fmt.Errorf("bucket %s was not created by Bullpen (its leases do not expire); stop all nodes, then delete it", bucket)
	}
	return err
}

// create creates the bucket, unless another node has already created it.
func (l *Lease) create(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, contracts.JetStreamAttempt)
	defer cancel()
	_, err := l.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: bucket, History: 1, Storage: jetstream.FileStorage, Replicas: l.cfg.Replicas, LimitMarkerTTL: contracts.LeaseMarker,
		Description: "nodes that serve each Bullpen office, and each office's writer",
	})
	if errors.Is(err, jetstream.ErrBucketExists) {
		return nil
	}
	return err
}
