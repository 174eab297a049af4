package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/contracts"
)

// outcome is what a caller knows about a message that it sent.
type outcome struct {
	node       string // the node it was sent to
	text       string // unique
	sent, done time.Time
	seq        uint64 // 0 unless it was acknowledged
	refused    bool   // it must not be recorded
}

// load uses the office on all nodes at the same time.
type load struct {
	ctx        context.Context // cancelled when people and agents must stop
	stopActors func()          // stops people and agents; viewers continue
	stop       func()          // stops people, agents and viewers
	running    sync.WaitGroup  // people and agents

	mu       sync.Mutex
	commands []outcome
	reports  []outcome
	viewers  []*viewer
	worked   int // number of turns by the outpost's agent
}

func startLoad(t *testing.T, c *cluster) *load {
	l := &load{}
	ctx, cancel := context.WithCancel(context.Background())
	l.ctx = ctx
	l.stopActors = func() { cancel(); l.running.Wait() }
	viewing, stopViewing := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	l.stop = func() { l.stopActors(); stopViewing(); watching.Wait() }
	t.Cleanup(l.stop)
	for i, n := range c.nodes {
		l.running.Go(func() { l.talk(n, i) })
		l.running.Go(func() { l.report(n, i) })
		v := &viewer{node: n.name}
		l.viewers = append(l.viewers, v)
		watching.Go(func() { v.watch(viewing, n) })
	}
	l.running.Go(func() { l.manage(c.nodes[0]) })
	l.running.Go(func() { l.work(t, c.outpost) })
	return l
}

// slowest lists, for each node, the duration of the slowest command that was acknowledged since a
// given time.
func (l *load) slowest(since time.Time) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	most := map[string]time.Duration{}
	for _, o := range l.commands {
		if o.done.After(since) && o.seq != 0 {
			most[o.node] = max(most[o.node], o.done.Sub(o.sent))
		}
	}
	var list []string
	for _, node := range slices.Sorted(maps.Keys(most)) {
		list = append(list, fmt.Sprintf("%s %s", node, most[node].Round(time.Millisecond)))
	}
	return strings.Join(list, ", ")
}

// pause waits for d. It returns false if the load ends first.
func (l *load) pause(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-l.ctx.Done():
		return false
	}
}

// talk sends messages to an agent through one node. It repeats each message until the office
// answers.
func (l *load) talk(n *node, who int) {
	c := n.client(fmt.Sprintf("talker%d", who))
	defer c.Close()
	for i := 0; l.pause(300 * time.Millisecond); i++ {
		o := outcome{node: n.name, text: fmt.Sprintf("message %d of talker %d", i, who), sent: time.Now()}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), time.Minute)
		ack, err := l.doWithRetry(ctx, c, contracts.Say{To: "agent_bd", Text: o.text})
		cancel()
		o.done, o.seq = time.Now(), ack.Seq
		refusal := (*contracts.Refusal)(nil)
		o.refused = errors.As(err, &refusal) && refusal.Code != contracts.CodeInternal
		l.mu.Lock()
		l.commands = append(l.commands, o)
		l.mu.Unlock()
	}
}

// doWithRetry sends a command, and tries again while the node is not running.
func (l *load) doWithRetry(ctx context.Context, c *client.Client, data contracts.CommandData) (contracts.Ack, error) {
	for {
		ack, err := c.Do(ctx, data)
		if dial := (*client.DialError)(nil); !errors.As(err, &dial) || ctx.Err() != nil {
			return ack, err
		}
		time.Sleep(100 * time.Millisecond) // it was never sent
	}
}

// report reports an agent's activity to the office through one node. Each report has an id and is
// repeated until it is accepted.
func (l *load) report(n *node, who int) {
	c := n.client(fmt.Sprintf("reporter%d", who))
	defer c.Close()
	for i := 0; l.pause(100 * time.Millisecond); i++ {
		o := outcome{node: n.name, text: fmt.Sprintf("report %d of agent %d", i, who), sent: time.Now()}
		body := map[string]string{"event_id": o.text, "message": o.text}
		for {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), 20*time.Second)
			err := c.Send(ctx, "POST", fmt.Sprintf("/v1/ui/message?agent=guest%d", who), body, nil)
			cancel()
			if err == nil {
				o.done, o.seq = time.Now(), 1
			}
			if err == nil || !l.pause(200*time.Millisecond) {
				break
			}
		}
		l.mu.Lock()
		l.reports = append(l.reports, o)
		l.mu.Unlock()
	}
}

// manage submits projects to the office, has it assign their tasks, and answers questions.
func (l *load) manage(n *node) {
	c := n.client("manager")
	defer c.Close()
	do := func(data contracts.CommandData) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), time.Minute)
		defer cancel()
		_, _ = l.doWithRetry(ctx, c, data)
	}
	l.running.Go(func() {
		for i := 0; ; i++ {
			do(contracts.SubmitRequest{Text: fmt.Sprintf("Write page %d", i)})
			if !l.pause(5 * time.Second) {
				return
			}
		}
	})
	_ = c.Follow(l.ctx, client.Subscription{Events: true}, func(u client.Update) error {
		for _, m := range u.Messages {
			var e contracts.Event
			if m.Type != contracts.TypeEvent || m.Decode(&e) != nil {
				continue
			}
			switch {
			case e.Name == contracts.EventTasksCreated:
				l.running.Go(func() { do(contracts.AutoAssign{ProjectID: e.ProjectID}) })
			case e.Name == contracts.EventDecisionRequested && len(e.Decision.Options) > 0:
				l.running.Go(func() {
					do(contracts.ResolveDecision{DecisionID: e.Decision.DecisionID, Choice: e.Decision.Options[0]})
				})
			}
		}
		return nil
	})
}

// viewer records what one person saw: the records since the viewer last started over.
type viewer struct {
	node string

	mu     sync.Mutex
	seqs   []uint64
	resets int
	why    []contracts.ResumeReason // reasons for the resets
	wrong  string                   // the first violation
}

func (v *viewer) watch(ctx context.Context, n *node) {
	c := n.client("viewer-" + n.name)
	defer c.Close()
	err := c.Follow(ctx, client.Subscription{Events: true, Chat: true, HUD: true, UI: true}, v.take)
	if ctx.Err() == nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.wrong = fmt.Sprintf("stopped watching: %v", err)
	}
}

func (v *viewer) take(u client.Update) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if u.Reset {
		v.seqs = nil
		v.resets++
	}
	for _, m := range u.Messages {
		var ack contracts.HelloAck
		if m.Type == contracts.TypeHelloAck && m.Decode(&ack) == nil && ack.Resume != nil && ack.Resume.Reason != contracts.ResumeCursorOK {
			v.why = append(v.why, ack.Resume.Reason)
		}
		if m.Seq == 0 || m.Type == contracts.TypeSnapshot {
			continue
		}
		if n := len(v.seqs); n > 0 && m.Seq <= v.seqs[n-1] && v.wrong == "" {
			v.wrong = fmt.Sprintf("record %d came after record %d", m.Seq, v.seqs[n-1])
		}
		v.seqs = append(v.seqs, m.Seq)
	}
	return nil
}

// caughtUp reports whether the viewer has seen a record, or has just started over from a snapshot.
func (v *viewer) caughtUp(newest uint64) bool {
	last := v.last()
	v.mu.Lock()
	defer v.mu.Unlock()
	return last == newest || last == 0 && v.resets > 0
}

// last returns the seq of the newest record that the viewer has seen since it last started over.
func (v *viewer) last() uint64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.seqs) == 0 {
		return 0
	}
	return v.seqs[len(v.seqs)-1]
}
