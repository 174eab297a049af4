package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// workScreen shows a document full-screen.
type workScreen struct {
	app   *app
	view  *workView
	title string
	about string         // line below the title; may be empty
	of    func() string  // identifies the current document
	doc   func() workDoc // builds the document
	read  func()         // called when the end has been displayed; may be nil
	file  func() tea.Cmd // opens the file that the document names; nil if there is none
}

// openWork opens s on top of the other screens, with a new view.
func (a *app) openWork(s *workScreen) {
	s.app, s.view = a, newWorkView(a)
	a.push(s)
}

func (s *workScreen) finder() *finder { return &s.view.find }

func (s *workScreen) found() string { return s.view.found() }

func (s *workScreen) hints() []hint {
	hints := append(s.view.hints(), hint{"↑↓ ^D ^U", "scroll"})
	if s.file != nil {
		hints = append(hints, hint{"F", "file"})
	}
	return hints
}

func (s *workScreen) scroll(by int) { s.view.scroll(by) }

func (s *workScreen) key(k string) (tea.Cmd, bool) {
	if (k == "f" || k == "F") && s.file != nil {
		return s.file(), true
	}
	return nil, s.view.key(k)
}

func (s *workScreen) draw(w, h int) block {
	a := s.app
	var b block
	of := s.of()
	if s.about != "" {
		b.add(a.look.soft.Render(clip(" "+s.about, w)))
	}
	s.view.fill(of, s.doc, w, h-len(b.lines)-2)
	head := block{}
	head.add(split(a.look.title.Render(" "+s.title), a.look.soft.Render(s.view.positionWords()+" "), w))
	head.put(b)
	head.add(a.look.rule.Render(strings.Repeat("─", w)))
	head.add(s.view.draw()...)
	if s.read != nil && s.view.ended == of {
		s.read()
	}
	return head
}
