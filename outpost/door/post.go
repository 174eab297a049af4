package door

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
)

// post is the door's state for one outpost.
type post struct {
	name string

	changing sync.Mutex // held while the life starts or ends

	mu      sync.Mutex
	machine string
	version string
	life    string // empty if the outpost has no life
	ended   string // the last life that this node ended
	adopted bool   // the roster manages the outpost's agents
	since   time.Time
	last    time.Time

	announced time.Time // when the other nodes were last notified of a report from the outpost
}

// Health returns the outposts that are connected or have agents in the office, sorted by name.
func (d *Door) Health() []contracts.OutpostHealth {
	var list []contracts.OutpostHealth
	for _, p := range d.list() {
		h := p.health(d.cfg.Now(), d.cfg.View.OutpostAgents(p.name))
		if h.State == contracts.OutpostLinkUp || h.Agents > 0 {
			list = append(list, h)
		}
	}
	slices.SortFunc(list, func(a, b contracts.OutpostHealth) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// countConnected counts the connected outposts.
func (d *Door) countConnected() (count float64) {
	for _, h := range d.Health() {
		if h.State == contracts.OutpostLinkUp {
			count++
		}
	}
	return count
}

// HealthOf returns the health of one outpost. It returns false if the outpost is unknown.
func (d *Door) HealthOf(name string) (contracts.OutpostHealth, bool) {
	d.mu.Lock()
	p := d.posts[name]
	d.mu.Unlock()
	if p == nil {
		return contracts.OutpostHealth{}, false
	}
	return p.health(d.cfg.Now(), d.cfg.View.OutpostAgents(name)), true
}

func (p *post) health(now time.Time, agents int) contracts.OutpostHealth {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := contracts.OutpostHealth{Name: p.name, State: contracts.OutpostLinkUp, Version: p.version, Agents: agents}
	if !p.since.IsZero() {
		h.Since, h.LastSeen = p.since.UnixMilli(), p.last.UnixMilli()
	}
	silent := now.Sub(p.last)
	switch {
	case p.life == "":
		h.State, h.Problem = contracts.OutpostLinkDown, "not connected; start `bullpen join` on its machine"
	case silent >= contracts.OutpostSilence || p.since.IsZero():
		h.State = contracts.OutpostLinkSilent
		h.Problem = fmt.Sprintf("no report for %s; its agents go offline after %s", status.FormatDuration(silent), status.FormatDuration(contracts.OutpostOfflineAfter))
	}
	return h
}

// handleReport stores a report from the outpost's current life, and occasionally notifies the other
// nodes. req is nil if the report contains only the life.
func (d *Door) handleReport(p *post, life string, req *contracts.FactsRequest) {
	s := contracts.OutpostSeen{Outpost: p.name, Life: life}
	if req != nil {
		s.Machine, s.Version = req.Machine, contracts.Clip(contracts.CleanLine(req.Version), contracts.LimitName)
	}
	if !d.storeReport(p, &s) {
		return
	}
	now := d.cfg.Now()
	p.mu.Lock()
	due := now.Sub(p.announced) >= contracts.OutpostHeartbeat/2
	if due {
		p.announced = now
	}
	p.mu.Unlock()
	if due {
		d.cfg.Announce(s)
	}
}

// HandleRemoteReport stores that an outpost reported to another node of the office.
func (d *Door) HandleRemoteReport(s contracts.OutpostSeen) {
	if contracts.IsOutpostName(s.Outpost) {
		d.storeReport(d.named(s.Outpost), &s)
	}
}

// storeReport stores the time of an outpost's report and the outpost's identity. It fills in the
// missing fields of s, and returns false if s does not name the outpost's current life. The life may
// have started on another node.
func (d *Door) storeReport(p *post, s *contracts.OutpostSeen) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.Life == "" || s.Life != p.life && s.Life != d.cfg.View.Outpost(p.name).Life {
		return false
	}
	now := d.cfg.Now()
	if p.since.IsZero() || s.Life != p.life || now.Sub(p.last) >= contracts.OutpostSilence {
		p.since = now
	}
	p.life, p.last = s.Life, now
	p.machine, p.version = cmp.Or(s.Machine, p.machine), cmp.Or(s.Version, p.version)
	s.Machine, s.Version = p.machine, p.version
	return true
}

// loadPosts adds the outposts recorded in the ledger. An outpost that has no life on this node yet
// gets its current one from the ledger, so that this node can declare it gone even if it reported to
// another node while this node was cut off.
func (d *Door) loadPosts() {
	for _, name := range d.cfg.View.Outposts() {
		p := d.add(&post{name: name})
		p.changing.Lock()
		if life := d.cfg.View.Outpost(name).Life; life != "" {
			p.continueLife(life, d.cfg.Now())
		}
		p.changing.Unlock()
	}
}

// continueLife sets the life of an outpost that has none. It ignores a life that this node has just
// ended, because Config.View may still show that life.
func (p *post) continueLife(life string, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.life == "" && life != p.ended {
		p.life, p.machine, p.version, p.since, p.last = life, "", "", time.Time{}, now
	}
}

// checkMachine returns a refusal if another machine reports under the outpost's name.
func (p *post) checkMachine(machine string, now time.Time) *contracts.Refusal {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.life == "" || p.machine == "" || p.machine == machine || now.Sub(p.last) >= contracts.OutpostSilence {
		return nil
	}
	refusal := contracts.Refuse(contracts.CodeConflict,
		"another machine is connected as outpost %s; stop `bullpen join` there, or create a token with another name: `bullpen token create --role outpost --name NAME`", p.name)
	refusal.RetryAfterMS = contracts.OutpostSilence.Milliseconds()
	return refusal
}

// startLife starts a new life of an outpost. It ends everything that the outpost's earlier life left
// open.
func (d *Door) startLife(
	ctx context.Context, p *post, req *contracts.FactsRequest,
) (life string, refusal *contracts.Refusal) {
	p.changing.Lock()
	defer p.changing.Unlock()
	reply := d.cfg.Office.TellAs(ctx, contracts.Teller{}, contracts.NodeUp{Node: contracts.OutpostNode(p.name), Watches: req.Watches})[0]
	if reply.Refusal != nil {
		return "", reply.Refusal
	}
	if err := d.cfg.Roster.Release(ctx, p.name); err != nil {
		return "", contracts.Refuse(contracts.CodeInternal, "outpost %s did not connect: %v; try again", p.name, err)
	}
	now := d.cfg.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.machine, p.version, p.life = req.Machine, contracts.Clip(contracts.CleanLine(req.Version), contracts.LimitName), contracts.LifeID(reply.Seq)
	p.adopted, p.since, p.last = false, now, now
	d.cfg.Log.Info("outpost connected", "outpost", p.name, "version", p.version)
	return p.life, nil
}

// endLife ends the life of an outpost and hands its agents over to the roster.
func (d *Door) endLife(ctx context.Context, p *post, life, says string) *contracts.Refusal {
	if refusal := d.cfg.Office.TellAs(ctx, contracts.Teller{}, contracts.NodeDown{Node: contracts.OutpostNode(p.name), Life: life})[0].Refusal; refusal != nil {
		return refusal
	}
	d.cfg.Roster.Adopt(p.name, says)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.life, p.ended, p.adopted = "", life, true
	d.cfg.Log.Info("outpost gone", "outpost", p.name, "reason", says)
	return nil
}

// leave ends a life at the outpost's request.
func (d *Door) leave(ctx context.Context, p *post, life string) *contracts.Refusal {
	p.changing.Lock()
	defer p.changing.Unlock()
	p.mu.Lock()
	current := p.life
	p.mu.Unlock()
	if current != life {
		return nil
	}
	return d.endLife(ctx, p, life, "outpost "+p.name+" has left")
}

// check marks an outpost as gone if it has been silent for too long while this node is the writer. It
// also gives the roster the agents that an earlier run of the office left behind.
func (d *Door) check(ctx context.Context, p *post) {
	p.changing.Lock()
	defer p.changing.Unlock()
	now := d.cfg.Now()
	d.silence.update(now, d.cfg.Writes())
	p.mu.Lock()
	last, life, adopted := p.last, p.life, p.adopted
	p.mu.Unlock()
	switch {
	case life != "" && d.silence.of(last, now) >= contracts.OutpostOfflineAfter:
		limit := status.FormatDuration(contracts.OutpostOfflineAfter)
		says := fmt.Sprintf("outpost %s has not reported for %s", p.name, limit)
		if refusal := d.endLife(ctx, p, life, says); refusal != nil && ctx.Err() == nil {
			d.cfg.Log.Warn("could not mark an outpost as gone; retrying", "outpost", p.name, "error", refusal)
		}
	case life != "" && adopted: // the outpost has connected to another node
		if d.cfg.Roster.Release(ctx, p.name) == nil {
			p.setAdopted(false)
		}
	case life == "" && !adopted:
		d.cfg.Roster.Adopt(p.name, "outpost "+p.name+" is not connected")
		p.setAdopted(true)
	}
}

func (p *post) setAdopted(adopted bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.adopted = adopted
}
