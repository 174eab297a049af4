package contracts

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the kind of a record. The kinds that viewers see are also message types.
type Kind string

// Kinds that viewers see, each on its own channel.
const (
	KindEvent Kind = "event"
	KindGoal  Kind = "agent_goal"
	KindChat  Kind = "chat"
	KindHUD   Kind = "hud"
	KindUI    Kind = "ui"
)

// Kinds that only the office reads.
const (
	KindReceipt   Kind = "receipt"  // an executed command, with its answer
	KindProposal  Kind = "proposal" // the tasks that a planner proposes, kept until the kickoff ends
	KindRunRecord Kind = "run"      // a run's lifecycle
	KindOwner     Kind = "owner"    // an owner of turns is up or down
)

// Visible reports whether records of this kind are sent to viewers.
func (k Kind) Visible() bool {
	switch k {
	case KindEvent, KindGoal, KindChat, KindHUD, KindUI:
		return true
	}
	return false
}

// Record is one entry of the ledger. Body is the record's payload as JSON, without seq. A message
// to a viewer contains the bytes of Body, so that a replay does not have to encode them again. An
// appended record never changes, except that its text can be erased; Body is then a tombstone.
type Record struct {
	Seq  uint64
	TS   int64 // Unix milliseconds
	Kind Kind
	ID   string // the envelope's id; the same live and on replay
	Key  string // optional; unique in the ledger, so that nothing is recorded twice
	Body []byte

	// Redacted means that the record's text was erased. The ledger sets this field.
	Redacted bool

	value Body
}

// Body is a record's decoded payload.
type Body interface{ kind() Kind }

// Receipt records an executed command, so that a command with the same id is not executed twice.
type Receipt struct {
	CommandID   string      `json:"command_id"`
	Identity    string      `json:"identity"`
	Name        CommandName `json:"name"`
	Fingerprint string      `json:"fingerprint"` // fingerprint of the command's name and data
	LastSeq     uint64      `json:"last_seq"`
	Result      Result      `json:"result,omitzero"`
}

// Proposal is a planner's answer, kept until the kickoff ends.
type Proposal struct {
	ProjectID string      `json:"project_id"`
	Summary   string      `json:"summary,omitzero"`
	Reason    string      `json:"reason,omitzero"`
	Tasks     []TaskDraft `json:"tasks"`
}

func (*Event) kind() Kind     { return KindEvent }
func (*AgentGoal) kind() Kind { return KindGoal }
func (*Chat) kind() Kind      { return KindChat }
func (*HUD) kind() Kind       { return KindHUD }
func (*UI) kind() Kind        { return KindUI }
func (*Receipt) kind() Kind   { return KindReceipt }
func (*Proposal) kind() Kind  { return KindProposal }
func (*Run) kind() Kind       { return KindRunRecord }
func (*Owner) kind() Kind     { return KindOwner }

// NewRecord returns a record with an encoded body.
func NewRecord(seq uint64, ts int64, key string, body Body) (Record, error) {
	b, err := json.Marshal(body, json.Deterministic(true))
	if err != nil {
		return Record{}, fmt.Errorf("encode %s record %d: %w", body.kind(), seq, err)
	}
	return Record{Seq: seq, TS: ts, Kind: body.kind(), ID: recordID(seq, body), Key: key, Body: b, value: body}, nil
}

// kinds maps each kind to its body type and to the prefix of its record ids: the letters before the
// number (W4). A HUD record uses the fact's own id.
var kinds = map[Kind]struct {
	prefix string
	body   func() Body
}{
	KindEvent: {"evt_s", func() Body { return new(Event) }}, KindGoal: {"goal_s", func() Body { return new(AgentGoal) }},
	KindChat: {"chat_s", func() Body { return new(Chat) }}, KindHUD: {"", func() Body { return new(HUD) }},
	KindUI: {"ui_s", func() Body { return new(UI) }}, KindReceipt: {"rcpt_s", func() Body { return new(Receipt) }},
	KindProposal: {"prop_s", func() Body { return new(Proposal) }}, KindRunRecord: {"run_s", func() Body { return new(Run) }},
	KindOwner: {"own_s", func() Body { return new(Owner) }},
}

func recordID(seq uint64, body Body) string {
	if h, ok := body.(*HUD); ok {
		return h.UUID
	}
	return kinds[body.kind()].prefix + strconv.FormatUint(seq, 10)
}

// Decode returns the typed body. Callers share it and must not change it.
func (r *Record) Decode() (Body, error) {
	if r.value != nil {
		return r.value, nil
	}
	kind, known := kinds[r.Kind]
	if !known {
		return nil, fmt.Errorf("record %d has the unknown kind %q: it was written by a newer version of Bullpen; use that version or a newer one", r.Seq, r.Kind)
	}
	body := kind.body()
	if h, ok := body.(*HUD); ok {
		h.UUID = r.ID
	}
	if err := json.Unmarshal(r.Body, body); err != nil {
		return nil, fmt.Errorf("decode %s record %d: %w", r.Kind, r.Seq, err)
	}
	return body, nil
}

// AppendMessage appends a visible record to dst as a wire message: the envelope, with seq as the
// first member of the payload.
func (r *Record) AppendMessage(dst []byte) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, r.Kind...)
	dst = append(dst, `","id":`...)
	dst, _ = jsontext.AppendQuote(dst, r.ID)
	dst = append(dst, `,"ts":`...)
	dst = strconv.AppendInt(dst, r.TS, 10)
	dst = append(dst, `,"v":1,"payload":{"seq":`...)
	dst = strconv.AppendUint(dst, r.Seq, 10)
	if len(r.Body) > 2 {
		dst = append(dst, ',')
	}
	dst = append(dst, r.Body[1:]...)
	return append(dst, '}')
}

// Validate returns an error unless this version could have written the record: its kind is known, its
// body can be decoded, and its id matches its seq.
func (r *Record) Validate() error {
	body, err := r.Decode()
	if err != nil {
		return err
	}
	if want := recordID(r.Seq, body); r.ID != want || r.ID == "" {
		return fmt.Errorf("record %d has id %q, want %q", r.Seq, r.ID, want)
	}
	return nil
}

// ContentHashes returns the hashes of the stored content that a record refers to: a deliverable, a
// large result or the output of a check.
func (r *Record) ContentHashes() ([]string, error) {
	if r.Kind != KindEvent && r.Kind != KindHUD {
		return nil, nil
	}
	body, err := r.Decode()
	if err != nil {
		return nil, err
	}
	switch b := body.(type) {
	case *Event:
		if b.Artifact != nil && b.Artifact.SHA256 != "" {
			return []string{b.Artifact.SHA256}, nil
		}
		if b.Check != nil && b.Check.LogSHA256 != "" {
			return []string{b.Check.LogSHA256}, nil
		}
	case *HUD:
		if b.ResultSHA256 != "" {
			return []string{b.ResultSHA256}, nil
		}
	}
	return nil, nil
}

// KnownKind reports whether this version can write and read records of kind k.
func KnownKind(k Kind) bool {
	_, ok := kinds[k]
	return ok
}
