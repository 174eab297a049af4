package director

import (
	"fmt"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/policy"
	"github.com/bullpen-office/bullpen/world"
)

// Config sets the timing of the office and the controls that guests obey. The zero value works.
type Config struct {
	Pace         float64       // how many times faster agents walk and meet; 0 means 1
	Meeting      time.Duration // how long a kickoff lasts at pace 1; 0 means 6 s
	ArchiveAfter time.Duration // how long a completed project stays in the office; 0 means 30 min

	// Studios opens a room for each place that guests work in. If it is false, open rooms are
	// closed.
	Studios bool

	// Alone means that the office has no other nodes. Work that other nodes were running, as in an
	// imported office, is ended.
	Alone bool

	// Policy answers permission requests, except those that it leaves to people. It affects which
	// records are made, but never how they are folded.
	Policy policy.Policy

	// Reviews defines when an agent reviews another agent's patch. RunsOn returns the vendor and
	// model of a crew member, so that a reviewer with a different vendor or model can be chosen.
	// If RunsOn is nil, the runner and model in the agent's profile are compared. Both fields affect
	// which records are made, but never how they are folded.
	Reviews contracts.ReviewMode
	RunsOn  func(contracts.AgentProfile) (vendor, model string)

	// Unchecked adds an inbox entry when a guest's session ends without a passing check of its last
	// code edit. If Unchecked is false, existing entries are withdrawn.
	Unchecked bool

	// Sources define which controls guests obey. They affect commands, but never how records are
	// folded.
	Sources contracts.Sources
}

// Director implements the rules. It has no state.
type Director struct{ cfg Config }

// New returns a Director; zero fields of cfg are set to their defaults.
func New(cfg Config) *Director {
	if cfg.Pace <= 0 {
		cfg.Pace = 1
	}
	if cfg.Meeting <= 0 {
		cfg.Meeting = 6 * time.Second
	}
	if cfg.ArchiveAfter <= 0 {
		cfg.ArchiveAfter = 30 * time.Minute
	}
	return &Director{cfg: cfg}
}

// Now is the part of the director's input that is not in the world.
type Now struct {
	MS      int64              // Unix milliseconds, never before the world's last record
	Players []contracts.Player // people in the room, most recently seen first
	Node    string             // the node that reports the fact, or else the node that runs this office
	Life    string             // id of that node's life, which owns the work that the node runs
}

// act is one input that is being turned into records.
type act struct {
	cfg    Config
	w      *world.World
	now    Now
	caller contracts.Caller // the sender of a command
	out    []contracts.Record
}

func (d *Director) act(w *world.World, now Now) *act {
	return &act{cfg: d.cfg, w: w, now: now}
}

// broken is the panic value for a record that could not be encoded or folded: a bug or
// a damaged ledger, never bad input.
type broken struct{ err error }

// emit appends the next record and folds it immediately, so the rules see its effect.
func (a *act) emit(body contracts.Body) { a.emitKeyed("", body) }

func (a *act) emitKeyed(key string, body contracts.Body) {
	rec, err := contracts.NewRecord(a.w.Seq()+1, a.now.MS, key, body)
	if err == nil {
		err = a.w.Apply(rec)
	}
	if err != nil {
		panic(broken{err})
	}
	a.out = append(a.out, rec)
}

// collect runs a rule and returns the records that it emitted and its refusal, if any. After an
// error, the world is dirty and must be rebuilt from the ledger.
func (a *act) collect(rule func() *contracts.Refusal) (recs []contracts.Record, refusal *contracts.Refusal, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case broken:
			recs, refusal, err = nil, nil, fmt.Errorf("director: %w", p.err)
		default:
			panic(p)
		}
	}()
	refusal = rule()
	return a.out, refusal, nil
}

// Create returns the first records of an office: its creation and its crew. The world must be
// empty.
func (d *Director) Create(w *world.World, now Now, officeID string, crew []contracts.AgentProfile) ([]contracts.Record, error) {
	a := d.act(w, now)
	recs, _, err := a.collect(func() *contracts.Refusal {
		a.emit(&contracts.Event{Name: contracts.EventOfficeCreated, SceneID: w.Scene().ID(), OfficeID: officeID, Agents: crew,
			Meta: &contracts.Meta{Title: "The office opens", Summary: fmt.Sprintf("%d agents are in the office.", len(crew))}})
		a.settleIn(crew)
		return nil
	})
	return recs, err
}

// Join adds new agents and updates profiles that have changed. It returns no records if nothing has
// changed.
func (d *Director) Join(w *world.World, now Now, crew []contracts.AgentProfile) ([]contracts.Record, error) {
	var fresh, changed []contracts.AgentProfile
	for _, p := range crew {
		switch have := w.Agent(p.AgentID); {
		case have == nil:
			fresh = append(fresh, p)
		case !d.cfg.Sources.Same(have.AgentProfile, p):
			changed = append(changed, p)
		}
	}
	if len(fresh)+len(changed) == 0 {
		return nil, nil
	}
	a := d.act(w, now)
	recs, _, err := a.collect(func() *contracts.Refusal {
		a.emit(&contracts.Event{Name: contracts.EventAgentJoined, Agents: append(fresh, changed...)})
		a.settleIn(fresh)
		return nil
	})
	return recs, err
}

// Receipt returns the record that keeps a command from being executed twice. It must be appended in
// the same batch as the command's records, after them.
func (d *Director) Receipt(w *world.World, now Now, cmd contracts.Command, result contracts.Result) (contracts.Record, error) {
	a := d.act(w, now)
	last := w.Seq()
	recs, _, err := a.collect(func() *contracts.Refusal {
		a.emitKeyed(ReceiptKey(cmd), &contracts.Receipt{
			CommandID: cmd.ID, Identity: cmd.Caller.Identity, Name: cmd.Data.CommandName(),
			Fingerprint: contracts.Fingerprint(cmd.Data), LastSeq: last, Result: result,
		})
		return nil
	})
	if err != nil {
		return contracts.Record{}, err
	}
	return recs[0], nil
}

// FactReceipt returns a receipt that prevents a fact from being recorded twice. It is for a fact
// whose first record, at seq, already has a different key. The receipt must be appended after that
// record, in the same batch.
func (d *Director) FactReceipt(w *world.World, now Now, key string, seq uint64, result contracts.Result) (contracts.Record, error) {
	a := d.act(w, now)
	recs, _, err := a.collect(func() *contracts.Refusal {
		a.emitKeyed(key, &contracts.Receipt{LastSeq: seq, Result: result})
		return nil
	})
	if err != nil {
		return contracts.Record{}, err
	}
	return recs[0], nil
}

// ReceiptKey returns the ledger key of a command's receipt. The key contains the length of the
// identity, so that identity "a/b" with id "c" differs from identity "a" with id "b/c".
func ReceiptKey(cmd contracts.Command) string {
	return fmt.Sprintf("cmd/%d/%s/%s", len(cmd.Caller.Identity), cmd.Caller.Identity, cmd.ID)
}
