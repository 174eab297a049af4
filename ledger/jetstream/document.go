package jetstream

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

const documentName = "document.retention"

// document is the retention document: it lists the records that retention has removed. It is
// written before anything is removed, so that all nodes agree on which records exist, even if a
// replica still has removed records.
type document struct {
	Floor uint64                     `json:"floor,omitzero"`
	Kinds map[contracts.Kind]kindCut `json:"kinds,omitzero"`
	Head  uint64                     `json:"head,omitzero"` // the ledger's head when the document was written
	Link  []byte                     `json:"link,omitzero"` // link of the record at Head
	Due   *removal                   `json:"due,omitzero"`  // a removal that may be unfinished
}

// kindCut describes which records of a kind are removed: all up to a seq, except the kept ones.
type kindCut struct {
	UpTo uint64   `json:"up_to"`
	Kept []uint64 `json:"kept,omitzero"` // sorted
}

// removal is one step of retention.
type removal struct {
	Kind     contracts.Kind `json:"kind"`
	Before   uint64         `json:"before,omitzero"`   // all records of the kind before this seq are removed
	Seqs     []uint64       `json:"seqs,omitzero"`     // seqs of other records of the kind that are removed
	Contents []string       `json:"contents,omitzero"` // hashes of the content that the removed records own
}

// removed reports whether retention removed a record.
func (d *document) removed(r *contracts.Record) bool {
	c, ok := d.Kinds[r.Kind]
	if !ok || r.Seq > c.UpTo {
		return false
	}
	_, kept := slices.BinarySearch(c.Kept, r.Seq)
	return !kept
}

// link returns the link of the record at seq, if that record was the head when the document was
// written.
func (d *document) link(seq uint64) (link ledger.Link, ok bool) {
	return link, d.Head == seq && seq > 0 && copy(link[:], d.Link) == len(link)
}

// advance stores the head of a state and its link, unless another node has stored a later head.
func (d *document) advance(st *state) {
	if st.head > d.Head {
		d.Head, d.Link = st.head, st.link[:]
	}
}

// loadDocument reads the document from the leader.
func (l *Ledger) loadDocument(ctx context.Context) error {
	data, _, revision, err := l.get(ctx, documentName)
	if err != nil || revision == 0 {
		return err
	}
	return l.useDocument(data, revision)
}

// useDocument decodes a retention document and adopts it if its revision is newer.
func (l *Ledger) useDocument(data []byte, revision uint64) error {
	var d document
	if err := json.Unmarshal(data, &d); err != nil {
		return fmt.Errorf("%w: decode the retention document: %w", ledger.ErrCorrupt, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if revision <= l.revision {
		return nil
	}
	l.document, l.revision = d, revision
	if st := l.state.Load(); st != nil && d.Floor > st.floor {
		next := *st
		next.floor = d.Floor
		next.tail = next.tail.Trim(d.Floor)
		l.publishState(&next)
	}
	return nil
}

// saveDocument changes and stores the document. It fails if another node changed it first.
func (l *Ledger) saveDocument(ctx context.Context, change func(d *document)) error {
	l.mu.Lock()
	d, revision := l.document, l.revision
	l.mu.Unlock()
	d.Kinds = maps.Clone(d.Kinds)
	if d.Kinds == nil {
		d.Kinds = map[contracts.Kind]kindCut{}
	}
	change(&d)
	data, err := json.Marshal(d, json.Deterministic(true))
	if err != nil {
		return err
	}
	if revision, err = l.put(ctx, documentName, nil, data, revision); err != nil {
		return fmt.Errorf("save the retention document: %w", err)
	}
	return l.useDocument(data, revision)
}

// watchDocument adopts each new version of the document that another node writes.
func (l *Ledger) watchDocument(ctx context.Context) error {
	l.mu.Lock()
	from := l.revision + 1
	l.mu.Unlock()
	feed, err := l.consume(ctx, l.extraStream(), l.chunkSubject(documentName, 0), from, func(m jetstream.Msg) {
		if m.Headers().Get(chunksHeader) != "1" {
			if err := l.loadDocument(l.runCtx); err != nil && l.runCtx.Err() == nil {
				l.config.Logger.Warn("cannot read the retention document", "error", err)
			}
			return
		}
		meta, err := m.Metadata()
		if err == nil {
			err = l.useDocument(bytes.Clone(m.Data()), meta.Sequence.Stream)
		}
		if err != nil {
			l.config.Logger.Error("invalid retention document", "error", l.noteDamage(err))
		}
	})
	if err != nil {
		return err
	}
	l.running.Go(func() {
		<-l.runCtx.Done()
		feed.Stop()
	})
	return nil
}
