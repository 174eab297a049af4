package tui

import (
	"fmt"
	"iter"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// treeRow is one visible line of the tree: a node, or the heading of a group.
type treeRow struct {
	node  *model.Node
	depth int

	group string // id of a heading
	title string
	open  bool
}

// groupEarlier is the id of the heading above the history.
const groupEarlier = "earlier"

// id identifies a row, even after others are inserted above it.
func (r *treeRow) id() string {
	if r.node == nil {
		return "group " + r.group
	}
	return r.node.ID
}

// flatten appends the nodes to rows, each followed by its children.
func flatten(nodes iter.Seq2[int, *model.Node], rows []treeRow) []treeRow {
	for _, n := range nodes {
		rows = append(rows, treeRow{node: n})
		for _, kid := range n.Children {
			rows = append(rows, treeRow{node: kid, depth: 1})
		}
	}
	return rows
}

// rows returns the lines of the tree. With a filter, it returns the matching lines, including
// history, without nesting.
func (s *activityScreen) rows() []treeRow {
	rows := s.tree()
	s.all = 0
	for _, r := range rows {
		if r.node != nil {
			s.all++
		}
	}
	if s.filter.text == "" {
		return rows
	}
	studios := s.app.studios()
	rows = filtered(&s.filter, rows, func(r *treeRow) string {
		if r.node == nil {
			return ""
		}
		return s.app.office.Rows().Name(r.node.AgentID) + " " + studios.label(s.roomOf(r.node)) + " " + nodeWords(r.node) + " " + string(r.node.Args)
	})
	for i := range rows {
		rows[i].depth = 0 // the parent may be filtered out
	}
	return rows
}

func (s *activityScreen) tree() []treeRow {
	nodes := s.app.office.Activity()
	if s.agent != "" {
		nodes = s.app.office.ActivityOf(s.agent)
	}
	var live, old []*model.Node
	for _, n := range slices.Backward(nodes) {
		if n.Replay && n.State != model.NodeRunning {
			old = append(old, n)
		} else {
			live = append(live, n)
		}
	}
	rows := s.inStudios(live, "", nil)
	if len(old) == 0 {
		return rows
	}
	if !s.decided { // once: new activity must not collapse what the user is reading
		s.decided, s.earlier = true, len(live) == 0
	}
	rows = append(rows, treeRow{group: groupEarlier, title: s.app.look.soft.Render(fmt.Sprintf(contracts.SayEarlier, len(old))), open: s.earlier})
	if s.earlier || s.filter.text != "" {
		rows = s.inStudios(old, groupEarlier+" ", rows)
	}
	return rows
}

// inStudios appends the nodes to rows; on a campus, it puts them below the headings of their
// studios. prefix makes the ids of the headings unique.
func (s *activityScreen) inStudios(nodes []*model.Node, prefix string, rows []treeRow) []treeRow {
	studios := s.app.studios()
	if len(studios) == 0 || s.agent != "" {
		return flatten(slices.All(nodes), rows)
	}
	groups := make([][]*model.Node, len(studios))
	for _, n := range nodes {
		at := studios.of(s.roomOf(n))
		groups[at] = append(groups[at], n)
	}
	for i, group := range groups {
		if len(group) == 0 {
			continue
		}
		id := prefix + studios[i].ID
		rows = append(rows, treeRow{group: id, title: s.app.studioHead(&studios[i])[1:], open: !s.folded[id]})
		if !s.folded[id] || s.filter.text != "" {
			rows = flatten(slices.All(group), rows)
		}
	}
	return rows
}

// roomOf returns the room of a node's agent.
func (s *activityScreen) roomOf(n *model.Node) string {
	if p := s.app.office.Rows().Agent(n.AgentID); p != nil {
		return p.RoomID
	}
	return model.House
}
