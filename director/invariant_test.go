package director_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

// check checks the invariants of the domain model.
func check(w *world.World) error {
	for _, rule := range []func(*world.World) error{references, assignments, decisions, seats, perches, reviews, trophies, guests, rooms, handedOut} {
		if err := rule(w); err != nil {
			return err
		}
	}
	return nil
}

func references(w *world.World) error {
	for _, t := range w.Tasks() {
		if w.Project(t.ProjectID) == nil || (t.Assignee != "" && w.Agent(t.Assignee) == nil) {
			return fmt.Errorf("task %s has a broken reference", t.TaskID)
		}
	}
	for _, d := range w.Decisions() {
		if outside(d) {
			if d.Status == contracts.DecisionOpen && d.AskedBy != "" && w.Agent(d.AskedBy) == nil {
				return fmt.Errorf("decision %s was asked by an agent that has left", d.DecisionID)
			}
			continue
		}
		if w.Project(d.ProjectID) == nil || w.Task(d.TaskID) == nil || w.Agent(d.AskedBy) == nil {
			return fmt.Errorf("decision %s has a broken reference", d.DecisionID)
		}
	}
	for _, a := range w.Artifacts() {
		if w.Project(a.ProjectID) == nil || w.Task(a.TaskID) == nil || (a.Parent != "" && w.Artifact(a.Parent) == nil) {
			return fmt.Errorf("artifact %s has a broken reference", a.ArtifactID)
		}
	}
	return nil
}

// assignments checks that agents and tasks agree on who works on what, and that an agent has at
// most one active task.
func assignments(w *world.World) error {
	holds := map[string]string{}
	for _, a := range w.Agents() {
		if a.TaskID == "" {
			continue
		}
		t := w.Task(a.TaskID)
		if t == nil || t.Assignee != a.AgentID || t.Status.Final() {
			return fmt.Errorf("%s has task %s, but the task has ended or names another agent: %+v", a.AgentID, a.TaskID, t)
		}
		holds[a.TaskID] = a.AgentID
	}
	for _, t := range w.Tasks() {
		active := t.Status == contracts.TaskInProgress || t.Status == contracts.TaskBlocked
		if active && holds[t.TaskID] == "" {
			return fmt.Errorf("the active task %s has no agent (%s)", t.TaskID, t.Assignee)
		}
		if t.Attempt > 0 && t.Run.Attempt != t.Attempt {
			return fmt.Errorf("task %s is at attempt %d but its run at %d", t.TaskID, t.Attempt, t.Run.Attempt)
		}
	}
	return nil
}

func decisions(w *world.World) error {
	open := map[string]int{}
	for _, d := range w.Decisions() {
		if d.Status == contracts.DecisionOpen && !outside(d) {
			if open[d.TaskID]++; open[d.TaskID] > 1 {
				return fmt.Errorf("task %s is waiting for two decisions", d.TaskID)
			}
			if w.Task(d.TaskID).Status != contracts.TaskBlocked {
				return fmt.Errorf("task %s has an open decision but is %s", d.TaskID, w.Task(d.TaskID).Status)
			}
		}
	}
	for _, t := range w.Tasks() {
		if t.Status == contracts.TaskBlocked && open[t.TaskID] == 0 && !t.Ready {
			return fmt.Errorf("task %s is blocked without a decision", t.TaskID)
		}
	}
	return nil
}

// outside reports whether a decision belongs to none of the office's projects.
func outside(d *contracts.Decision) bool { return d.ProjectID == "" }

// guests checks that the visible state of a guest matches its status and its questions.
func guests(w *world.World) error {
	for _, a := range w.Guests() {
		state := a.Goal.State
		offline := a.Status != nil && a.Status.Activity == contracts.ActivityOffline
		asks := w.OpenAsk(a.AgentID) != nil
		switch {
		case a.TaskID != "":
			return fmt.Errorf("guest %s has task %s", a.AgentID, a.TaskID)
		case offline != (state == contracts.StateOffline):
			return fmt.Errorf("guest %s is shown as %s, offline %v", a.AgentID, state, offline)
		case !offline && asks && state != contracts.StateToPlayer && state != contracts.StateSeeking && state != contracts.StateWaiting:
			return fmt.Errorf("guest %s asks a question, but is shown as %s", a.AgentID, state)
		}
	}
	return nil
}

// rooms checks that agents and places are in open rooms, and that a plot has at most one room.
func rooms(w *world.World) error {
	for _, a := range w.Agents() {
		if a.RoomID != "" && w.Room(a.RoomID) == nil {
			return fmt.Errorf("%s is in %s, which is not open", a.AgentID, a.RoomID)
		}
		if _, ok := w.Scene().POI(a.Goal.Goal.POIID); a.Goal.Goal.POIID != "" && !ok {
			return fmt.Errorf("%s is at %s, which does not exist", a.AgentID, a.Goal.Goal.POIID)
		}
	}
	let := map[contracts.Plot]string{}
	for _, r := range w.Rooms() {
		if other := let[r.Plot]; other != "" {
			return fmt.Errorf("%s and %s are on the plot %v", r.RoomID, other, r.Plot)
		}
		let[r.Plot] = r.RoomID
	}
	return nil
}

// seats checks that places do not exceed their capacity and that no two agents share a spot.
func seats(w *world.World) error {
	booked := map[string]string{}
	at := map[string]int{}
	for i, a := range w.Agents() {
		g := a.Goal.Goal
		if g.Kind == contracts.GoalIdle && g.PerchOf == "" && (g.POIID == "poi_delivery_shelf" || g.POIID == "poi_meeting_table") {
			return fmt.Errorf("%s idles at %s", a.AgentID, g.POIID)
		}
		if g.AnchorID != "" {
			if other := booked[g.AnchorID]; other != "" {
				return fmt.Errorf("%s and %s share %s", a.AgentID, other, g.AnchorID)
			}
			booked[g.AnchorID] = a.AgentID
			at[g.POIID]++
			if poi, _ := w.Scene().POI(g.POIID); at[g.POIID] > poi.Capacity {
				return fmt.Errorf("%s has %d people, but capacity %d", g.POIID, at[g.POIID], poi.Capacity)
			}
		}
		if takesNoSpace(a) {
			continue
		}
		for _, b := range w.Agents()[:i] {
			if takesNoSpace(b) {
				continue
			}
			p, q := a.Destination(), b.Destination()
			if math.Hypot(p[0]-q[0], p[2]-q[2]) < 0.5-1e-6 {
				return fmt.Errorf("%s and %s go to the same spot %v", a.AgentID, b.AgentID, p)
			}
		}
	}
	return nil
}

// takesNoSpace reports whether other agents may be at an agent's spot: the agent sits at another
// agent's desk, or it is offline and has given up its seat.
func takesNoSpace(a *world.Agent) bool {
	g := &a.Goal
	return g.Goal.PerchOf != "" || a.Guest() && g.State == contracts.StateOffline && g.Goal.AnchorID == ""
}

// perches checks that sub-agents book nothing and perch with agents in the office, and that a desk
// in a room has one owner, who is in that room.
func perches(w *world.World) error {
	owners := map[string]string{}
	for _, a := range w.Agents() {
		g := a.Goal.Goal
		if host := w.Agent(g.PerchOf); g.PerchOf != "" && (host == nil || host.Goal.Goal.PerchOf != "" || g.AnchorID != "" || a.RoomID != host.RoomID || a.SeatID != "") {
			return fmt.Errorf("%s perches at %s with %+v: %+v", a.AgentID, g.AnchorID, host, a)
		}
		if a.SeatID == "" {
			continue
		}
		if other := owners[a.SeatID]; other != "" || w.Room(a.RoomID) == nil || !strings.HasSuffix(a.SeatID, contracts.RoomSuffix(a.RoomID)) {
			return fmt.Errorf("%s in %s owns %s, which %s owns too", a.AgentID, a.RoomID, a.SeatID, other)
		}
		owners[a.SeatID] = a.AgentID
	}
	return nil
}

func reviews(w *world.World) error {
	for _, a := range w.Artifacts() {
		if s := w.Task(a.TaskID).Status; a.Status == contracts.ArtifactInReview && (s.Final() || s == contracts.TaskPlanned) {
			return fmt.Errorf("artifact %s is in review but its task is %s", a.ArtifactID, s)
		}
	}
	for _, p := range w.Projects() {
		if p.CompletedAt == 0 {
			continue
		}
		for t := range w.ProjectTasks(p.ProjectID) {
			if !t.Status.Final() || w.OpenDecision(t.TaskID) != nil {
				return fmt.Errorf("project %s is completed, but %s is open", p.ProjectID, t.TaskID)
			}
		}
	}
	for _, t := range w.Tasks() {
		open := len(w.TaskArtifacts(t.TaskID, contracts.ArtifactInReview, contracts.ArtifactDelivered))
		if t.Status == contracts.TaskReview && open == 0 && !t.Ready {
			return fmt.Errorf("task %s is in review with nothing to review", t.TaskID)
		}
		running := t.Run.Status == contracts.RunStarted || t.Run.Status == contracts.RunRunning
		if running && t.Status != contracts.TaskInProgress && t.Status != contracts.TaskBlocked {
			return fmt.Errorf("task %s is %s, but its run is %s", t.TaskID, t.Status, t.Run.Status)
		}
		if t.Status == contracts.TaskDone && len(w.TaskArtifacts(t.TaskID, contracts.ArtifactApproved)) == 0 {
			return fmt.Errorf("task %s is done without an approved artifact", t.TaskID)
		}
	}
	return nil
}

func trophies(w *world.World) error {
	seen := map[string]bool{}
	for _, d := range w.Decor() {
		if seen[d.AnchorID] {
			return fmt.Errorf("two trophies on %s", d.AnchorID)
		}
		seen[d.AnchorID] = true
	}
	return nil
}

// The invariants of the domain model hold for random histories. A refused command changes nothing,
// and replaying the records, even in two parts, produces the live world.
func TestInvariantsOverRandomHistories(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newRig(rt)
		for range rapid.IntRange(5, 60).Draw(rt, "steps") {
			if rapid.IntRange(0, 20).Draw(rt, "switch studios") == 0 {
				s.d = director.New(director.Config{Sources: sources, Studios: rapid.Bool().Draw(rt, "studios")})
				s.pass(contracts.StudioIdle + time.Second)
			}
			before, err := s.w.Hash()
			if err != nil {
				rt.Fatal(err)
			}
			input := s.random
			if rapid.IntRange(0, 2).Draw(rt, "sensible") > 0 {
				input = s.sensible
			}
			if refusal := input(rt); refusal != nil {
				if after, _ := s.w.Hash(); after != before {
					rt.Fatalf("the input was refused (%v), but the world changed", refusal)
				}
			}
			if err := check(s.w); err != nil {
				rt.Fatalf("%v\n%s", err, s.story())
			}
			if recs, err := s.d.Advance(s.w, s.moment()); err != nil || len(recs) != 0 {
				rt.Fatalf("the office did not settle: %d more records, %v", len(recs), err)
			}
		}
		s.replay(rt)
	})
}

func (s *rig) replay(rt *rapid.T) {
	want, err := s.w.Hash()
	if err != nil {
		rt.Fatal(err)
	}
	cut := rapid.IntRange(0, len(s.recs)).Draw(rt, "cut")
	w := world.New(scene.Default())
	for i, rec := range s.recs {
		if i == cut {
			if w, err = w.Clone(); err != nil {
				rt.Fatal(err)
			}
		}
		bare := contracts.Record{Seq: rec.Seq, TS: rec.TS, Kind: rec.Kind, ID: rec.ID, Key: rec.Key, Body: rec.Body}
		if err := w.Apply(bare); err != nil {
			rt.Fatal(err)
		}
	}
	if got, _ := w.Hash(); got != want {
		live, _ := s.w.Encode()
		replayed, _ := w.Encode()
		rt.Fatalf("replay differs from live: %s", cmp.Diff(string(live), string(replayed)))
	}
}

// random sends one input from a person or a worker, valid or not, or lets time pass.
func (s *rig) random(rt *rapid.T) *contracts.Refusal {
	task := func() string {
		return pick(rt, "task", ids(s.w.Tasks(), func(t *world.Task) string { return t.TaskID }))
	}
	agent := func() string {
		return pick(rt, "agent", ids(s.w.Agents(), func(a *world.Agent) string { return a.AgentID }))
	}
	project := func() string {
		return pick(rt, "project", ids(s.w.Projects(), func(p *world.Project) string { return p.ProjectID }))
	}
	artifact := func() string {
		return pick(rt, "artifact", ids(s.w.Artifacts(), func(a *contracts.Artifact) string { return a.ArtifactID }))
	}
	attempt := func(id string) int {
		if t := s.w.Task(id); t != nil {
			return t.Attempt - rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(rt, "stale")
		}
		return 1
	}
	command := func(c contracts.CommandData) *contracts.Refusal { _, refusal := s.try(c); return refusal }
	switch rapid.IntRange(0, 28).Draw(rt, "input") {
	case 0:
		return command(contracts.SubmitRequest{Text: "Do something useful", AutoAssign: rapid.Bool().Draw(rt, "auto"), Repo: rapid.SampledFrom([]string{"", "shop"}).Draw(rt, "repo")})
	case 1, 2:
		drafts := make([]contracts.TaskDraft, rapid.IntRange(0, 4).Draw(rt, "tasks"))
		for i := range drafts {
			kinds := []contracts.TaskKind{contracts.KindCode, contracts.KindCopy, contracts.KindDesign, contracts.KindResearch, contracts.KindReview, "unheard_of"}
			drafts[i] = contracts.TaskDraft{Title: "T", Kind: rapid.SampledFrom(kinds).Draw(rt, "kind")}
		}
		return s.tell(contracts.PlanReady{ProjectID: project(), Tasks: drafts})
	case 3:
		return command(contracts.AssignTask{TaskID: task(), AgentID: agent()})
	case 4:
		return command(contracts.AutoAssign{ProjectID: project()})
	case 5:
		return command(contracts.ReassignTask{TaskID: task(), ToAgentID: agent()})
	case 6:
		return command(contracts.CancelTask{TaskID: task(), Confirm: true})
	case 7:
		return command(contracts.RerunTask{SourceTaskID: task()})
	case 8:
		if rapid.Bool().Draw(rt, "pause") {
			return command(contracts.PauseProject{ProjectID: project()})
		}
		return command(contracts.ResumeProject{ProjectID: project()})
	case 9:
		return command(contracts.ApproveArtifact{ArtifactID: artifact()})
	case 10:
		return command(contracts.RequestChanges{ArtifactID: artifact(), Instructions: "Again."})
	case 11:
		return command(contracts.SplitIntoTasks{ArtifactID: artifact(), TaskTitles: []string{"One", "Two"}})
	case 12:
		dec := pick(rt, "decision", ids(s.w.Decisions(), func(d *contracts.Decision) string { return d.DecisionID }))
		choice := rapid.SampledFrom([]string{"A", "B", "Try again", "Cancel the task", "no such option"}).Draw(rt, "choice")
		return command(contracts.ResolveDecision{DecisionID: dec, Choice: choice})
	case 13:
		id := task()
		return s.tell(contracts.RunAsked{TaskID: id, Attempt: attempt(id), Prompt: "Which?", Options: []string{"A", "B"}})
	case 14, 15:
		id := task()
		drafts := make([]contracts.ArtifactDraft, rapid.IntRange(0, 3).Draw(rt, "artifacts"))
		for i := range drafts {
			drafts[i] = contracts.ArtifactDraft{Type: "report", Title: fmt.Sprint("R", i)}
		}
		return s.tell(contracts.RunDelivered{TaskID: id, Attempt: attempt(id), Artifacts: drafts})
	case 16:
		id := task()
		return s.tell(contracts.RunBroke{TaskID: id, Attempt: attempt(id), Reason: "it broke"})
	case 17:
		names := []contracts.CommandName{contracts.CmdStopAgent, contracts.CmdKillAgent, contracts.CmdNewSession, contracts.CmdHandover, contracts.CmdSwitchAgent}
		return command(contracts.AgentControl{Name: rapid.SampledFrom(names).Draw(rt, "control"), AgentID: agent(), ToAgentID: agent()})
	case 18:
		s.caller.Permit = rapid.Bool().Draw(rt, "permit")
		s.players = []contracts.Player{{PlayerID: "player_1", Pos: contracts.Vec3{rapid.Float64Range(-6, 6).Draw(rt, "x"), 0, rapid.Float64Range(-5, 5).Draw(rt, "z")}}}
		return nil
	case 19, 20, 21, 22, 23:
		return s.outsider(rt)
	case 24, 25, 26:
		id := task()
		return s.inRepo(rt, id, attempt(id))
	}
	if at, ok := s.d.Deadline(s.w); ok && rapid.Bool().Draw(rt, "deadline") {
		s.now = max(s.now, at)
	} else {
		s.now += int64(rapid.IntRange(1, 40_000).Draw(rt, "ms"))
	}
	s.advance()
	return nil
}

// outsider sends one input from an agent that works elsewhere.
func (s *rig) outsider(rt *rapid.T) *contracts.Refusal {
	id := rapid.SampledFrom([]string{"agent_g1", "agent_g2", "agent_g3", "agent_bd", "nobody"}).Draw(rt, "outsider")
	switch rapid.IntRange(0, 6).Draw(rt, "outside") {
	case 0, 1:
		return s.tell(contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: id, Name: id, Source: "openclaw", ParentID: rapid.SampledFrom([]string{"", "agent_g1", "agent_g2", "agent_bd"}).Draw(rt, "parent"),
			Place: rapid.SampledFrom([]string{"", "~/src/shop", "~/src/docs"}).Draw(rt, "place")}})
	case 2, 3:
		activity := rapid.SampledFrom([]contracts.Activity{contracts.ActivityWorking, contracts.ActivityWaiting, contracts.ActivityIdle, contracts.ActivityOffline, "asleep"})
		return s.tell(contracts.StatusSeen{Status: contracts.AgentStatus{AgentID: id, Activity: activity.Draw(rt, "activity"), Why: "seen", Authority: contracts.FromHook}})
	case 4:
		expires := rapid.SampledFrom([]int64{0, 0, s.now + 5000}).Draw(rt, "expires")
		return s.tell(contracts.AskSeen{AgentID: id, Kind: contracts.DecisionPermission, Prompt: "May I?", Options: []string{"A", "B"}, ExpiresAt: expires, Permission: &contracts.Permission{Tool: "exec"}})
	case 5:
		return s.tell(contracts.UsageSeen{AgentID: id, Usage: contracts.Usage{TokensIn: 3}})
	}
	return s.tell(contracts.AgentGone{AgentID: id, Reason: "left"})
}

// sensible sends an input that the office is waiting for, so that histories get long.
func (s *rig) sensible(rt *rapid.T) *contracts.Refusal {
	command := func(c contracts.CommandData) *contracts.Refusal { _, refusal := s.try(c); return refusal }
	var todo []func() *contracts.Refusal
	add := func(f func() *contracts.Refusal) { todo = append(todo, f) }
	for _, work := range s.w.Work() {
		switch {
		case work.Plan:
			add(func() *contracts.Refusal {
				return s.tell(contracts.PlanReady{ProjectID: work.Project.ProjectID, Tasks: []contracts.TaskDraft{
					{Title: "A", Kind: contracts.KindCode}, {Title: "B", Kind: contracts.KindCode}, {Title: "C", Kind: contracts.KindCopy}}})
			})
		case work.Task != nil:
			task := work.Task.Task
			add(func() *contracts.Refusal {
				return s.tell(contracts.RunAsked{TaskID: task.TaskID, Attempt: task.Attempt, Prompt: "Which?", Options: []string{"A", "B"}})
			})
			add(func() *contracts.Refusal {
				return s.tell(contracts.RunDelivered{TaskID: task.TaskID, Attempt: task.Attempt, Artifacts: []contracts.ArtifactDraft{{Type: "report", Title: "R"}}})
			})
		}
	}
	for _, d := range s.w.Decisions() {
		if d.Status == contracts.DecisionOpen {
			add(func() *contracts.Refusal {
				return command(contracts.ResolveDecision{DecisionID: d.DecisionID, Choice: rapid.SampledFrom(d.Options).Draw(rt, "choice")})
			})
		}
	}
	for _, a := range s.w.Artifacts() {
		if a.Status == contracts.ArtifactInReview {
			add(func() *contracts.Refusal { return command(contracts.ApproveArtifact{ArtifactID: a.ArtifactID}) })
			add(func() *contracts.Refusal {
				return command(contracts.RequestChanges{ArtifactID: a.ArtifactID, Instructions: "Again."})
			})
		}
	}
	for _, p := range s.w.Projects() {
		if p.Kickoff == world.KickoffOver && !p.AutoAssign {
			add(func() *contracts.Refusal { return command(contracts.AutoAssign{ProjectID: p.ProjectID}) })
		}
	}
	if len(s.w.Projects()) == 0 {
		add(func() *contracts.Refusal {
			return command(contracts.SubmitRequest{Text: "Do something useful", AutoAssign: rapid.Bool().Draw(rt, "auto")})
		})
	}
	if len(todo) == 0 || rapid.IntRange(0, 2).Draw(rt, "wait") == 0 {
		s.now += int64(rapid.IntRange(1, 60_000).Draw(rt, "ms"))
		s.advance()
		return nil
	}
	return rapid.SampledFrom(todo).Draw(rt, "todo")()
}

func ids[T any](rows []*T, id func(*T) string) []string {
	out := []string{"nothing_has_this_id"}
	for _, r := range rows {
		out = append(out, id(r))
	}
	return out
}

// pick returns one of ids, most often the last, which is the newest.
func pick(rt *rapid.T, label string, ids []string) string {
	if i := rapid.IntRange(0, len(ids)+2).Draw(rt, label); i < len(ids) {
		return ids[i]
	}
	return ids[len(ids)-1]
}
