package sim

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/turn"
	"github.com/bullpen-office/bullpen/world"
)

// answerContext returns a context that expires when a person or a script stops waiting for an
// answer, which may be before or after the office gives up on an append.
func answerContext(r *rand.Rand) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), between(r, 5*time.Second, 2*time.Minute))
}

// sent is a command and its final answer.
type sent struct {
	cmd   contracts.Command
	reply contracts.Reply
}

// send sends a command once; ok is false if the outcome is unknown or the command may be sent again.
type send func(ctx context.Context, cmd contracts.Command) (reply contracts.Reply, ok bool)

// direct sends a command to the office. A process that was killed does not answer.
func (h *history) direct(ctx context.Context, cmd contracts.Command) (contracts.Reply, bool) {
	l := h.await()
	reply := l.office.Do(ctx, cmd)
	return reply, !l.disk.dead()
}

// command simulates a person who sends commands until the active part of the history is over. Every
// command is sent again, with the same id, until it is answered; some are sent twice at the same
// time.
func (h *history) command(name string, by send) {
	r := source(h.plan.seed, name)
	for n := 0; h.active(); n++ {
		time.Sleep(between(r, 100*time.Millisecond, 8*time.Second))
		cmd := contracts.Command{ID: fmt.Sprint(name, "_", n), Caller: contracts.Caller{Identity: "local/" + name, By: name, Access: contracts.AccessOperator, Permit: true}}
		h.await().view.Peek(func(w *world.World) { cmd.Data = choose(r, w) })
		var wg sync.WaitGroup
		if r.IntN(4) == 0 {
			wg.Go(func() { h.sendUntilAnswered(source(h.plan.seed, cmd.ID), cmd, h.direct) })
		}
		h.sendUntilAnswered(r, cmd, by)
		wg.Wait()
	}
}

// sendUntilAnswered sends a command until it is executed or refused, and records the answer.
func (h *history) sendUntilAnswered(r *rand.Rand, cmd contracts.Command, by send) {
	for !h.overdue() {
		ctx, cancel := answerContext(r)
		reply, ok := by(ctx, cmd)
		cancel()
		if ok && (reply.Refusal == nil || reply.Refusal.Code != contracts.CodeInternal) {
			h.note(sent{cmd, reply})
			return
		}
		time.Sleep(between(r, 0, 2*time.Second))
	}
	h.addError("command %s (%T) received no answer", cmd.ID, cmd.Data)
}

// choose returns a command that may make sense now: an answer, a review, a request, a message or a
// control.
func choose(r *rand.Rand, w *world.World) contracts.CommandData {
	var options []contracts.CommandData
	add := func(weight int, data contracts.CommandData) {
		for range weight {
			options = append(options, data)
		}
	}
	add(3, contracts.SubmitRequest{Text: "Build a shed", AutoAssign: true})
	add(2, contracts.Say{To: staff[r.IntN(len(staff))].AgentID, Text: "How is it going?"})
	control := []contracts.CommandName{contracts.CmdStopAgent, contracts.CmdNewSession, contracts.CmdKillAgent}
	add(1, contracts.AgentControl{Name: control[r.IntN(len(control))], AgentID: staff[r.IntN(len(staff))].AgentID})
	for _, d := range w.Decisions() {
		if d.Status == contracts.DecisionOpen && len(d.Options) > 0 {
			add(4, contracts.ResolveDecision{DecisionID: d.DecisionID, Choice: d.Options[r.IntN(len(d.Options))]})
		}
	}
	for _, a := range w.Artifacts() {
		if a.Status == contracts.ArtifactInReview {
			add(2, contracts.ApproveArtifact{ArtifactID: a.ArtifactID})
			add(1, contracts.RequestChanges{ArtifactID: a.ArtifactID, Instructions: "Make it smaller."})
		}
	}
	for _, p := range w.Projects() {
		add(1, contracts.PauseProject{ProjectID: p.ProjectID})
		add(2, contracts.ResumeProject{ProjectID: p.ProjectID})
	}
	for _, t := range w.Tasks() {
		add(1, contracts.CancelTask{TaskID: t.TaskID, Confirm: true})
		add(1, contracts.RerunTask{SourceTaskID: t.TaskID})
	}
	return options[r.IntN(len(options))]
}

// reportedFact is a fact that a script reported.
type reportedFact struct {
	name      string // unique name of the workflow event
	confirmed bool   // the event is known to be recorded
}

// report simulates a script that reports workflow events. Events with an id are reported until they
// are recorded; events without an id are reported again only if the office replies that they were
// not recorded.
func (h *history) report(name string) {
	r := source(h.plan.seed, name)
	for n := range h.plan.reports {
		time.Sleep(between(r, 0, 2*h.plan.active/time.Duration(h.plan.reports)))
		f := reportedFact{name: fmt.Sprint(name, "_", n)}
		fact := contracts.UISeen{UI: contracts.UI{Name: f.name, Kind: contracts.UIStatus, Raw: []byte(`"x"`), Source: name}}
		keyed := r.IntN(2) == 0
		if keyed {
			fact.UI.EventID = f.name
		}
		for !f.confirmed && !h.overdue() {
			ctx, cancel := answerContext(r)
			l := h.await()
			refusal := l.office.Tell(ctx, fact)[0].Refusal
			cancel()
			f.confirmed = refusal == nil && !l.disk.dead()
			if !f.confirmed && !keyed && (l.disk.dead() || !strings.HasPrefix(refusal.Message, "not executed")) {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
		if keyed && !f.confirmed {
			h.addError("fact %s was not recorded", f.name)
		}
		h.noteFact(f)
	}
}

// call simulates a caller that prompts agents and abandons some of the turns early.
func (h *history) call(name string) {
	r := source(h.plan.seed, name)
	for n := 0; h.active(); n++ {
		time.Sleep(between(r, 0, 10*time.Second))
		ctx, cancel := context.WithTimeout(context.Background(), between(r, time.Second, 2*time.Minute))
		text := fmt.Sprint("Question ", n)
		_, _ = h.await().engine.Run(ctx, turn.Request{
			Key: turn.Key{Agent: staff[r.IntN(len(staff))].AgentID, Chat: name}, Origin: contracts.OriginCaller,
			Prompt: drive.Prompt{Text: text, TS: time.Now().UnixMilli()}, Said: text, Orphan: contracts.BridgeOrphan,
		})
		cancel()
	}
}
