package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/tui/link"
)

// call sends a tool call by an agent.
func (s *stage) call(agent, label string) {
	s.t.Helper()
	h := &contracts.HUD{UUID: "hud_" + label, Event: contracts.HUDToolStart, CorrelationID: "call_" + label, Tool: "bash", AgentID: agent, Label: "⚡ " + label}
	s.tell(link.Update{Messages: []model.Message{{Type: contracts.MessageType(contracts.KindHUD), ID: h.UUID, TS: s.now.UnixMilli(), Payload: h}}})
}

// calls sends a tool call by every nth agent.
func (s *stage) calls(nth int) {
	s.t.Helper()
	for i, p := range s.allAgents() {
		if i%nth == 0 {
			s.call(p.AgentID, fmt.Sprint("make test-", i))
		}
	}
}

// inOrder fails unless the frame contains the words one after the other.
func (s *stage) inOrder(words ...string) {
	s.t.Helper()
	rest := s.shown()
	for _, w := range words {
		_, after, found := strings.Cut(rest, w)
		if !found {
			s.t.Fatalf("%q is missing after the words before it:\n%s", w, s.shown())
		}
		rest = after
	}
}

// TestListsAreGrouped checks that people, needs and activity have a heading with counts for each
// studio, and that the headings disappear when the studios close.
func TestListsAreGrouped(t *testing.T) {
	s := newStage(t, 120, 60)
	campusOf(20, "shop-api", "docs")(s)
	s.calls(4)
	s.keys("p")
	s.inOrder("▌Cozy office  1 working", "Hana", "▌shop-api  8 working", "Guest001", "▌docs  5 working · 2 need you", "Guest002", "Guest004")
	s.keys("space")
	s.inOrder("▌docs  5 working · 2 need you", "May I deploy 4?", "Guest014")
	s.lacks("▌shop-api", "▌Cozy office")
	s.keys("a")
	s.inOrder("▌Cozy office", "make test-0", "▌docs", "Guest016", "make test-16", "make test-12")
	for room := range 2 {
		s.event(&contracts.Event{Name: contracts.EventRoomClosed, RoomID: contracts.RoomID(room + 1)})
	}
	for _, tab := range []string{"p", "space", "a"} {
		s.keys(tab)
		s.lacks("▌")
	}
	s.keys("p")
	s.says("Guests · 20")
}

// TestStudiosFold checks that Enter collapses the activity of a studio, and that new activity does
// not move the selection.
func TestStudiosFold(t *testing.T) {
	s := newStage(t, 120, 40)
	campusOf(20, "shop-api", "docs")(s)
	s.calls(4)
	s.keys("a", "home", "down", "down")
	s.says("›▾ ▌docs")
	s.keys("enter")
	s.says("›▸ ▌docs", "make test-0")
	s.lacks("make test-16")
	s.call("agent_0", "make more")
	s.says("›▸ ▌docs", "make more")
	s.keys("enter")
	s.says("›▾ ▌docs", "make test-16")
}

// TestStudiosAreFound checks that the palette and the filters of lists find studios.
func TestStudiosAreFound(t *testing.T) {
	s := newStage(t, 120, 40)
	campusOf(40, sixStudios...)(s)
	s.calls(1)
	s.keys("ctrl+k", `"pipeline"`)
	s.says("data-pipeline", "Studio")
	s.keys("enter")
	s.says("›▌data-pipeline")
	for tab, count := range map[string]string{"p": "6 of 40", "a": "6 of 40", "space": "1 of 4"} {
		s.keys(tab, "/", `"mobile"`, "enter")
		s.says(count)
	}
}

// TestGroupedWindow checks that, for any groups and heights, the window shows the selected row, the
// rows and headings in the window fit, and no line stays empty while rows are hidden.
func TestGroupedWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		groups := rapid.SliceOfN(rapid.IntRange(noGroup, 4), 1, 60).Draw(t, "groups")
		h := rapid.IntRange(2, 30).Draw(t, "h")
		l := list{}
		for _, by := range rapid.SliceOf(rapid.IntRange(-20, 20)).Draw(t, "moves") {
			l.move(by, len(groups))
			from, to := l.grouped(groups, h)
			used := 0
			for i := from; i < to; i++ {
				if used++; headed(groups, from, i) {
					used++
				}
			}
			if l.at < from || l.at >= to || used > h {
				t.Fatalf("rows %d to %d in %d of %d lines; row %d is selected", from, to, used, h, l.at)
			}
			if from > 0 && to == len(groups) && used+2 <= h {
				t.Fatalf("%d of %d lines are used, but row %d is hidden", used, h, from-1)
			}
		}
	})
}

// hostileNames are names that try to break the layout or to control the terminal.
var hostileNames = []string{
	"shop-api", "", " ", "世界の窓のとても長い名前", strings.Repeat("x", 200), strings.Repeat("é", 200), strings.Repeat("👩‍👩‍👧", 50), "\x1b[2J\x1b[31mred", "a\r\nb\tc", "\u202eevil\u2066",
	"e\u0301\u0301\u0301", "\u200b\u200d\ufeff", "שלום", "\x9b31m", "🇩🇪🇫🇷", strings.Repeat("界", 20), "\xff\xfe",
}

// TestHostileCampus checks that, for any number of studios and people, hostile names and any keys,
// every line of a frame fits in the terminal and no name can control it.
func TestHostileCampus(t *testing.T) {
	name := rapid.OneOf(rapid.SampledFrom(hostileNames), rapid.String())
	rapid.Check(t, func(rt *rapid.T) {
		labels := rapid.SliceOfN(name, 1, contracts.LimitRooms).Draw(rt, "labels")
		s := newStage(t, rapid.IntRange(leastWidth, 220).Draw(rt, "w"), rapid.IntRange(leastHeight, 60).Draw(rt, "h"))
		campusOf(rapid.SampledFrom([]int{1, 10, 60, 200}).Draw(rt, "people"), labels...)(s)
		names := rapid.SliceOfN(name, 1, 12).Draw(rt, "names")
		people := slices.Clone(s.allAgents())
		for i := range people {
			people[i].Name = names[i%len(names)]
			if i%4 == 3 {
				people[i].Goal.PerchOf = people[i-i%2-2].AgentID
			}
		}
		s.change(people...)
		s.calls(9)
		for _, k := range rapid.SliceOfN(rapid.SampledFrom([]string{"[", "]", "n", "o", "p", "space", "a", "up", "down", "end", "home", "pgdown", "enter", "esc", "f", "3", "ctrl+k"}), 1, 6).Draw(rt, "keys") {
			s.keys(k)
			wellFormed(rt, s)
		}
	})
}
