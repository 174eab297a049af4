package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/bullpen-office/bullpen/contracts"
)

// accessBucket holds the tokens and one-time links of all offices in an installation.
const accessBucket = "BULLPEN_ACCESS"

// VaultConfig configures a Vault. Conn and Office are required.
type VaultConfig struct {
	Conn     *nats.Conn
	Office   string       // name of the office in the cluster
	Replicas int          // number of replicas if the bucket must be created; default: contracts.JetStreamReplicas
	Existing bool         // fail if the bucket does not exist, instead of creating it
	Log      *slog.Logger // default: no logging
}

// Vault keeps the credentials that the nodes of an office share: a document with the tokens, and
// one-time links. Callers store only hashes, never the secrets themselves. While NATS cannot be
// reached, Read returns the last known document, and changes fail.
type Vault struct {
	cfg     VaultConfig
	kv      jetstream.KeyValue
	stop    context.CancelFunc
	running sync.WaitGroup

	syncing sync.Mutex // held while Sync reads
	synced  time.Time  // when Sync last began to read

	mu       sync.Mutex
	content  []byte            // the document; nil if there is none
	revision uint64            // the document's revision in the bucket; 0 if there is none
	version  uint64            // number of changes that this node has seen
	links    map[string]uint64 // revisions of the unused links that this node knows, by key
}

// OpenVault opens the credentials bucket, creating it if it is missing, and reads the tokens. It
// fails if the tokens cannot be read. Callers must call Close.
func OpenVault(ctx context.Context, cfg VaultConfig) (*Vault, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Replicas == 0 {
		cfg.Replicas = contracts.JetStreamReplicas
	}
	js, err := jetstream.New(cfg.Conn)
	if err != nil {
		return nil, err
	}
	v := &Vault{cfg: cfg, links: map[string]uint64{}}
	missing := false
	err = retry(ctx, func(ctx context.Context) error {
		err := v.open(ctx, js)
		if missing = cfg.Existing && errors.Is(err, jetstream.ErrBucketNotFound); missing {
			return nil
		}
		if err != nil {
			return err
		}
		content, revision, err := v.load(ctx)
		if err == nil {
			v.set(content, revision)
		}
		return err
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("open the credentials of office %q: %w", cfg.Office, err)
	case missing:
		return nil, fmt.Errorf("the NATS cluster has no bucket %s, which the first node creates: start a node of office %q, then try again", accessBucket, cfg.Office)
	}
	ctx, v.stop = context.WithCancel(context.Background())
	v.running.Go(func() { v.run(ctx) })
	return v, nil
}

// open opens the bucket, and creates it if it is missing. Unlike other buckets, this bucket does
// not allow reads from replicas, which may not yet know that a token exists or that a link was
// used.
func (v *Vault) open(ctx context.Context, js jetstream.JetStream) (err error) {
	v.kv, err = js.KeyValue(ctx, accessBucket)
	if !errors.Is(err, jetstream.ErrBucketNotFound) || v.cfg.Existing {
		return err
	}
	_, err = js.CreateStream(ctx, jetstream.StreamConfig{
		Name: "KV_" + accessBucket, Subjects: []string{"$KV." + accessBucket + ".>"}, Description: "tokens and one-time links of each Bullpen office, as hashes",
		MaxMsgsPerSubject: 1, Storage: jetstream.FileStorage, Replicas: v.cfg.Replicas, Discard: jetstream.DiscardNew,
		DenyDelete: true, AllowRollup: true, AllowMsgTTL: true, SubjectDeleteMarkerTTL: contracts.AccessMarker,
	})
	if err != nil && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		return err
	}
	v.kv, err = js.KeyValue(ctx, accessBucket)
	return err
}

// Close stops following changes. It does not close the connection to NATS.
func (v *Vault) Close() {
	v.stop()
	v.running.Wait()
}

func (v *Vault) String() string {
	return fmt.Sprintf("key %s of the NATS bucket %s", v.tokensKey(), accessBucket)
}

func (v *Vault) tokensKey() string { return v.cfg.Office + ".tokens" }

// Read returns this node's current copy of the token document.
func (v *Vault) Read() (content []byte, version uint64, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.content, v.version, nil
}

// Sync reads the document from NATS, unless another call has started a read since this call began.
// Calls in quick succession are delayed, so that wrong tokens do not cause many reads.
func (v *Vault) Sync() {
	asked := time.Now()
	v.syncing.Lock()
	defer v.syncing.Unlock()
	if v.synced.After(asked) || !v.cfg.Conn.IsConnected() {
		return
	}
	time.Sleep(time.Until(v.synced.Add(contracts.AccessPause)))
	v.synced = time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), contracts.JetStreamAttempt)
	defer cancel()
	_, before, _ := v.Read()
	content, revision, err := v.load(ctx)
	if err != nil {
		v.cfg.Log.Warn("cannot read the office's tokens; using the last known tokens", "error", err)
		return
	}
	if _, now, _ := v.Read(); revision != 0 || now == before { // otherwise the document has just been created
		v.set(content, revision)
	}
}

// Change replaces the document with the result of edit. If another node changes the document
// first, Change starts over.
func (v *Vault) Change(edit func(old []byte) ([]byte, error)) error {
	ctx, cancel := context.WithTimeout(context.Background(), contracts.AccessTimeout)
	defer cancel()
	for {
		old, revision, err := v.load(ctx)
		if err != nil {
			return v.wrapError("change the tokens", err)
		}
		content, err := edit(old)
		if err != nil {
			return err
		}
		if revision == 0 {
			revision, err = v.kv.Create(ctx, v.tokensKey(), content)
		} else {
			revision, err = v.kv.Update(ctx, v.tokensKey(), content, revision)
		}
		switch {
		case err == nil:
			v.set(content, revision)
			return nil
		case !errors.Is(err, jetstream.ErrKeyExists) && !errors.Is(err, jetstream.ErrKeyRevisionMismatch):
			return v.wrapError("change the tokens", err)
		}
	}
}

func (v *Vault) wrapError(what string, err error) error {
	return fmt.Errorf("cannot %s of office %q: %w; check that the NATS servers have a quorum, then try again", what, v.cfg.Office, err)
}

// load returns the document from NATS and its revision; both are zero if there is none.
func (v *Vault) load(ctx context.Context) ([]byte, uint64, error) {
	entry, err := v.kv.Get(ctx, v.tokensKey())
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	return entry.Value(), entry.Revision(), nil
}

// set stores a document in memory, unless this node already knows a later revision. Revision 0
// means that there is no document.
func (v *Vault) set(content []byte, revision uint64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if revision > v.revision || revision == 0 && v.content != nil {
		v.content, v.revision = content, revision
		v.version++
	}
}
