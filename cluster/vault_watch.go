package cluster

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/bullpen-office/bullpen/contracts"
)

// run follows changes to the office's credentials until ctx is done.
func (v *Vault) run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := v.follow(ctx); err != nil && ctx.Err() == nil {
			v.cfg.Log.Warn("cannot watch the office's credentials; retrying", "error", err)
			pause(ctx)
		}
	}
}

// follow applies changes as NATS reports them. It returns when it finds that a change was not
// reported in time.
func (v *Vault) follow(ctx context.Context) error {
	w, err := v.kv.Watch(ctx, v.cfg.Office+".>")
	if err != nil {
		return err
	}
	defer w.Stop()
	v.mu.Lock()
	clear(v.links)
	v.mu.Unlock()
	tick := time.NewTicker(contracts.AccessCheck)
	defer tick.Stop()
	for {
		select {
		case entry, open := <-w.Updates():
			if !open {
				return errors.New("NATS ended the watch")
			}
			if entry != nil { // nil marks the end of the existing entries
				v.apply(entry)
			}
		case <-tick.C:
			_, before, _ := v.Read()
			v.Sync()
			if _, now, _ := v.Read(); now != before {
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (v *Vault) apply(entry jetstream.KeyValueEntry) {
	put := entry.Operation() == jetstream.KeyValuePut
	if entry.Key() == v.tokensKey() {
		if put {
			v.set(entry.Value(), entry.Revision())
		} else {
			v.set(nil, entry.Revision())
		}
		return
	}
	if !strings.HasPrefix(entry.Key(), v.linkKey("")) {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if put {
		v.links[entry.Key()] = entry.Revision()
	} else {
		delete(v.links, entry.Key())
	}
}
