package jetstream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"

	"github.com/bullpen-office/bullpen/ledger"
)

// Names of values in the extras stream, which contains everything except records.
const (
	contentPrefix  = "content"
	checkpointName = "checkpoint.fold"
)

// PutBlob stores content under its hash.
func (l *Ledger) PutBlob(ctx context.Context, content []byte) (string, error) {
	if err := l.usable(ctx); err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	name := hex.EncodeToString(sum[:])
	_, err := l.put(ctx, contentPrefix+"."+name, nil, content, 0)
	if errors.Is(err, errRevision) { // the content is already stored
		err = nil
	}
	return name, err
}

// Blob returns stored content.
func (l *Ledger) Blob(ctx context.Context, name string) ([]byte, bool, error) {
	if err := l.usable(ctx); err != nil || !validToken.MatchString(name) {
		return nil, false, err
	}
	content, _, revision, err := l.get(ctx, contentPrefix+"."+name)
	if err != nil || revision == 0 {
		return nil, false, err
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != name {
		return nil, false, l.noteDamage(fmt.Errorf("%w: content %s does not match its hash", ledger.ErrCorrupt, name))
	}
	return content, true, nil
}

// Headers of a checkpoint.
const (
	seqHeader     = "Bullpen-Seq"
	versionHeader = "Bullpen-Version"
	sumHeader     = "Bullpen-Sum"
)

// SaveCheckpoint replaces the stored fold. It fails if another node has replaced the fold since
// this node became the leader.
func (l *Ledger) SaveCheckpoint(ctx context.Context, c ledger.Checkpoint) error {
	if err := l.usable(ctx); err != nil {
		return err
	}
	l.mu.Lock()
	revision := l.saved
	l.mu.Unlock()
	sum := sha256.Sum256(c.State)
	header := nats.Header{
		seqHeader: {strconv.FormatUint(c.Seq, 10)}, versionHeader: {strconv.Itoa(c.Version)}, sumHeader: {hex.EncodeToString(sum[:])},
	}
	revision, err := l.put(ctx, checkpointName, header, c.State, revision)
	if err != nil {
		return fmt.Errorf("save the checkpoint: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.saved = revision
	return nil
}

// Checkpoint returns the stored fold.
func (l *Ledger) Checkpoint(ctx context.Context) (c ledger.Checkpoint, ok bool, err error) {
	if err := l.usable(ctx); err != nil {
		return c, false, err
	}
	c.State, ok, err = l.checkpoint(ctx, &c)
	return c, ok, err
}

func (l *Ledger) checkpoint(ctx context.Context, c *ledger.Checkpoint) (state []byte, ok bool, err error) {
	state, header, revision, err := l.get(ctx, checkpointName)
	if err != nil || revision == 0 {
		return nil, false, err
	}
	seq, errSeq := strconv.ParseUint(header.Get(seqHeader), 10, 64)
	version, errVersion := strconv.Atoi(header.Get(versionHeader))
	sum := sha256.Sum256(state)
	if errSeq != nil || errVersion != nil || hex.EncodeToString(sum[:]) != header.Get(sumHeader) {
		return nil, false, nil // the checkpoint was altered
	}
	c.Seq, c.Version = seq, version
	return state, true, nil
}

// adoptCheckpoint allows this node to replace the stored fold.
func (l *Ledger) adoptCheckpoint(ctx context.Context) error {
	m, err := l.fromLeader(ctx, l.extraStream(), selector{LastOf: l.chunkSubject(checkpointName, 0)})
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.saved = 0; m != nil {
		l.saved = m.seq
	}
	return nil
}
