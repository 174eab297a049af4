package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

const apiPrefix = "$JS.API."

// apiError is an error that the JetStream API returns.
type apiError struct {
	Code    int                 `json:"code"`
	ErrCode jetstream.ErrorCode `json:"err_code"`
	Text    string              `json:"description"`
}

func (e *apiError) Error() string { return fmt.Sprintf("%s (JetStream error %d)", e.Text, e.ErrCode) }

// call sends an API request and decodes the answer. A request occupies its slot until it ends, even
// if the caller gives up earlier. Otherwise abandoned requests would flood the server's queue.
func (l *Ledger) call(ctx context.Context, subject string, request, answer any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	select {
	case l.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-l.runCtx.Done():
		return ledger.ErrClosed
	}
	type outcome struct {
		data []byte
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		defer func() { <-l.slots }()
		data, err := l.ask(subject, body)
		done <- outcome{data, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return l.asClosed(o.err)
		}
		return json.Unmarshal(o.data, answer)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ask retries a request until a leader answers it or contracts.JetStreamTimeout has passed.
func (l *Ledger) ask(subject string, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(l.runCtx, contracts.JetStreamTimeout)
	defer cancel()
	for {
		try, cancel := context.WithTimeout(ctx, contracts.JetStreamAttempt)
		msg, err := l.conn.RequestWithContext(try, apiPrefix+subject, body)
		cancel()
		if err == nil {
			var refused struct {
				Error *apiError `json:"error"`
			}
			if err = json.Unmarshal(msg.Data, &refused); err == nil && (refused.Error == nil || refused.Error.Code != 503) {
				return msg.Data, nil
			}
			if err == nil {
				err = refused.Error
			}
		}
		if !l.pause(ctx) {
			return nil, fmt.Errorf("NATS did not respond to %s: %w", subject, err)
		}
	}
}

// pause waits before the next attempt. It returns false if ctx is done or the ledger is closed.
func (l *Ledger) pause(ctx context.Context) bool {
	select {
	case <-time.After(contracts.JetStreamPause):
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	case <-l.runCtx.Done():
		return false
	}
}

// asClosed replaces an error with ErrClosed if the ledger is closed.
func (l *Ledger) asClosed(err error) error {
	if err != nil && l.runCtx.Err() != nil {
		return ledger.ErrClosed
	}
	return err
}

type message struct {
	subject string
	seq     uint64
	data    []byte
	header  nats.Header
}

// selector selects a message in a stream: the first message at or after Seq that matches Next, or
// the last message with the subject LastOf.
type selector struct {
	Seq    uint64 `json:"seq,omitzero"`
	Next   string `json:"next_by_subj,omitzero"`
	LastOf string `json:"last_by_subj,omitzero"`
}

// fromLeader returns the message that a selector selects, or nil if there is none. Only the leader of
// a stream can confirm that a message does not exist.
func (l *Ledger) fromLeader(ctx context.Context, stream string, s selector) (*message, error) {
	var answer struct {
		Message *struct {
			Subject string `json:"subject"`
			Seq     uint64 `json:"seq"`
			Header  []byte `json:"hdrs"`
			Data    []byte `json:"data"`
		} `json:"message"`
		Error *apiError `json:"error"`
	}
	if err := l.call(ctx, "STREAM.MSG.GET."+stream, s, &answer); err != nil {
		return nil, err
	}
	switch {
	case answer.Error != nil && answer.Error.ErrCode == jetstream.JSErrCodeMessageNotFound:
		return nil, nil
	case answer.Error != nil:
		return nil, answer.Error
	case answer.Message == nil:
		return nil, errors.New("the response from NATS contains no message")
	}
	m := &message{subject: answer.Message.Subject, seq: answer.Message.Seq, data: answer.Message.Data}
	if len(answer.Message.Header) > 0 {
		var err error
		if m.header, err = nats.DecodeHeadersMsg(answer.Message.Header); err != nil {
			return nil, fmt.Errorf("read the headers of message %d: %w", m.seq, err)
		}
	}
	return m, nil
}

// pageRequest requests messages, in order, from any replica.
type pageRequest struct {
	Seq      uint64 `json:"seq"`
	Batch    int    `json:"batch"`
	MaxBytes int    `json:"max_bytes"`
	Next     string `json:"next_by_subj,omitzero"`
}

// fromReplica reads messages on a subject, starting at a sequence number. The replica may be
// behind: the returned messages have no gaps, but the stream may have later ones. more reports
// whether the replica has more.
func (l *Ledger) fromReplica(ctx context.Context, stream, subject string, from uint64, limit int) (list []message, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, contracts.JetStreamTimeout)
	defer cancel()
	body, err := json.Marshal(pageRequest{Seq: from, Batch: min(limit, contracts.LimitJetStreamBatch), MaxBytes: contracts.LimitJetStreamPage, Next: subject})
	if err != nil {
		return nil, false, err
	}
	inbox := l.conn.NewInbox()
	answers, err := l.conn.SubscribeSync(inbox)
	if err != nil {
		return nil, false, l.asClosed(err)
	}
	defer answers.Unsubscribe()
	for {
		if err := l.conn.PublishRequest(apiPrefix+"DIRECT.GET."+stream, inbox, body); err != nil {
			return nil, false, l.asClosed(err)
		}
		list, more, err = readPage(ctx, answers)
		if !errors.Is(err, nats.ErrNoResponders) || !l.pause(ctx) {
			return list, more, l.asClosed(err)
		}
	}
}

// readPage reads the answers to a pageRequest, up to the final message.
func readPage(ctx context.Context, answers *nats.Subscription) (list []message, more bool, err error) {
	for {
		m, err := answers.NextMsgWithContext(ctx)
		if err != nil {
			return nil, false, err
		}
		switch status := m.Header.Get("Status"); status {
		case "":
		case "404":
			return list, false, nil
		case "204":
			pending, _ := strconv.ParseUint(m.Header.Get("Nats-Num-Pending"), 10, 64)
			return list, pending > 0, nil
		default:
			return nil, false, fmt.Errorf("NATS refused the read: %s %s", status, m.Header.Get("Description"))
		}
		seq, err := strconv.ParseUint(m.Header.Get("Nats-Sequence"), 10, 64)
		if err != nil {
			return nil, false, fmt.Errorf("message without a sequence number: %w", err)
		}
		list = append(list, message{m.Header.Get("Nats-Subject"), seq, m.Data, m.Header})
	}
}

// purge removes the messages on a subject that precede a sequence number, or all of them if the
// number is 0.
func (l *Ledger) purge(ctx context.Context, stream, subject string, before uint64) error {
	request := struct {
		Filter string `json:"filter"`
		Seq    uint64 `json:"seq,omitzero"`
	}{subject, before}
	var answer struct {
		Error *apiError `json:"error"`
	}
	if err := l.call(ctx, "STREAM.PURGE."+stream, request, &answer); err != nil {
		return err
	}
	if answer.Error != nil {
		return answer.Error
	}
	return nil
}

// remove deletes one message; if erase is set, the message's bytes are overwritten. Removing a
// message that does not exist succeeds.
func (l *Ledger) remove(ctx context.Context, stream string, seq uint64, erase bool) error {
	request := struct {
		Seq     uint64 `json:"seq"`
		NoErase bool   `json:"no_erase,omitzero"`
	}{seq, !erase}
	var answer struct {
		Error *apiError `json:"error"`
	}
	if err := l.call(ctx, "STREAM.MSG.DELETE."+stream, request, &answer); err != nil {
		return err
	}
	e := answer.Error
	if e == nil || e.ErrCode == jetstream.JSErrCodeMessageNotFound || e.ErrCode == codeNoSequence || e.ErrCode == codeDeleteFailed && strings.Contains(e.Text, "no message found") {
		return nil
	}
	return e
}
