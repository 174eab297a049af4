package hub

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

func helloResume(last uint64, snapshotID string) string {
	return fmt.Sprintf(`{"client":{"name":"test"},"resume":{"last_seq":%d,"last_snapshot_id":%q}}`, last, snapshotID)
}

// missed reads the replay up to its snapshot, and returns the seqs and the snapshot.
func missed(t *testing.T, c *client) (seqs []uint64, snapshot message) {
	t.Helper()
	for {
		m := c.next()
		if m.Type == contracts.TypeSnapshot {
			return seqs, m
		}
		seqs = append(seqs, m.Seq)
	}
}

func checkRun(t *testing.T, seqs []uint64, from, to uint64) {
	t.Helper()
	if len(seqs) != int(to-from+1) {
		t.Fatalf("got %d messages, want %d to %d", len(seqs), from, to)
	}
	for i, s := range seqs {
		if s != from+uint64(i) {
			t.Fatalf("message %d has seq %d, want %d", i, s, from+uint64(i))
		}
	}
}

func TestW9_CursorOKReplaysFromTheRing(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		a := r.connect(t)
		first := a.join()
		r.append(note("1"))
		live := a.expect(contracts.TypeEvent)
		a.close()
		for i := range 500 {
			r.append(note("missed %d", i))
		}
		b := r.connect(t)
		ack := b.hello(helloResume(first.Seq, first.ID))
		if ack.Resume == nil || *ack.Resume != (contracts.ResumeReply{Status: "resumed", Reason: contracts.ResumeCursorOK, ReplayFromSeq: first.Seq + 1}) {
			t.Fatalf("resume %+v", ack.Resume)
		}
		b.subscribe(everything)
		m := b.next()
		if m.raw != live.raw {
			t.Errorf("W3: the replayed message is %s, the live one was %s", m.raw, live.raw)
		}
		seqs, snap := missed(t, b)
		checkRun(t, append([]uint64{m.Seq}, seqs...), first.Seq+1, r.ledger.Head())
		if snap.Seq != r.ledger.Head() {
			t.Errorf("the replay ends with a snapshot at seq %d", snap.Seq)
		}
		seq := r.append(note("live"))
		if m := b.expect(contracts.TypeEvent); m.Seq != seq {
			t.Errorf("live %s", m.raw)
		}
	})
}

func TestW9_CursorOKReplaysColdHistoryAfterARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "office.db")
	synctest.Test(t, func(t *testing.T) {
		l := fileLedger(t, path)
		defer l.Close()
		r := newRig(t, onLedger(l))
		a := r.connect(t)
		first := a.join()
		for i := range 800 {
			r.append(note("%d", i), &contracts.Receipt{CommandID: "c"})
		}
		r.stop()
		r2 := newRig(t, onLedger(l), func(r2 *rig, _ *Config) { r2.world = r.world }) // as after a restart
		defer r2.stop()
		r2.made.Store(1 << 20)
		b := r2.connect(t)
		if ack := b.hello(helloResume(first.Seq, first.ID)); ack.Resume.Reason != contracts.ResumeCursorOK {
			t.Fatalf("resume %+v", ack.Resume)
		}
		b.subscribe(everything)
		seqs, _ := missed(t, b)
		if len(seqs) != 800 {
			t.Fatalf("%d messages", len(seqs))
		}
		for i, s := range seqs {
			if s != first.Seq+1+uint64(i)*2 {
				t.Fatalf("message %d has seq %d", i, s)
			}
		}
		seq := r2.append(note("live"))
		if m := b.expect(contracts.TypeEvent); m.Seq != seq {
			t.Errorf("live %s", m.raw)
		}
	})
}

// brokenLedger fails reads on demand.
type brokenLedger struct {
	ledger.Ledger
	broken bool
	floor  uint64
}

func (l *brokenLedger) Read(ctx context.Context, after uint64, limit int, kinds ...contracts.Kind) ([]contracts.Record, error) {
	if l.broken {
		return nil, errors.New("the engine is unreachable")
	}
	return l.Ledger.Read(ctx, after, limit, kinds...)
}

func (l *brokenLedger) Floor() uint64 { return max(l.floor, l.Ledger.Floor()) }

func TestW9_Fallbacks(t *testing.T) {
	tiny := withConfig(func(c *Config) { c.Limits.RingBytes = 1 })
	cases := map[string]struct {
		durable bool
		hello   func(r *rig, snap message) string
		set     func(l *brokenLedger)
		opts    []rigOption
		want    contracts.ResumeReply
	}{
		"older than retention": {
			durable: true, set: func(l *brokenLedger) { l.floor = 5 },
			hello: func(_ *rig, m message) string { return helloResume(4, m.ID) },
			want:  contracts.ResumeReply{Status: "snapshot_required", Reason: contracts.ResumeCursorStale},
		},
		"too far behind": {
			durable: true, opts: []rigOption{withConfig(func(c *Config) { c.Limits.ReplayRecords = 10 })},
			hello: func(r *rig, m message) string { return helloResume(r.ledger.Head()-11, m.ID) },
			want:  contracts.ResumeReply{Status: "snapshot_required", Reason: contracts.ResumeCursorStale},
		},
		"ahead of the ledger": {
			durable: true, hello: func(r *rig, m message) string { return helloResume(r.ledger.Head()+1, m.ID) },
			want: contracts.ResumeReply{Status: "snapshot_required", Reason: contracts.ResumeCursorUnknown},
		},
		"another ledger": {
			durable: true, hello: func(*rig, message) string { return helloResume(3, "snap_another_3") },
			want: contracts.ResumeReply{Status: "snapshot_required", Reason: contracts.ResumeCursorUnknown},
		},
		"another epoch": {
			durable: true, hello: func(*rig, message) string {
				return `{"client":{"name":"t"},"resume":{"last_seq":3,"epoch":"another"}}`
			},
			want: contracts.ResumeReply{Status: "snapshot_required", Reason: contracts.ResumeCursorUnknown},
		},
		"a segment from another history": {
			durable: true, hello: func(*rig, message) string {
				return `{"client":{"name":"t"},"resume":{"last_seq":3,"segment":"another"}}`
			},
			want: contracts.ResumeReply{Status: "snapshot_required", Reason: contracts.ResumeCursorUnknown},
		},
		"another scene": {
			durable: true, hello: func(*rig, message) string {
				return `{"client":{"name":"t"},"resume":{"last_seq":3,"scene_id":"another_scene"}}`
			},
			want: contracts.ResumeReply{Status: "snapshot_required", Reason: contracts.ResumeCursorUnknown},
		},
		"engine unreachable": {
			durable: true, set: func(l *brokenLedger) { l.broken = true }, opts: []rigOption{tiny},
			hello: func(_ *rig, m message) string { return helloResume(1, m.ID) },
			want:  contracts.ResumeReply{Status: "unsupported", Reason: contracts.ResumeReplayUnavailable},
		},
		"replay switched off": {
			durable: true, opts: []rigOption{withConfig(func(c *Config) { c.ReplayOff = true })},
			hello: func(_ *rig, m message) string { return helloResume(1, m.ID) },
			want:  contracts.ResumeReply{Status: "unsupported", Reason: contracts.ResumeReplayUnavailable},
		},
		"restart of a ledger in memory": {
			hello: func(*rig, message) string { return helloResume(3, "snap_before_3") },
			want:  contracts.ResumeReply{Status: "snapshot_required", Reason: contracts.ResumeServerRestarted},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "office.db")
			synctest.Test(t, func(t *testing.T) {
				var inner ledger.Ledger = memoryLedger(t)
				if c.durable {
					inner.Close()
					inner = fileLedger(t, path)
				}
				defer inner.Close()
				l := &brokenLedger{Ledger: inner}
				r := newRig(t, append([]rigOption{onLedger(l)}, c.opts...)...)
				defer r.stop()
				for i := range 30 {
					r.append(note("%d", i))
				}
				a := r.connect(t)
				snap := a.join()
				if c.set != nil {
					c.set(l)
				}
				b := r.connect(t)
				ack := b.hello(c.hello(r, snap))
				if ack.Resume == nil || *ack.Resume != c.want {
					t.Fatalf("resume %+v, want %+v", ack.Resume, c.want)
				}
				b.subscribe(everything)
				m := b.expect(contracts.TypeEvent)
				if !strings.Contains(m.raw, `"name":"resync_fallback_snapshot"`) || !strings.Contains(m.raw, string(c.want.Reason)) || m.Seq != 0 {
					t.Errorf("fallback event %s", m.raw)
				}
				if m := b.expect(contracts.TypeSnapshot); m.Seq != r.ledger.Head() {
					t.Errorf("snapshot at seq %d", m.Seq)
				}
				seq := r.append(note("live"))
				if m := b.expect(contracts.TypeEvent); m.Seq != seq {
					t.Errorf("live %s", m.raw)
				}
				if m := a.next(); m.Seq != seq {
					t.Errorf("the fallback reached another viewer: %s", m.raw)
				}
			})
		})
	}
}

func TestW9_OldAndNewSnapshotIDsAreUnderstood(t *testing.T) {
	for id, want := range map[string]string{
		"snap_abc_5": "abc", "snap_abc_5_17": "abc", "snap_888": "", "snap_abc_x": "", "snap_abc_5_y": "", "snip_abc_5": "", "": "",
	} {
		if got := snapshotLedger(id); got != want {
			t.Errorf("%q names %q, want %q", id, got, want)
		}
	}
}

func TestW9_ReplayedActivityIsMarked(t *testing.T) {
	for name, ring := range map[string]int{"ring": 0, "cold": 1} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T, r *rig) {
				a := r.connect(t)
				a.join()
				cursor := r.append(note("x"))
				marked := hudFact("h2")
				marked.Replay = true
				r.append(hudFact("h1"), marked)
				r.append(note("after"))
				time.Sleep(time.Second)
				b := r.connect(t)
				b.hello(fmt.Sprintf(`{"client":{"name":"t"},"resume":{"last_seq":%d}}`, cursor))
				b.subscribe(everything)
				for _, id := range []string{"h1", "h2"} {
					if m := b.expect("hud"); m.ID != id || strings.Count(m.raw, `"replay":true`) != 1 {
						t.Errorf("replayed %s", m.raw)
					}
				}
				b.expect(contracts.TypeEvent)
				b.expect(contracts.TypeSnapshot)
				r.append(hudFact("h3"))
				if m := b.expect("hud"); strings.Contains(m.raw, "replay") {
					t.Errorf("live %s", m.raw)
				}
			}, withConfig(func(c *Config) { c.Limits.RingBytes = ring }))
		})
	}
}

func TestW8_ReplaySendsOnlySubscribedChannels(t *testing.T) {
	virtual(t, func(t *testing.T, r *rig) {
		for i := range 20 {
			r.append(note("%d", i), say("x"), hudFact(fmt.Sprint("h", i)))
		}
		b := r.connect(t)
		b.hello(helloResume(1, ""))
		b.subscribe(`{"chat":true}`)
		for range 20 {
			b.expect(contracts.TypeChat)
		}
		b.expect(contracts.TypeSnapshot)
	})
}
