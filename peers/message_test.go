package peers_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/peers"
)

var errBacklog = errors.New("the backlog is too long")

// orders is an office with a fixed list of orders. Reading beyond the list fails.
type orders struct {
	list    []contracts.Record
	answers chan contracts.Chat
}

func (o orders) Record(_ context.Context, f contracts.Fact) error {
	o.answers <- f.(contracts.ChatSaid).Chat
	return nil
}

func (o orders) Read(context.Context, uint64, int, ...contracts.Kind) ([]contracts.Record, error) {
	return nil, nil
}

func (o orders) Orders(_ context.Context, _ string, fn func(contracts.Record) error) error {
	for _, rec := range o.list {
		if err := fn(rec); err != nil {
			return err
		}
	}
	return errBacklog
}

func message(t *testing.T, seq uint64, text string) contracts.Record {
	t.Helper()
	rec, err := contracts.NewRecord(seq, 1, "", &contracts.Chat{From: "user_local", To: "agent_scout", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// A failure to read orders ends Run even while an answer is being recorded: until the office sees
// the error, nobody can stop an agent.
func TestRunReportsAFailureBeforeTheLastAnswer(t *testing.T) {
	office := orders{list: []contracts.Record{message(t, 7, "deploy")}, answers: make(chan contracts.Chat)}
	p := peers.New(peers.Config{Office: office})
	defer p.Close()
	if err := p.Run(t.Context(), nil); !errors.Is(err, errBacklog) {
		t.Fatalf("Run returned %v", err)
	}
	if answer := <-office.answers; answer.AnswersSeq != 7 || answer.From != "agent_scout" {
		t.Errorf("answer %+v", answer)
	}
}

// A message that was redacted while it was waiting is answered, but is not sent to any peer.
func TestRedactedMessageIsNotSent(t *testing.T) {
	rec := message(t, 7, contracts.Redacted)
	rec.Redacted = true
	office := orders{list: []contracts.Record{rec}, answers: make(chan contracts.Chat)}
	p := peers.New(peers.Config{Office: office})
	defer p.Close()
	if err := p.Run(t.Context(), nil); !errors.Is(err, errBacklog) {
		t.Fatalf("Run returned %v", err)
	}
	if answer := <-office.answers; !strings.Contains(answer.Text, "the message was redacted") {
		t.Errorf("answer %q", answer.Text)
	}
}

// Once Close has begun, a message without a turn stays unanswered, so that the next start answers
// it.
func TestShutdownLeavesMessagesToTheNextStart(t *testing.T) {
	office := orders{list: []contracts.Record{message(t, 7, "deploy")}, answers: make(chan contracts.Chat, 1)}
	p := peers.New(peers.Config{Office: office})
	p.Close()
	if err := p.Run(t.Context(), nil); !errors.Is(err, errBacklog) {
		t.Fatalf("Run returned %v", err)
	}
	if len(office.answers) != 0 {
		t.Errorf("answer %+v", <-office.answers)
	}
}
