package jetstream

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// idKey is the metadata key for the ledger's identity, in both streams.
const idKey = "bullpen.id"

// ErrNoOffice means that the ledger should exist but does not.
var ErrNoOffice = errors.New("the office does not exist in this NATS cluster: check its name and the account")

// establish opens the ledger's two streams, creating any that are missing. It returns the head.
func (l *Ledger) establish(ctx context.Context) (head uint64, err error) {
	id := "l" + strings.ToLower(rand.Text())
	records, err := l.openStream(ctx, l.recordConfig(id))
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return 0, ErrNoOffice
	}
	if err != nil {
		return 0, err
	}
	if l.id = records.Config.Metadata[idKey]; l.id == "" {
		return 0, fmt.Errorf("stream %s was not created by Bullpen: choose another office name, or delete the stream", records.Config.Name)
	}
	l.origin = ledger.Origin{New: l.id == id, Created: records.Created, Records: int64(records.State.Msgs)}
	if err := checkSettings(&records.Config, new(l.recordConfig(l.id))); err != nil {
		return 0, err
	}
	extras, err := l.openExtras(ctx, records)
	if err != nil {
		return 0, err
	}
	if err := checkSettings(&extras.Config, new(l.extraConfig(l.id))); err != nil {
		return 0, err
	}
	if id := extras.Config.Metadata[idKey]; id != l.id {
		return 0, fmt.Errorf("streams %s and %s belong to different ledgers (%s and %q): restore both from the same backup, or choose another office name", records.Config.Name, extras.Config.Name, l.id, id)
	}
	return records.State.LastSeq, l.checkCluster(ctx, records, extras)
}

// openExtras opens the second stream. It creates the stream only if there are no records. If there
// are records, a missing stream means that content has been lost, so openExtras returns an error.
func (l *Ledger) openExtras(ctx context.Context, records *jetstream.StreamInfo) (*jetstream.StreamInfo, error) {
	if records.State.LastSeq == 0 {
		return l.openStream(ctx, l.extraConfig(l.id))
	}
	info, err := l.stream(ctx, l.extraStream(), l.lookUp)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, fmt.Errorf("stream %s is missing, but %s has records: restore both from the same backup", l.extraStream(), l.recordStream())
	}
	return info, err
}

func (l *Ledger) recordConfig(id string) jetstream.StreamConfig {
	return l.streamConfig(jetstream.StreamConfig{
		Name: l.recordStream(), Subjects: []string{l.records + ">"}, Discard: jetstream.DiscardNew,
		Description: "records of the Bullpen office " + l.config.Office,
	}, id)
}

func (l *Ledger) extraConfig(id string) jetstream.StreamConfig {
	return l.streamConfig(jetstream.StreamConfig{
		Name: l.extraStream(), Subjects: []string{l.extras + ">"}, Discard: jetstream.DiscardOld, MaxMsgsPerSubject: 1,
		Description: "content and checkpoint of the Bullpen office " + l.config.Office,
	}, id)
}

// streamConfig adds the settings that both streams have.
func (l *Ledger) streamConfig(c jetstream.StreamConfig, id string) jetstream.StreamConfig {
	c.Metadata = map[string]string{idKey: id}
	c.Storage, c.Retention, c.Replicas = jetstream.FileStorage, jetstream.LimitsPolicy, l.config.Replicas
	c.AllowDirect, c.AllowAtomicPublish, c.Duplicates = true, true, time.Second
	return c
}

// openStream returns a stream's state from its leader. It creates a missing stream, unless the
// configuration allows only an existing ledger.
func (l *Ledger) openStream(ctx context.Context, want jetstream.StreamConfig) (*jetstream.StreamInfo, error) {
	return l.stream(ctx, want.Name, func(ctx context.Context, name string) (*jetstream.StreamInfo, error) {
		info, err := l.lookUp(ctx, name)
		if errors.Is(err, jetstream.ErrStreamNotFound) && !l.config.Existing {
			return l.create(ctx, want)
		}
		return info, err
	})
}

// stream calls open until the cluster answers, or until the longer of Config.Wait and
// contracts.JetStreamTimeout has passed. Its error says what to do.
func (l *Ledger) stream(ctx context.Context, name string, open func(context.Context, string) (*jetstream.StreamInfo, error)) (*jetstream.StreamInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, max(contracts.JetStreamTimeout, l.config.Wait))
	defer cancel()
	began := time.Now()
	for waiting := false; ; waiting = true {
		try, cancel := context.WithTimeout(ctx, contracts.JetStreamAttempt)
		info, err := open(try, name)
		cancel()
		if err == nil {
			return info, nil
		}
		if l.isPermanent(err, time.Since(began)) || !l.pause(ctx) {
			return nil, l.explainStream(name, err)
		}
		if !waiting && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			l.config.Logger.Warn("waiting for the NATS cluster", "stream", name, "error", err)
		}
	}
}

func (l *Ledger) lookUp(ctx context.Context, name string) (*jetstream.StreamInfo, error) {
	s, err := l.js.Stream(ctx, name)
	if err != nil {
		return nil, err
	}
	return s.CachedInfo(), nil
}

func (l *Ledger) create(ctx context.Context, want jetstream.StreamConfig) (*jetstream.StreamInfo, error) {
	s, err := l.js.CreateStream(ctx, want)
	if err != nil {
		return nil, err
	}
	return s.CachedInfo(), nil
}
