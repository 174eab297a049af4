package director_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

// lives is an office that a test kills and restarts.
type lives struct {
	*testing.T
	d    *director.Director
	w    *world.World
	now  int64
	life string
	n    int
}

func newLives(t *testing.T) *lives {
	l := &lives{T: t, d: director.New(director.Config{Sources: sources}), w: world.New(scene.Default()), now: 1000}
	if _, err := l.d.Create(l.w, l.moment(), "l", []contracts.AgentProfile{{AgentID: "agent_bd", Name: "Ada", Role: contracts.RoleBD}}); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *lives) moment() director.Now {
	return director.Now{MS: l.now, Node: "n", Life: l.life}
}

// begin restarts the office one second later, as if after a kill -9, and returns a summary of the
// records that the restart writes.
func (l *lives) begin(watches ...string) []string {
	l.Helper()
	lastActive := l.now
	l.now += 1000
	life, recs, err := l.d.Begin(l.w, director.Now{MS: l.now, Node: "n"}, lastActive, watches)
	if err != nil {
		l.Fatal(err)
	}
	l.life = life
	return summarize(l.T, recs)
}

// summarize returns one line for each activity, chat, owner and event record.
func summarize(t *testing.T, recs []contracts.Record) (list []string) {
	for _, r := range recs {
		body, err := r.Decode()
		if err != nil {
			t.Fatal(err)
		}
		switch b := body.(type) {
		case *contracts.HUD:
			list = append(list, fmt.Sprintf("%s %s", b.Event, b.CorrelationID))
		case *contracts.Chat:
			list = append(list, fmt.Sprintf("%s answers %d", b.From, b.AnswersSeq))
		case *contracts.Owner:
			list = append(list, fmt.Sprintf("%s up=%v", b.ID, b.Up))
		case *contracts.Event:
			list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s", b.Name, b.DecisionID)))
		}
	}
	return list
}

func (l *lives) tell(f contracts.Fact) (contracts.Result, *contracts.Refusal) {
	l.Helper()
	l.now++
	_, res, refusal, err := l.d.Observe(l.w, l.moment(), f)
	if err != nil {
		l.Fatal(err)
	}
	return res, refusal
}

// see reports an activity fact, written "event id" or "event id in turn".
func (l *lives) see(watch, text string) *contracts.Refusal {
	l.Helper()
	l.n++
	word := strings.Fields(text)
	h := contracts.HUD{UUID: fmt.Sprint("fact ", l.n), Event: contracts.HUDEvent(word[0]), CorrelationID: word[1], AgentID: "agent_bd", Session: "s"}
	if len(word) > 3 {
		h.ParentID = word[3]
	}
	_, refusal := l.tell(contracts.HUDSeen{HUD: h, Watch: watch})
	return refusal
}

func (l *lives) must(refusal *contracts.Refusal) {
	l.Helper()
	if refusal != nil {
		l.Fatal(refusal)
	}
}

func (l *lives) advance() []string {
	l.Helper()
	recs, err := l.d.Advance(l.w, l.moment())
	if err != nil {
		l.Fatal(err)
	}
	return summarize(l.T, recs)
}

func (l *lives) want(what string, got []string, want ...string) {
	l.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		l.Errorf("%s: %s", what, diff)
	}
}

// open returns the ids of the open turns, and of the open calls outside any turn.
func (l *lives) open() (ids []string) {
	for _, t := range l.w.Turns() {
		ids = append(ids, t.ID)
	}
	for _, c := range l.w.LooseCalls() {
		ids = append(ids, c.ID)
	}
	return ids
}

// After a kill, the old life is down, and everything that it ran ends, calls first. Watched turns
// continue, because the next life takes over the watch.
func TestKilledLifeEndsWhatItRan(t *testing.T) {
	l := newLives(t)
	l.want("the first life", l.begin("claude", "ui"), "life_3 up=true", "watch_claude@n up=true", "watch_ui@n up=true")
	l.must(l.see("", "turn_start run"))
	l.must(l.see("", "tool_start c1 in run"))
	l.must(l.see("", "think_start k1 in run"))
	l.must(l.see("claude", "turn_start seen"))
	l.must(l.see("claude", "tool_start c2 in seen"))
	l.must(l.see("ui", "tool_start loose"))
	l.want("nothing is due", l.advance())
	l.want("the second life", l.begin("claude", "ui"), "life_3 up=false", "think_end k1", "tool_end c1", "turn_end run", "life_16 up=true")
	l.want("open", l.open(), "seen", "loose")
	if turn := l.w.Turns()[0]; turn.Owner != "watch_claude@n" || turn.Origin != contracts.OriginOutside || len(turn.Calls) != 1 {
		t.Errorf("%+v", turn)
	}
	l.want("a third life has nothing to end", l.begin("claude", "ui"), "life_16 up=false", "life_18 up=true")
}

// If nobody takes over a watch, its turns end after WatchGrace; until then the watch can come back.
func TestAbandonedWatchExpires(t *testing.T) {
	l := newLives(t)
	l.begin("claude")
	l.must(l.see("claude", "turn_start t"))
	l.want("without the watch", l.begin(), "life_3 up=false", "watch_claude@n up=false", "life_8 up=true")
	l.want("open", l.open(), "t")
	if due, ok := l.d.Deadline(l.w); !ok || due != l.now+contracts.WatchGrace.Milliseconds() {
		t.Errorf("due %d, %v", due, ok)
	}
	if refusal := l.see("claude", "turn_start u"); refusal == nil || refusal.Code != contracts.CodeConflict {
		t.Errorf("a watch that is down started a turn: %v", refusal)
	}
	l.want("with it again", l.begin("claude"), "life_8 up=false", "life_10 up=true", "watch_claude@n up=true")
	if _, ok := l.d.Deadline(l.w); ok {
		t.Error("something is due although the watch is back")
	}
	l.begin()
	l.now += contracts.WatchGrace.Milliseconds() - 1
	l.want("a moment before", l.advance())
	l.now++
	l.want("when the time is over", l.advance(), "turn_end t")
	l.want("open", l.open())
}

// In a ledger without owners, the first start ends everything that is open, and withdraws
// permission requests that nobody is waiting for, in one batch.
func TestLedgerWithoutOwners(t *testing.T) {
	l := newLives(t)
	l.must(l.see("", "turn_start t"))
	l.must(l.see("", "tool_start c in t"))
	l.must(l.see("", "tool_start loose"))
	permission, refusal := l.tell(contracts.AskSeen{AgentID: "agent_bd", Kind: contracts.DecisionPermission, Prompt: "May it run?", Options: []string{"Allow"}, Permission: &contracts.Permission{Tool: "Bash"}})
	l.must(refusal)
	question, refusal := l.tell(contracts.UISeen{UI: contracts.UI{Source: "x", EventID: "1"}, Ask: &contracts.AskSeen{Kind: contracts.DecisionAsk, Prompt: "Which?", AllowFreeText: true}})
	l.must(refusal)
	got := l.begin("ui")
	l.want("ended", got[:4], "tool_end c", "turn_end t", "tool_end loose", "decision_cancelled "+permission.DecisionID)
	if l.w.Decision(question.DecisionID).Status != contracts.DecisionOpen {
		t.Error("a script's question was withdrawn")
	}
	l.want("open", l.open())
}

// A question belongs to the owner that is waiting for its answer: a connection that died with the
// server is no longer waiting, but a gateway and a script still are.
func TestQuestionBelongsToTheOwnerThatWaits(t *testing.T) {
	l := newLives(t)
	l.begin("openclaw")
	ask := contracts.AskSeen{AgentID: "agent_bd", Kind: contracts.DecisionAsk, Prompt: "Which?", AllowFreeText: true}
	waits, refusal := l.tell(ask)
	l.must(refusal)
	ask.Watch = "openclaw"
	listed, refusal := l.tell(ask)
	l.must(refusal)
	polled, refusal := l.tell(contracts.UISeen{UI: contracts.UI{Source: "x", EventID: "1"}, Ask: &ask})
	l.must(refusal)
	if got := l.begin("openclaw"); !slices.Contains(got, "decision_cancelled "+waits.DecisionID) {
		t.Errorf("%v", got)
	}
	for _, id := range []string{listed.DecisionID, polled.DecisionID} {
		if d := l.w.Decision(id); d.Status != contracts.DecisionOpen {
			t.Errorf("%+v", d)
		}
	}
	ask.Watch = "elsewhere"
	if _, refusal := l.tell(ask); refusal == nil || refusal.Code != contracts.CodeConflict {
		t.Errorf("an owner that is down could ask: %v", refusal)
	}
	l.begin()
	l.now += contracts.WatchGrace.Milliseconds()
	l.advance()
	if l.w.Decision(listed.DecisionID).Status != contracts.DecisionCancelled || l.w.Decision(polled.DecisionID).Status != contracts.DecisionOpen {
		t.Error("the expired watch must end its own question and no other")
	}
}

// When a turn ends, for whatever reason, its questions are withdrawn.
func TestTurnWithdrawsItsQuestions(t *testing.T) {
	l := newLives(t)
	l.begin()
	ask := contracts.AskSeen{AgentID: "agent_bd", Kind: contracts.DecisionAsk, Prompt: "Which?", AllowFreeText: true, TurnID: "t"}
	other := ask
	other.TurnID = "u"
	l.must(l.see("", "turn_start t"))
	l.must(l.see("", "turn_start u"))
	asked, refusal := l.tell(ask)
	l.must(refusal)
	kept, refusal := l.tell(other)
	l.must(refusal)
	l.must(l.see("", "turn_end t"))
	if d := l.w.Decision(asked.DecisionID); d.Status != contracts.DecisionCancelled || d.Reason == "" {
		t.Errorf("%+v", d)
	}
	if d := l.w.Decision(kept.DecisionID); d.Status != contracts.DecisionOpen {
		t.Errorf("%+v", d)
	}
	l.begin()
	if d := l.w.Decision(kept.DecisionID); d.Status != contracts.DecisionCancelled {
		t.Errorf("%+v", d)
	}
}

// An owner that was declared gone and then returns is fenced: its starts and questions are refused,
// and its ends change nothing.
func TestReturningOwnerIsFenced(t *testing.T) {
	l := newLives(t)
	l.begin()
	old := l.life
	l.must(l.see("", "turn_start t"))
	l.begin()
	for _, h := range []contracts.HUD{
		{Event: contracts.HUDTurnStart, CorrelationID: "late"},
		{Event: contracts.HUDToolStart, CorrelationID: "c", ParentID: "t", Tool: "exec"},
		{Event: contracts.HUDToolStart, CorrelationID: "loose", Tool: "exec"},
	} {
		h.UUID, h.Owner = "x", old
		if _, refusal := l.tell(contracts.HUDSeen{HUD: h}); refusal == nil || refusal.Code != contracts.CodeConflict {
			t.Errorf("%s: %v", h.Event, refusal)
		}
	}
	before, _ := l.w.Hash()
	seq := l.w.Seq()
	l.must(l.see("", "turn_end t"))
	if l.w.Seq() != seq+1 || len(l.open()) != 0 || before == "" {
		t.Errorf("open: %v", l.open())
	}
	unknown := contracts.HUD{UUID: "y", Event: contracts.HUDTurnStart, CorrelationID: "v", Owner: "life_999"}
	if _, refusal := l.tell(contracts.HUDSeen{HUD: unknown}); refusal == nil || refusal.Code != contracts.CodeConflict {
		t.Errorf("an unknown owner: %v", refusal)
	}
}

// An end that the office creates has the format of its tool's results and shows paths relative to
// the turn's directory. Its duration is measured up to the owner's last activity.
func TestGeneratedEndHasTheShapeOfItsTool(t *testing.T) {
	l := newLives(t)
	l.begin()
	l.now = 10_000
	start := contracts.HUD{UUID: "1", Event: contracts.HUDTurnStart, CorrelationID: "t", AgentID: "agent_bd", Session: "s", TaskID: "task_a", Rehearsal: true, Root: "/w"}
	l.tell(contracts.HUDSeen{HUD: start})
	call := contracts.HUD{
		UUID: "2", Event: contracts.HUDToolStart, CorrelationID: "c\x01", ParentID: "t", AgentID: "agent_bd", Session: "s", Label: "Read a.go",
		Tool: "read", Args: jsontext.Value(`{"path":"/w/a.go","extra":"` + strings.Repeat("x", 3000) + `"}`),
	}
	l.tell(contracts.HUDSeen{HUD: call})
	lastActive := l.now + 5000
	l.now += 60_000
	_, recs, err := l.d.Begin(l.w, director.Now{MS: l.now, Node: "n"}, lastActive, nil)
	if err != nil {
		t.Fatal(err)
	}
	var ends []*contracts.HUD
	for _, r := range recs {
		if body, _ := r.Decode(); r.Kind == contracts.KindHUD {
			ends = append(ends, body.(*contracts.HUD))
			if r.Key != "" {
				t.Errorf("the end has the key %q", r.Key)
			}
		}
	}
	if len(ends) != 2 || len(l.open()) != 0 {
		t.Fatalf("%d ends were recorded; open: %v", len(ends), l.open())
	}
	c, turn := ends[0], ends[1]
	if !strings.Contains(string(c.Result), `"viewerPath":"a.go"`) || !strings.Contains(string(c.Result), `"ok":false`) || c.Label != "Read a.go" || *c.DurationMS != 5000 || c.TaskID != "task_a" || !c.Rehearsal {
		t.Errorf("%+v: %s", c, c.Result)
	}
	if turn.TaskID != "task_a" || !turn.Rehearsal || *turn.DurationMS != 5001 || string(turn.Result) != `{"ok":false,"error":"the server stopped during the turn"}` || turn.UUID == c.UUID {
		t.Errorf("%+v: %s", turn, turn.Result)
	}
}

// Setting the clock back during a restart causes no negative durations, and everything that was open
// before the restart is ended as usual.
func TestClockSetBackAcrossARestart(t *testing.T) {
	l := newLives(t)
	l.begin("claude")
	l.now += 3_600_000
	l.must(l.see("", "turn_start t"))
	l.must(l.see("claude", "turn_start w"))
	lastActive := l.now
	l.now -= 3_500_000
	_, recs, err := l.d.Begin(l.w, director.Now{MS: l.now, Node: "n"}, lastActive, nil)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(recs, func(r contracts.Record) bool { return r.Kind == contracts.KindHUD })
	body, _ := recs[i].Decode()
	if end := body.(*contracts.HUD); end.CorrelationID != "t" || *end.DurationMS != 1 {
		t.Errorf("%+v lasted %d ms", end, *end.DurationMS)
	}
	l.want("open", l.open(), "w")
	if due, ok := l.d.Deadline(l.w); !ok || due != l.now+contracts.WatchGrace.Milliseconds() {
		t.Errorf("deadline %d, %v at %d", due, ok, l.now)
	}
}

// Beyond the limits, the oldest open turns and calls are ended, and their ends are recorded.
func TestOpenTurnsAreLimited(t *testing.T) {
	l := newLives(t)
	l.begin()
	for i := range contracts.LimitTurnCalls + 1 {
		if i == 0 {
			l.must(l.see("", "turn_start first"))
		}
		l.must(l.see("", fmt.Sprintf("tool_start c%d in first", i)))
	}
	if calls := l.w.Turns()[0].Calls; len(calls) != contracts.LimitTurnCalls || calls[0].ID != "c1" {
		t.Errorf("%d calls, first %s", len(calls), calls[0].ID)
	}
	for i := range contracts.LimitOpenTurns {
		l.must(l.see("", fmt.Sprintf("turn_start t%d", i)))
	}
	if turns := l.w.Turns(); len(turns) != contracts.LimitOpenTurns || turns[0].ID != "t0" {
		t.Errorf("%d turns, first %s", len(turns), turns[0].ID)
	}
	for i := range contracts.LimitLooseCalls + 1 {
		l.must(l.see("", fmt.Sprintf("tool_start l%d", i)))
	}
	if calls := l.w.LooseCalls(); len(calls) != contracts.LimitLooseCalls || calls[0].ID != "l1" {
		t.Errorf("%d loose calls, first %s", len(calls), calls[0].ID)
	}
}

// After a restart, a bridge guest whose turn was cut off is idle. The status of a guest whose
// watcher continues does not change.
func TestBridgeGuestIsIdleAfterARestart(t *testing.T) {
	l := newLives(t)
	l.begin("claude")
	for _, source := range []string{contracts.SourceBridge, "claude"} {
		id := "agent_" + source
		_, refusal := l.tell(contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: id, Name: source, Source: source}})
		l.must(refusal)
		_, refusal = l.tell(contracts.StatusSeen{Status: contracts.AgentStatus{AgentID: id, Activity: contracts.ActivityWorking, Why: "Working", Authority: contracts.FromStream}})
		l.must(refusal)
	}
	for i, session := range []string{"s1", "s2"} {
		h := contracts.HUD{UUID: fmt.Sprint(i), Event: contracts.HUDTurnStart, CorrelationID: "t", AgentID: "agent_bridge", Session: session}
		_, refusal := l.tell(contracts.HUDSeen{HUD: h})
		l.must(refusal)
	}
	_, refusal := l.tell(contracts.HUDSeen{HUD: contracts.HUD{UUID: "w", Event: contracts.HUDTurnStart, CorrelationID: "t", AgentID: "agent_claude", Session: "s"}, Watch: "claude"})
	l.must(refusal)
	got := l.begin("claude")
	if n := len(slices.DeleteFunc(slices.Clone(got), func(s string) bool { return s != "agent_status" })); n != 1 {
		t.Errorf("%v", got)
	}
	if s := l.w.Agent("agent_bridge").Status; s.Activity != contracts.ActivityIdle || s.Since != l.now {
		t.Errorf("%+v", s)
	}
	if s := l.w.Agent("agent_claude").Status; s.Activity != contracts.ActivityWorking {
		t.Errorf("%+v", s)
	}
}

// H3: every start has an end, even if the server was killed in between. The next life ends
// everything left open, inner calls first, each in the format of its tool.
func TestLeftoversAreEnded(t *testing.T) {
	l := newLives(t)
	l.begin()
	l.now = 0
	for i, h := range []contracts.HUD{
		{Event: contracts.HUDTurnStart, CorrelationID: "t0"},
		{Event: contracts.HUDTurnEnd, CorrelationID: "t0"},
		{Event: contracts.HUDReceived},
		{Event: contracts.HUDTurnStart, CorrelationID: "t1", TaskID: "task_a", Rehearsal: true, Root: "/w"},
		{Event: contracts.HUDThinkStart, CorrelationID: "k1", ParentID: "t1"},
		{Event: contracts.HUDToolStart, CorrelationID: "c1", ParentID: "t1", Tool: "exec", Args: jsontext.Value(`{"command":"make /w/a.mk"}`)},
		{Event: contracts.HUDToolStart, CorrelationID: "c2", ParentID: "t1", Tool: "mystery"},
		{Event: contracts.HUDToolStart, CorrelationID: "c3", ParentID: "t1", Tool: "read"},
		{Event: contracts.HUDToolEnd, CorrelationID: "c3", ParentID: "t1", Tool: "read"},
	} {
		h.UUID, h.AgentID, h.Session = fmt.Sprintf("old-%d", i), "agent_bd", "rehearsal:agent_bd"
		l.now += 999 // the fact itself takes another millisecond
		_, refusal := l.tell(contracts.HUDSeen{HUD: h})
		l.must(refusal)
	}
	_, recs, err := l.d.Begin(l.w, director.Now{MS: 60_000, Node: "n"}, l.now, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range recs {
		if body, _ := r.Decode(); r.Kind == contracts.KindHUD {
			h := body.(*contracts.HUD)
			got = append(got, fmt.Sprintf("%s %s %s %d %s", h.Event, h.CorrelationID, h.ParentID, *h.DurationMS, h.Result))
			if h.Session != "rehearsal:agent_bd" || h.UUID == "" || h.AgentID == "" || h.TaskID != "task_a" || !h.Rehearsal {
				t.Errorf("the end does not match its start: %+v", h)
			}
		}
	}
	const reason = "the server stopped during the turn"
	l.want("ends", got,
		`tool_end c2 t1 2000 {"ok":false,"raw":"`+reason+`"}`,
		`tool_end c1 t1 3000 {"ok":false,"exitCode":-1,"stdout":"","truncated":false,"mentionedPaths":[{"path":"/w/a.mk","viewerPath":"a.mk"}],"error":"`+reason+`"}`,
		`think_end k1 t1 4000 {"ok":false,"error":"`+reason+`"}`,
		`turn_end t1  5000 {"ok":false,"error":"`+reason+`"}`,
	)
}

// A message to a guest is answered with a reason once the life that delivered it has ended, whether
// that life was killed or stopped. Messages to the crew wait for the next life.
func TestMessageToAGuestEndsWithItsLife(t *testing.T) {
	for name, stopped := range map[string]bool{"killed": false, "stopped": true} {
		t.Run(name, func(t *testing.T) {
			l := newLives(t)
			l.begin()
			_, refusal := l.tell(contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: "agent_scout", Name: "scout", Source: contracts.SourceBridge, Session: "bridge:s"}})
			l.must(refusal)
			say := func(to string) uint64 {
				if _, _, refusal, err := l.d.Decide(l.w, l.moment(), contracts.Caller{}, contracts.Say{Text: "Hello", To: to}); refusal != nil || err != nil {
					t.Fatal(refusal, err)
				}
				return l.w.Seq()
			}
			asked := say("agent_scout")
			say("agent_bd")
			lost := fmt.Sprintf("agent_scout answers %d", asked)
			if did := l.advance(); slices.Contains(did, lost) {
				t.Fatalf("the message was answered while its life is up: %v", did)
			}
			down := l.life + " up=false"
			if stopped {
				recs, err := l.d.End(l.w, l.moment())
				if err != nil {
					t.Fatal(err)
				}
				l.want("the end", summarize(t, recs), down, lost)
				began := l.begin()
				l.want("the next start", began, l.life+" up=true")
			} else {
				began := l.begin()
				l.want("the next start", began, down, lost, l.life+" up=true")
			}
			if left := l.w.Unanswered(); left != 1 {
				t.Errorf("%d messages are waiting", left)
			}
		})
	}
}

// Messages to a guest that leaves are answered once, when the guest leaves: later answers do not
// count, and a restart adds nothing.
func TestMessageToAGuestThatLeaves(t *testing.T) {
	l := newLives(t)
	l.begin()
	_, refusal := l.tell(contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: "agent_scout", Name: "scout", Source: contracts.SourceBridge, Session: "bridge:s"}})
	l.must(refusal)
	if _, _, refusal, err := l.d.Decide(l.w, l.moment(), contracts.Caller{}, contracts.Say{Text: "Hello", To: "agent_scout"}); refusal != nil || err != nil {
		t.Fatal(refusal, err)
	}
	asked := l.w.Seq()
	recs, _, refusal, err := l.d.Observe(l.w, l.moment(), contracts.AgentGone{AgentID: "agent_scout", Reason: "it hung up"})
	if l.must(refusal); err != nil {
		t.Fatal(err)
	}
	answers := 0
	for i := range recs {
		body, err := recs[i].Decode()
		if c, ok := body.(*contracts.Chat); err == nil && ok && c.AnswersSeq == asked && c.ThreadID == "agent:agent_scout" && c.Text == "scout has left the office without answering." {
			answers++
		}
	}
	if answers != 1 || l.w.Unanswered() != 0 {
		t.Errorf("%d answers, %d messages are waiting: %v", answers, l.w.Unanswered(), summarize(t, recs))
	}
	if _, refusal := l.tell(contracts.ChatSaid{Chat: contracts.Chat{From: "agent_scout", Text: "Here I am", AnswersSeq: asked}}); refusal == nil || refusal.Code != contracts.CodeConflict {
		t.Errorf("a second answer: %v", refusal)
	}
	for _, line := range l.begin() {
		if strings.Contains(line, "agent_scout answers") {
			t.Errorf("the message was answered again after a restart: %s", line)
		}
	}
}

// A clean shutdown ends everything that the office ran, and nothing that it only watched.
func TestCleanShutdownLeavesNothingOpen(t *testing.T) {
	l := newLives(t)
	l.begin("claude")
	l.must(l.see("", "turn_start t"))
	l.must(l.see("claude", "turn_start w"))
	recs, err := l.d.End(l.w, l.moment())
	if err != nil {
		t.Fatal(err)
	}
	l.want("the end", summarize(t, recs), l.life+" up=false", "turn_end t")
	l.want("open", l.open(), "w")
	if refusal := l.see("", "turn_start late"); refusal == nil {
		t.Error("a life that has ended started a turn")
	}
	began := l.begin("claude")
	l.want("the next start", began, l.life+" up=true")
	l.want("open", l.open(), "w")
}
