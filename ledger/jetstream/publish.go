package jetstream

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// Headers that NATS defines, and appendHeader, which identifies an append.
const (
	expectLastHeader    = "Nats-Expected-Last-Sequence"
	expectSubjectHeader = "Nats-Expected-Last-Subject-Sequence"
	subjectHeader       = "Nats-Expected-Last-Subject-Sequence-Subject"
	batchHeader         = "Nats-Batch-Id"
	batchSeqHeader      = "Nats-Batch-Sequence"
	batchCommitHeader   = "Nats-Batch-Commit"
	appendHeader        = "Bullpen-Append"
)

// publish appends a batch after a head. Every attempt expects the same head, so at most one of them
// is stored. After the first attempt, a refusal does not prove that nothing was appended.
func (l *Ledger) publish(head uint64, batch []entry, token string) error {
	if token == "" {
		token = rand.Text()
	}
	ctx, cancel := context.WithTimeout(l.runCtx, contracts.JetStreamAppend)
	defer cancel()
	for attempt := 0; ; attempt++ {
		n, err := l.send(ctx, l.messages(head, batch, token))
		if err == nil {
			if want := head + uint64(len(batch)); n != want {
				return fmt.Errorf("ledger: NATS confirmed record %d instead of %d", n, want)
			}
			return nil
		}
		refused := (*apiError)(nil)
		if errors.As(err, &refused) && refused.ErrCode == jetstream.JSErrCodeStreamWrongLastSequence {
			err = wrongLast(head, refused)
			if attempt == 0 || errors.Is(err, ledger.ErrDuplicateKey) {
				return err
			}
			if stale := (*ledger.StaleError)(nil); !errors.As(err, &stale) {
				return fmt.Errorf("%w: %w", ledger.ErrUnconfirmed, err)
			}
			ours, lookErr := l.appended(ctx, head+1, token) // an earlier attempt may have succeeded
			if ours {
				return nil
			}
			if lookErr == nil {
				return err
			}
			err = lookErr
		} else if errors.As(err, &refused) && !isTransient(refused) {
			if attempt > 0 {
				return fmt.Errorf("%w: %w", ledger.ErrUnconfirmed, explain(refused))
			}
			return explain(refused)
		}
		if !l.pause(ctx) {
			return l.asClosed(fmt.Errorf("NATS did not confirm the append: %w: %w", ledger.ErrUnconfirmed, err))
		}
	}
}

// isTransient reports whether a refusal is expected during a leader change.
func isTransient(e *apiError) bool {
	return e.Code == 503 || slices.Contains(codesTransient, e.ErrCode)
}

func explain(e *apiError) error {
	if slices.Contains(codesFull, e.ErrCode) {
		return fmt.Errorf("%w: %w", ledger.ErrFull, e)
	}
	return fmt.Errorf("NATS refused the append: %w", e)
}

// wrongLast interprets "wrong last sequence: N". N is the head or, if a key is in use, the seq of
// the record with that key, which is never after the expected head.
func wrongLast(head uint64, e *apiError) error {
	n, err := strconv.ParseUint(e.Text[strings.LastIndexByte(e.Text, ' ')+1:], 10, 64)
	if err != nil {
		return fmt.Errorf("NATS refused the append: %w", e)
	}
	if n <= head {
		return ledger.ErrDuplicateKey
	}
	return &ledger.StaleError{Expected: head, Head: n}
}

// messages builds the messages for one attempt.
func (l *Ledger) messages(head uint64, batch []entry, token string) []*nats.Msg {
	id := rand.Text()
	list := make([]*nats.Msg, len(batch))
	for i := range batch {
		e := &batch[i]
		m := nats.NewMsg(l.subject(&e.Record))
		m.Data = e.encode()
		if i == 0 {
			m.Header[expectLastHeader] = []string{strconv.FormatUint(head, 10)}
			m.Header[appendHeader] = []string{token}
		}
		if e.Key != "" {
			m.Header[expectSubjectHeader] = []string{"0"}
			m.Header[subjectHeader] = []string{l.keySubject(e.Key)}
		}
		list[i] = m
	}
	inBatch(list, id)
	return list
}

// inBatch turns several messages into one atomic batch.
func inBatch(list []*nats.Msg, id string) {
	if len(list) == 1 {
		return
	}
	for i, m := range list {
		m.Header[batchHeader] = []string{id}
		m.Header[batchSeqHeader] = []string{strconv.Itoa(i + 1)}
	}
	list[len(list)-1].Header[batchCommitHeader] = []string{"1"}
}

// send publishes the messages of one attempt and returns the sequence number that the server
// assigned to the last message.
func (l *Ledger) send(ctx context.Context, list []*nats.Msg) (uint64, error) {
	for _, m := range list[:len(list)-1] {
		if err := l.conn.PublishMsg(m); err != nil {
			return 0, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, contracts.JetStreamAttempt)
	defer cancel()
	answer, err := l.conn.RequestMsgWithContext(ctx, list[len(list)-1])
	if err != nil {
		return 0, err
	}
	var ack struct {
		Seq   uint64    `json:"seq"`
		Error *apiError `json:"error"`
	}
	if err := json.Unmarshal(answer.Data, &ack); err != nil {
		return 0, fmt.Errorf("decode the response to a publish (%q): %w", answer.Data, err)
	}
	if ack.Error != nil {
		return 0, ack.Error
	}
	return ack.Seq, nil
}

// appended reports whether record seq is the first record of the append with the given token.
func (l *Ledger) appended(ctx context.Context, seq uint64, token string) (bool, error) {
	m, err := l.fromLeader(ctx, l.recordStream(), selector{Seq: seq})
	if err != nil {
		return false, err
	}
	if m == nil {
		return false, fmt.Errorf("record %d is not available yet", seq)
	}
	return m.header.Get(appendHeader) == token, nil
}
