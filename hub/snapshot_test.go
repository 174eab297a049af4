package hub

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
)

func snapshotOf(t *testing.T, m message) contracts.Snapshot {
	t.Helper()
	var s contracts.Snapshot
	if err := json.Unmarshal(m.Payload, &s); err != nil || m.Type != contracts.TypeSnapshot {
		t.Fatalf("want a snapshot, got %s (%v)", m.raw, err)
	}
	return s
}

func TestW16_SnapshotsComeAtTheirRateWithUniqueIDs(t *testing.T) {
	for _, c := range []struct {
		hz   float64
		want int
	}{{0, 20}, {0.1, 20}, {5, 50}, {100, 50}} {
		virtual(t, func(t *testing.T, r *rig) {
			v := r.connect(t)
			v.hello(helloPlain)
			v.subscribe(`{"snapshots":true}`)
			first := v.expect(contracts.TypeSnapshot)
			time.Sleep(10*time.Second + 50*time.Millisecond)
			ids := map[string]bool{first.ID: true}
			n := len(v.got)
			for range n {
				m := v.expect(contracts.TypeSnapshot)
				if ids[m.ID] {
					t.Errorf("snapshot id %s was used twice", m.ID)
				}
				if ids[m.ID] = true; snapshotLedger(m.ID) != r.ledger.ID() {
					t.Errorf("id %s does not contain the ledger's identity", m.ID)
				}
			}
			if n != c.want {
				t.Errorf("%v Hz: %d snapshots in 10 s, want %d", c.hz, n, c.want)
			}
		}, withConfig(func(cfg *Config) { cfg.SnapshotHz = c.hz }))
	}
}

func TestW16_NoSnapshotsWithoutSubscribers(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		v := r.connect(t)
		v.join() // the first snapshot is sent even if the channel is off
		before := r.hub.snapCount
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if r.hub.snapCount != before || len(v.got) > 0 {
			t.Errorf("%d snapshots taken, %d messages", r.hub.snapCount-before, len(v.got))
		}
	})
}

func TestW8_SnapshotMatchesItsPosition(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		v := r.connect(t)
		v.hello(helloPlain)
		v.subscribe(`{"events":true,"snapshots":true}`)
		last := uint64(0)
		for range 300 {
			r.append(note("x"), note("y"))
			time.Sleep(7 * time.Millisecond)
		}
		synctest.Wait()
		for len(v.got) > 0 {
			m := <-v.got
			if m.Type == contracts.TypeEvent && m.Seq <= last {
				t.Fatalf("event %d after %d", m.Seq, last)
			}
			if m.Type == contracts.TypeSnapshot && m.Seq < last {
				t.Fatalf("snapshot at seq %d after event %d", m.Seq, last)
			}
			last = max(last, m.Seq)
		}
		if last != r.ledger.Head() {
			t.Errorf("saw records up to %d of %d", last, r.ledger.Head())
		}
	})
}

func TestW16_DeltaFollowsItsBase(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		v := r.connect(t)
		v.hello(helloPlain)
		v.send(contracts.TypeSubscribe, `{"scene_id":"cozy_office_v0","channels":{"snapshots":true},"snapshots":{"mode":"delta"}}`)
		m := v.expect(contracts.TypeSnapshot)
		full := snapshotOf(t, m)
		if full.Mode == "delta" || len(full.Agents) != 1 || len(full.Sources) != 1 || full.Sources[0].Label != "Toy Agent" {
			t.Fatalf("first: %s", m.raw)
		}
		time.Sleep(5 * time.Second)
		if len(v.got) > 0 {
			t.Fatalf("got a message although nothing changed: %s", (<-v.got).raw)
		}
		r.append(&contracts.Event{Name: contracts.EventAgentJoined,
			Agents: []contracts.AgentProfile{{AgentID: "agent_new", Name: "Kim", Role: contracts.RoleGuest, Source: "toy"}}})
		n := v.expect(contracts.TypeSnapshot)
		d := snapshotOf(t, n)
		if d.Mode != "delta" || d.Base != m.ID || len(d.Agents) != 1 || d.Agents[0].AgentID != "agent_new" || len(d.Removed) > 0 || d.Sources != nil {
			t.Errorf("delta: %s", n.raw)
		}
		if !slices.Equal(d.Agents[0].Controls, []contracts.CommandName{contracts.CmdStopAgent}) {
			t.Errorf("the new agent's controls are %v", d.Agents[0].Controls)
		}
		time.Sleep(5 * time.Second)
		if len(v.got) > 0 {
			t.Errorf("got a message although nothing changed: %s", (<-v.got).raw)
		}
	}, withConfig(func(c *Config) {
		c.Sources = contracts.Sources{{Source: "toy", Label: "Toy Agent", Color: "#336699", Controls: []contracts.CommandName{contracts.CmdStopAgent}}}
	}))
}

func TestDiffNamesChangedAndRemovedRows(t *testing.T) {
	old := contracts.Snapshot{
		Tasks:   []contracts.Task{{TaskID: "task_a"}, {TaskID: "task_b"}, {TaskID: "task_c"}},
		Players: []contracts.Player{{PlayerID: "player_a"}},
		Rooms:   []contracts.Room{{RoomID: "room_1", Desks: 1}, {RoomID: "room_2"}, {RoomID: "room_3"}},
	}
	now := contracts.Snapshot{
		Seq:   9,
		Tasks: []contracts.Task{{TaskID: "task_a"}, {TaskID: "task_b", Percent: 5}, {TaskID: "task_d"}},
		Rooms: []contracts.Room{{RoomID: "room_1", Desks: 2}, {RoomID: "room_3"}},
	}
	d, changed := diffSnapshot(&old, &now)
	if !changed || len(d.Tasks) != 2 || d.Tasks[0].TaskID != "task_b" || d.Tasks[1].TaskID != "task_d" || d.Seq != 9 {
		t.Errorf("delta %+v", d)
	}
	if len(d.Rooms) != 1 || d.Rooms[0].Desks != 2 {
		t.Errorf("rooms %+v", d.Rooms)
	}
	if got := strings.Join(d.Removed, " "); got != "task_c room_2 player_a" {
		t.Errorf("removed %q", got)
	}
	if _, changed := diffSnapshot(&now, &now); changed {
		t.Error("equal states give a delta")
	}
}
