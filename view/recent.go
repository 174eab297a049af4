package view

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/model"
)

// RecentActivity is the summary of an activity fact.
type RecentActivity struct {
	Event contracts.HUDEvent `json:"event"`
	Tool  string             `json:"tool,omitzero"`
	Label string             `json:"label"`
	At    int64              `json:"at"`
}

// recent stores the sequence numbers of each agent's newest activity. Records that predate the view
// are read once, on first use.
type recent struct {
	mu    sync.Mutex
	seqs  map[string][]uint64 // by agent, oldest first
	since uint64              // the seq at which the view started
	read  bool                // whether earlier records have been read
}

func (r *recent) note(agentID string, seq uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seqs == nil {
		r.seqs = map[string][]uint64{}
	}
	list := r.seqs[agentID]
	if len(list) == contracts.LimitRecent {
		list = append(list[:0], list[1:]...)
	}
	r.seqs[agentID] = append(list, seq)
}

func (r *recent) forget(agentID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.seqs, agentID)
}

// recentOf returns an agent's recent activity, newest first. A call or a thought that has ended is
// listed once.
func (v *View) recentOf(ctx context.Context, agentID string) ([]RecentActivity, error) {
	if err := v.readEarlier(ctx); err != nil {
		return nil, err
	}
	v.recent.mu.Lock()
	seqs := slices.Clone(v.recent.seqs[agentID])
	v.recent.mu.Unlock()
	var facts []contracts.HUD
	for _, seq := range slices.Backward(seqs) {
		page, err := v.ledger.Read(ctx, seq-1, 1)
		if err != nil {
			return nil, err
		}
		if len(page) > 0 && page[0].Seq == seq { // retention may have removed the record
			if body, err := page[0].Decode(); err == nil { // /readyz reports damage to the ledger
				h := *body.(*contracts.HUD) // readers share the body
				h.At = cmp.Or(h.At, page[0].TS)
				facts = append(facts, h)
			}
		}
	}
	list := []RecentActivity{}
	for _, h := range withoutEnded(facts) {
		list = append(list, recentActivity(&h))
	}
	return list, nil
}

// withoutEnded returns the facts without the start of each call or thought whose end is in the list
// too. The end gets the label and arguments that only its start has. Facts are newest first.
func withoutEnded(facts []contracts.HUD) (list []contracts.HUD) {
	type call struct {
		session, id string
		thought     bool
	}
	ends := map[call]int{} // index in list
	for _, h := range facts {
		c := call{h.Session, h.CorrelationID, h.Event == contracts.HUDThinkStart || h.Event == contracts.HUDThinkEnd}
		turn := h.Event == contracts.HUDTurnStart || h.Event == contracts.HUDTurnEnd
		end, ended := ends[c]
		switch {
		case turn || h.CorrelationID == "":
		case h.Event.Ends():
			ends[c] = len(list)
		case h.Event.Starts() && ended:
			delete(ends, c)
			list[end].Label = cmp.Or(list[end].Label, h.Label)
			if list[end].Args == nil {
				list[end].Args = h.Args
			}
			continue
		}
		list = append(list, h)
	}
	return list
}

func recentActivity(h *contracts.HUD) RecentActivity {
	label := model.FactWords(h)
	if h.Said != "" {
		label = "Said: " + h.Said
	}
	return RecentActivity{Event: h.Event, Tool: h.Tool, Label: hud.Line(label, contracts.LimitPreview), At: h.At}
}

// readEarlier looks for activity in the newest records that were written before the view started.
// It does so only once.
func (v *View) readEarlier(ctx context.Context) error {
	r := &v.recent
	r.mu.Lock()
	read := r.read
	r.mu.Unlock()
	if read {
		return nil
	}
	earlier, err := v.earlier(ctx)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.read { // another request has read them
		return nil
	}
	r.read = true
	if r.seqs == nil {
		r.seqs = map[string][]uint64{}
	}
	for agent, seqs := range earlier {
		list := append(seqs, r.seqs[agent]...)
		r.seqs[agent] = list[max(0, len(list)-contracts.LimitRecent):]
	}
	return nil
}

// earlier returns the seqs of each agent's activity in the last LimitRecentBack records before the
// view started.
func (v *View) earlier(ctx context.Context) (map[string][]uint64, error) {
	found := map[string][]uint64{}
	after := v.recent.since - min(v.recent.since, contracts.LimitRecentBack)
	for after < v.recent.since {
		page, err := v.ledger.Read(ctx, after, contracts.LimitReplayPage, contracts.KindHUD)
		if err != nil {
			return nil, err
		}
		for i := range page {
			if page[i].Seq > v.recent.since {
				return found, nil
			}
			if body, err := page[i].Decode(); err == nil {
				id := body.(*contracts.HUD).AgentID
				found[id] = append(found[id], page[i].Seq)
			}
			after = page[i].Seq
		}
		if len(page) < contracts.LimitReplayPage {
			break
		}
	}
	return found, nil
}
