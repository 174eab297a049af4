package director

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// addRepo adds a repository for a person. The server has checked that its path is a working tree.
func (a *act) addRepo(c contracts.AddRepo) (contracts.Result, *contracts.Refusal) {
	if !a.caller.Permit {
		return contracts.Result{}, contracts.RefuseWithoutOperator("adding a repository")
	}
	name, refusal := a.putRepo(contracts.Repo{Name: c.Name, Path: c.Path, Target: c.Target, Node: c.Node, Remote: c.Remote}, c.Found)
	return contracts.Result{Repo: name}, refusal
}

func (a *act) repoSeen(f contracts.RepoSeen) *contracts.Refusal {
	found := f.Repo.Remote
	f.Repo.Remote = "" // no person accepted it
	_, refusal := a.putRepo(f.Repo, found)
	return refusal
}

// putRepo records a repository if it is new or has changed, and returns its name. A known repository
// keeps its name. It also keeps its target branch and its remote, unless r names others. The remote
// in the repository's git configuration, passed as found, is recorded only for a new repository,
// because an agent may change the configuration later.
func (a *act) putRepo(r contracts.Repo, found string) (name string, refusal *contracts.Refusal) {
	known := a.repoAt(r.Node, r.Path)
	switch {
	case len(r.Path) > contracts.LimitFilePath || r.Path == "" || contracts.CleanLine(r.Path) != r.Path:
		return "", contracts.RefuseField("path", "a repository needs a path of at most %d printable bytes", contracts.LimitFilePath)
	case len(r.Target) > contracts.LimitBranch || contracts.CleanLine(r.Target) != r.Target:
		return "", contracts.RefuseField("target", "a branch name is limited to %d printable bytes", contracts.LimitBranch)
	case max(len(r.Remote), len(found)) > contracts.LimitRemote || contracts.CleanLine(r.Remote+found) != r.Remote+found:
		return "", contracts.RefuseField("remote", "the address of a remote is limited to %d printable bytes", contracts.LimitRemote)
	case r.Name != "" && contracts.RepoName(r.Name) != r.Name:
		return "", contracts.RefuseField("name", "use only letters, digits, dots, underscores and hyphens in a repository name, such as %s", contracts.RepoName(r.Name))
	case known != nil && r.Name != "" && r.Name != known.Name:
		return "", contracts.Refuse(contracts.CodeConflict, "%s is already in the office as %s; to rename it, remove it first", r.Path, known.Name)
	case known == nil && a.w.Repo(r.Name) != nil:
		return "", contracts.Refuse(contracts.CodeConflict, "another repository is named %s: %s", r.Name, a.w.Repo(r.Name).Path)
	case known == nil && len(a.w.Repos()) >= contracts.LimitRepos:
		return "", contracts.Refuse(contracts.CodeConflict, "the office already has %d repositories, which is the limit; remove one first", contracts.LimitRepos)
	}
	if known != nil {
		r.Name, r.Target, r.Remote = known.Name, cmp.Or(r.Target, known.Target), cmp.Or(r.Remote, known.Remote)
		if *known == r {
			return r.Name, nil
		}
	} else {
		r.Remote = cmp.Or(r.Remote, found)
	}
	if r.Name == "" {
		r.Name = a.freeRepoName(r.Path)
	}
	a.emit(&contracts.Event{Name: contracts.EventRepoAdded, Repo: &r, By: a.caller.By, Via: a.caller.Via,
		Meta: &contracts.Meta{Title: "Repository " + r.Name + " added", Summary: r.Path}})
	return r.Name, nil
}

// repoAt returns the repository in a directory on a node, or nil if it is not in the office.
func (a *act) repoAt(node, dir string) *contracts.Repo {
	for _, r := range a.w.Repos() {
		if r.Node == node && r.Path == dir {
			return &r
		}
	}
	return nil
}

// freeRepoName returns the base name of a directory, with a number appended if another repository
// already has that name.
func (a *act) freeRepoName(dir string) string {
	base := contracts.RepoName(path.Base(strings.ReplaceAll(dir, `\`, "/")))
	name := base
	for n := 2; a.w.Repo(name) != nil; n++ {
		end := fmt.Sprintf("-%d", n)
		name = base[:min(len(base), contracts.LimitRepoName-len(end))] + end
	}
	return name
}

func (a *act) removeRepo(c contracts.RemoveRepo) (contracts.Result, *contracts.Refusal) {
	if !a.caller.Permit {
		return contracts.Result{}, contracts.RefuseWithoutOperator("removing a repository")
	}
	r := a.w.Repo(c.Repo)
	if r == nil {
		return contracts.Result{}, a.noRepo(c.Repo)
	}
	for _, p := range a.w.Projects() {
		if p.Repo == r.Name && p.CompletedAt == 0 {
			return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "project %q works in %s; finish or cancel it first", p.Title, r.Name)
		}
	}
	row := *r
	a.emit(&contracts.Event{Name: contracts.EventRepoRemoved, Repo: &row, By: a.caller.By, Via: a.caller.Via,
		Meta: &contracts.Meta{Title: "Repository " + row.Name + " removed", Summary: row.Path}})
	return contracts.Result{Repo: row.Name}, nil
}

func (a *act) noRepo(name string) *contracts.Refusal {
	var known []string
	for _, r := range a.w.Repos() {
		known = append(known, r.Name)
	}
	return contracts.RefuseUnknown("repository", name, "known", known)
}
