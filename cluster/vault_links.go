package cluster

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/bullpen-office/bullpen/contracts"
)

func (v *Vault) linkKey(hash string) string { return v.cfg.Office + ".link." + hash }

// Put stores a one-time link for contracts.LinkLifetime. If there are too many unused links, Put
// removes the oldest ones first.
func (v *Vault) Put(hash string, content []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), contracts.AccessTimeout)
	defer cancel()
	for {
		key, revision, ok := v.evictOldest()
		if !ok {
			break
		}
		if err := v.remove(ctx, key, revision); err != nil && !errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
			return v.wrapError("remove an old one-time link", err)
		}
	}
	revision, err := v.kv.Create(ctx, v.linkKey(hash), content, jetstream.KeyTTL(contracts.LinkLifetime))
	if err != nil {
		return v.wrapError("store a one-time link", err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.links[v.linkKey(hash)] = revision
	return nil
}

// evictOldest removes the oldest link from v.links and returns it. ok is false if there is room for
// another link.
func (v *Vault) evictOldest() (key string, revision uint64, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.links) < contracts.LimitLinks {
		return "", 0, false
	}
	for k, r := range v.links {
		if key == "" || r < revision {
			key, revision = k, r
		}
	}
	delete(v.links, key)
	return key, revision, true
}

// Take removes a one-time link and returns its content, or nil if there is none. If several nodes try,
// only one of them succeeds: for the others, the revision is outdated.
func (v *Vault) Take(hash string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), contracts.AccessTimeout)
	defer cancel()
	entry, err := v.kv.Get(ctx, v.linkKey(hash))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil
	}
	if err == nil {
		err = v.remove(ctx, entry.Key(), entry.Revision())
	}
	switch {
	case errors.Is(err, jetstream.ErrKeyRevisionMismatch):
		return nil, nil
	case err != nil:
		return nil, v.wrapError("use a one-time link", err)
	}
	return entry.Value(), nil
}

// remove deletes a key if the key still has the given revision. The server drops the deletion
// marker after contracts.AccessMarker.
func (v *Vault) remove(ctx context.Context, key string, revision uint64) error {
	return v.kv.Purge(ctx, key, jetstream.LastRevision(revision), jetstream.PurgeTTL(contracts.AccessMarker))
}
