package tui

import (
	"cmp"
	"slices"

	"github.com/bullpen-office/bullpen/model"
)

// byStudio sorts cards by the studio of their first agent: the studio with the most urgent card comes
// first. Without studios, the order stays the same.
func (s *needsScreen) byStudio(cards [][]model.Need) [][]model.Need {
	in, first := s.app.studios(), map[int]int{}
	for i, card := range cards {
		if at := s.studioOf(in, card); first[at] == 0 {
			first[at] = i + 1
		}
	}
	slices.SortStableFunc(cards, func(x, y []model.Need) int {
		return cmp.Compare(first[s.studioOf(in, x)], first[s.studioOf(in, y)])
	})
	return cards
}

// studioOf returns the index of the studio that a card's first agent is in.
func (s *needsScreen) studioOf(in studios, card []model.Need) int {
	room := model.House
	if p := s.app.office.Rows().Agent(card[0].AgentID); p != nil {
		room = p.RoomID
	}
	return in.of(room)
}

// drawHead adds card i's heading to a list if there are studios and the previous card is in another
// studio.
func (s *needsScreen) drawHead(b *block, cards [][]model.Need, i, w int) {
	in := s.app.studios()
	if len(in) > 0 && (i == 0 || s.studioOf(in, cards[i-1]) != s.studioOf(in, cards[i])) {
		b.add(clip(s.app.studioHead(&in[s.studioOf(in, cards[i])]), w))
	}
}
