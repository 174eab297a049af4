package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

// Column is one column of the board: a status and its tasks.
type Column struct {
	Status contracts.TaskStatus
	Title  string
	Tasks  []contracts.Task
}

// Board returns a project's tasks as columns; each column is sorted by priority, then age.
// Cancelled tasks are left out.
func (r *Rows) Board(project string) []Column {
	var columns []Column
	for _, status := range contracts.BoardColumns {
		c := Column{Status: status, Title: contracts.TaskStatusWords[status]}
		for _, t := range r.TasksOf(project) {
			if t.Status == c.Status {
				c.Tasks = append(c.Tasks, t)
			}
		}
		slices.SortStableFunc(c.Tasks, func(a, b contracts.Task) int {
			return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.CreatedAt, b.CreatedAt))
		})
		columns = append(columns, c)
	}
	return columns
}

// rank returns a task's sort key: priority 1 comes first, as it does when the director assigns
// tasks; tasks without a priority come last.
func rank(t contracts.Task) int {
	if t.Priority == 0 {
		return math.MaxInt
	}
	return t.Priority
}

// TasksOf returns a project's tasks, in order of creation.
func (r *Rows) TasksOf(project string) []contracts.Task {
	var list []contracts.Task
	for i := range r.Tasks {
		if r.Tasks[i].ProjectID == project {
			list = append(list, r.Tasks[i])
		}
	}
	return list
}

// Percent returns a task's progress, from 0 to 100.
func Percent(t *contracts.Task) int {
	if t.Status == contracts.TaskDone || t.Status == contracts.TaskReview {
		return 100
	}
	return t.Percent
}

// ProjectPercent returns a project's progress, from 0 to 100. Cancelled tasks do not count, and a
// task in review counts as almost done, because it still needs approval.
func ProjectPercent(tasks []contracts.Task) int {
	open, sum := 0, 0
	for i := range tasks {
		switch tasks[i].Status {
		case contracts.TaskCancelled:
			continue
		case contracts.TaskReview:
			sum += 90
		default:
			sum += Percent(&tasks[i])
		}
		open++
	}
	if open == 0 {
		return 0
	}
	return int(math.Round(float64(sum) / float64(open)))
}

// projectOrder lists the statuses of live projects, most important first.
var projectOrder = []contracts.ProjectStatus{
	contracts.ProjectExecuting, contracts.ProjectBlocked, contracts.ProjectPlanning, contracts.ProjectPaused, contracts.ProjectCompleted,
}

// LiveProjects returns the projects that are not archived.
func (r *Rows) LiveProjects() []contracts.Project {
	return slices.DeleteFunc(slices.Clone(r.Projects), func(p contracts.Project) bool { return p.Status == contracts.ProjectArchived })
}

// MainProject returns the most important live project: the chosen one if it is live, otherwise the
// newest of those whose status comes first in projectOrder. It returns nil if there are no live
// projects.
func (r *Rows) MainProject(chosen string) *contracts.Project {
	list := r.LiveProjects()
	if p := find(list, chosen, projectID); p != nil {
		return p
	}
	if len(list) == 0 {
		return nil
	}
	slices.SortStableFunc(list, func(a, b contracts.Project) int {
		return cmp.Or(cmp.Compare(slices.Index(projectOrder, a.Status), slices.Index(projectOrder, b.Status)), cmp.Compare(b.CreatedAt, a.CreatedAt))
	})
	return &list[0]
}

// ResultOf returns the newest version of a task's deliverable, or nil if there is none.
func (r *Rows) ResultOf(task string) *contracts.Artifact {
	var best *contracts.Artifact
	for i := range r.Artifacts {
		if a := &r.Artifacts[i]; a.TaskID == task && (best == nil || a.Version > best.Version) {
			best = a
		}
	}
	return best
}

// Versions returns all versions of a deliverable, oldest first; id is the id of any version.
func (r *Rows) Versions(id string) []contracts.Artifact {
	rootOf := func(a *contracts.Artifact) string {
		seen := map[string]bool{} // prevents an endless loop if links are circular
		for !seen[a.ArtifactID] {
			seen[a.ArtifactID] = true
			parent := r.Artifact(a.Parent)
			if parent == nil { // a is the first version, or its parent is archived
				break
			}
			a = parent
		}
		return a.ArtifactID
	}
	start := r.Artifact(id)
	if start == nil {
		return nil
	}
	root := rootOf(start)
	var list []contracts.Artifact
	for i := range r.Artifacts {
		if rootOf(&r.Artifacts[i]) == root {
			list = append(list, r.Artifacts[i])
		}
	}
	slices.SortStableFunc(list, func(a, b contracts.Artifact) int { return cmp.Compare(a.Version, b.Version) })
	return list
}
