package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// boardScreen shows all tasks of a project.
type boardScreen struct {
	app    *app
	task   string // id of the selected task
	filter finder
	result *artifactScreen // result of the selected task; used only in a wide terminal
}

func (s *boardScreen) finder() *finder { return &s.filter }

func (s *boardScreen) found() string {
	all := 0
	if p := s.project(); p != nil {
		all = len(s.app.office.Rows().TasksOf(p.ProjectID))
	}
	return foundOf(len(s.order()), all)
}

// columns returns a project's board columns, with only the tasks that match the filter.
func (s *boardScreen) columns(p *contracts.Project) []model.Column {
	list := s.app.office.Rows().Board(p.ProjectID)
	for i, c := range list {
		list[i].Tasks = filtered(&s.filter, c.Tasks, func(t *contracts.Task) string {
			return strings.Join([]string{t.Title, c.Title, s.foot(t), t.Description}, " ")
		})
	}
	return list
}

func (a *app) boardScreen() *boardScreen { return a.tabs[tabBoard].screen.(*boardScreen) }

func (s *boardScreen) focus(task string) { s.task = task }

func (s *boardScreen) project() *contracts.Project {
	return s.app.office.Rows().MainProject(s.app.project)
}

// assignTasks asks the office to assign the project's waiting tasks, or shows a toast if there are
// none.
func (a *app) assignTasks() tea.Cmd {
	rows := a.office.Rows()
	p := rows.MainProject(a.project)
	if p == nil || len(rows.Unstarted(p)) == 0 {
		a.toast("No tasks are waiting for you to start them.", tonePlain)
		return nil
	}
	return a.act(contracts.AutoAssign{ProjectID: p.ProjectID}, contracts.SayTasksAssigned, nil)
}

func (s *boardScreen) hints() []hint {
	p := s.project()
	if p == nil {
		return nil
	}
	list := []hint{{"↑↓", "choose"}, {"Enter", "actions"}, {"/", "filter"}}
	if len(s.app.office.Rows().LiveProjects()) > 1 {
		list = append(list, hint{"[ ]", "project"})
	}
	return list
}

// order returns the tasks that match the filter, in board order.
func (s *boardScreen) order() (list []contracts.Task) {
	p := s.project()
	if p == nil {
		return nil
	}
	for _, c := range s.columns(p) {
		list = append(list, c.Tasks...)
	}
	return list
}

func (s *boardScreen) at(list []contracts.Task) int {
	return slices.IndexFunc(list, func(t contracts.Task) bool { return t.TaskID == s.task })
}

func (s *boardScreen) scroll(by int) { s.move(by) }

func (s *boardScreen) move(by int) {
	list := s.order()
	if len(list) == 0 {
		return
	}
	at := s.at(list)
	if at < 0 {
		by, at = 0, 0
	}
	s.task = list[max(0, min(at+by, len(list)-1))].TaskID
}

func (s *boardScreen) key(k string) (tea.Cmd, bool) {
	a := s.app
	p := s.project()
	if p == nil {
		return nil, false
	}
	switch k {
	case "z", "Z":
		if p.Status == contracts.ProjectPaused {
			return a.act(contracts.ResumeProject{ProjectID: p.ProjectID}, contracts.SayResumed, nil), true
		}
		return a.act(contracts.PauseProject{ProjectID: p.ProjectID}, contracts.SayPaused, nil), true
	case "[", "]":
		s.switchProject(map[string]int{"[": -1, "]": 1}[k])
		return nil, true
	case "enter":
		if s.at(s.order()) < 0 {
			s.move(0)
		}
		if t := a.office.Rows().Task(s.task); t != nil {
			s.menu(t)
		}
		return nil, true
	}
	if by := step(k, 5); by != 0 {
		s.move(by)
		return nil, true
	}
	if (k == "ctrl+d" || k == "ctrl+u") && s.result != nil {
		return nil, s.result.view.key(k)
	}
	return nil, false
}

// switchProject switches to another project.
func (s *boardScreen) switchProject(by int) {
	list := s.app.office.Rows().LiveProjects()
	p := s.project()
	at := slices.IndexFunc(list, func(q contracts.Project) bool { return q.ProjectID == p.ProjectID })
	s.app.project = list[(at+by+len(list))%len(list)].ProjectID
	s.task = ""
}
