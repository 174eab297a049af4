package tui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/tui/link"
)

// crowded returns a story with n guests near the places of the room; every tenth needs you.
func crowded(n int) func(*stage) {
	return func(s *stage) {
		s.live(true)
		r := rand.New(rand.NewPCG(7, uint64(n)))
		var anchors []contracts.Vec3
		for _, p := range s.office.Scene.POIs {
			for _, a := range p.NavAnchors {
				anchors = append(anchors, a.Pos)
			}
		}
		snap := &contracts.Snapshot{Seq: 1}
		for i := range n {
			pos := anchors[i%len(anchors)]
			pos[0] += r.Float64()*2 - 1
			pos[2] += r.Float64()*2 - 1
			p := contracts.Agent{AgentProfile: contracts.AgentProfile{AgentID: fmt.Sprint("agent_", i), Name: fmt.Sprintf("Guest%03d", i), Source: "claude"}, Activity: contracts.ActivityIdle, Pos: pos}
			if i%3 == 0 {
				p.Activity = contracts.ActivityWorking
			}
			if i%10 == 4 {
				p.NeedsYou = true
			}
			snap.Agents = append(snap.Agents, p)
		}
		s.tell(link.Update{Messages: []model.Message{{Type: contracts.TypeSnapshot, ID: "snap_1", TS: s.now.UnixMilli(), Seq: 1, Payload: snap}}})
	}
}

// TestCrowds checks that, however many people there are, everyone is in exactly one mark, no
// mark covers another, and selected agents and those that need you stand alone with names.
func TestCrowds(t *testing.T) {
	for _, n := range []int{8, 25, 80, 200} {
		for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 50}} {
			t.Run(fmt.Sprintf("%d in %dx%d", n, size[0], size[1]), func(t *testing.T) {
				s := newStage(t, size[0], size[1])
				crowded(n)(s)
				s.keys("3")
				shown := s.shown()
				wellFormed(t, s)
				office := s.tabs[tabOffice].screen.(*officeScreen)
				f := office.furnished(s.office.Scene, office.room.w, office.room.h)
				before := slices.Clone(f.cells)
				seen, cells := map[string]bool{}, map[[2]int]bool{}
				crowds := 0
				for _, m := range f.marks(office.figures(f, s.office.Parts()), func(x, y int) string { return f.place(s.office.Scene, x, y) }) {
					for i := range m.text {
						if cells[[2]int{m.x + i, m.y}] {
							t.Errorf("%q covers another", strings.Join(m.text, ""))
						}
						cells[[2]int{m.x + i, m.y}] = true
					}
					for _, p := range m.members {
						if seen[p.id] {
							t.Errorf("%s is drawn twice", p.name)
						}
						seen[p.id] = true
						if p.alone && len(m.members) > 1 {
							t.Errorf("%s is lost in a crowd", p.name)
						}
					}
					if len(m.members) > 1 {
						crowds++
						if text := strings.Join(m.text, ""); !strings.Contains(text, itoa(len(m.members))) || !strings.Contains(shown, text) {
							t.Errorf("%d people are shown as %q", len(m.members), text)
						}
					}
				}
				for i, c := range f.cells {
					if c != before[i] && !cells[[2]int{i % f.w, i / f.w}] {
						t.Errorf("%q at %d,%d belongs to no figure", c.sign, i%f.w, i/f.w)
					}
				}
				if len(seen) != n {
					t.Errorf("%d of %d people are on the floor", len(seen), n)
				}
				if chosen := s.office.Rows().Name(s.selected); !strings.Contains(shown, "○"+chosen) && !strings.Contains(shown, chosen+"○") {
					t.Errorf("%s is selected but not visible:\n%s", chosen, shown)
				}
				if small := size[0] < 100; crowds == 0 && (n >= 80 || n == 25 && small) || crowds > 0 && n == 8 && !small {
					t.Errorf("%d crowds of %d people:\n%s", crowds, n, shown)
				}
			})
		}
	}
}

// TestRollOfACrowd checks that the list next to a crowded floor names the selected agent and the
// agents that need you, and lists the others by place.
func TestRollOfACrowd(t *testing.T) {
	s := newStage(t, 120, 36)
	crowded(80)(s)
	s.keys("3")
	s.shows(`! Guest004 +Needs you(?s:.*)3›○ Guest002(?s:.*)and \d+ more(?s:.*)\d+ meeting: Guest\d+, Guest\d+`)
}

// TestMarks checks that, for any positions, marks stay on the floor and no figure is lost.
func TestMarks(t *testing.T) {
	l := newLook(true, false)
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(20, 60).Draw(t, "w"), rapid.IntRange(5, 20).Draw(t, "h")
		f := newFloor(&contracts.SceneManifest{Room: contracts.SceneRoom{W: 10, D: 4}}, &l, w, h)
		n := rapid.IntRange(0, 120).Draw(t, "people")
		var people []figure
		for i := range n {
			people = append(people, figure{id: itoa(i), name: rapid.SampledFrom([]string{"Ada", "世界の窓", "", "Maximilian"}).Draw(t, "name"), sign: "●", style: l.work, alone: i < 4,
				x: rapid.IntRange(0, f.w-1).Draw(t, "x"), y: rapid.IntRange(0, f.h-1).Draw(t, "y")})
		}
		if n > 8 { // sub-agents of the first and last person
			people[0].perched, people[n-7].perched = people[n-6:n-3], people[n-3:]
			people = people[:n-6]
		}
		count := 0
		for _, m := range f.marks(people, func(int, int) string { return "lounge" }) {
			count += len(m.members)
		}
		if count != n {
			t.Fatalf("%d of %d people", count, n)
		}
		for _, line := range f.lines(nil) {
			if got := ansi.StringWidth(line); got != w {
				t.Fatalf("%d wide: %q", got, line)
			}
		}
	})
}
