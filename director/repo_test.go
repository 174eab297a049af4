package director_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/bullpen-office/bullpen/contracts"
)

// A repository is recorded once, under a unique name, until it is removed.
func TestRepos(t *testing.T) {
	s := newRig(t)
	s.caller = contracts.Caller{Permit: true, By: "tok_ada"}
	s.must(contracts.RepoSeen{Repo: contracts.Repo{Path: "/src/my shop"}})
	if got := s.do(contracts.AddRepo{Path: "/old/my shop", Target: "main"}).Repo; got != "my-shop-2" {
		t.Errorf("the second repository of this name is %q", got)
	}
	after := s.w.Seq()
	s.must(contracts.RepoSeen{Repo: contracts.Repo{Path: "/src/my shop"}})
	if got := s.do(contracts.AddRepo{Path: "/old/my shop", Target: "main"}).Repo; got != "my-shop-2" || s.w.Seq() != after {
		t.Errorf("a repository that is known was recorded again, as %q", got)
	}
	s.do(contracts.AddRepo{Path: "/src/my shop", Target: "next"})
	s.must(contracts.RepoSeen{Repo: contracts.Repo{Path: "/src/my shop"}}) // a restart in the repository keeps the target branch
	want := []contracts.Repo{{Name: "my-shop", Path: "/src/my shop", Target: "next"}, {Name: "my-shop-2", Path: "/old/my shop", Target: "main"}}
	if diff := cmp.Diff(want, s.w.Snapshot(s.now, nil, sources).Repos); diff != "" {
		t.Error(diff)
	}
	s.refuse(contracts.CodeConflict, contracts.AddRepo{Path: "/src/my shop", Name: "other"})
	s.refuse(contracts.CodeConflict, contracts.AddRepo{Path: "/src/third", Name: "my-shop"})
	s.refuse(contracts.CodeNotFound, contracts.RemoveRepo{Repo: "third"})
	s.refuse(contracts.CodeNotFound, contracts.SubmitRequest{Text: "Do it", Repo: "third"})
	s.do(contracts.RemoveRepo{Repo: "my-shop-2"})
	s.do(contracts.SubmitRequest{Text: "Do it", Repo: "my-shop"})
	s.refuse(contracts.CodeConflict, contracts.RemoveRepo{Repo: "my-shop"})
	s.caller.Permit = false
	s.refuse(contracts.CodeNotAllowed, contracts.AddRepo{Path: "/src/third"})
	s.refuse(contracts.CodeNotAllowed, contracts.RemoveRepo{Repo: "my-shop"})
	s.checkReplay()
}

// The remote of a new repository is recorded. After that, only a person can change the remote.
func TestRepoRemote(t *testing.T) {
	const first, second = "https://example.org/shop.git", "https://example.com/shop.git"
	s := newRig(t)
	s.caller = contracts.Caller{Permit: true, By: "tok_ada"}
	remotes := func(want ...string) {
		t.Helper()
		var got []string
		for _, r := range s.w.Repos() {
			got = append(got, r.Remote)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	s.must(contracts.RepoSeen{Repo: contracts.Repo{Path: "/src/shop", Remote: first}})
	s.do(contracts.AddRepo{Path: "/src/docs", Found: first})
	s.do(contracts.AddRepo{Path: "/src/new"})
	remotes(first, first, "")
	s.must(contracts.RepoSeen{Repo: contracts.Repo{Path: "/src/shop", Remote: second}})
	s.do(contracts.AddRepo{Path: "/src/docs", Target: "next", Found: second})
	s.do(contracts.AddRepo{Path: "/src/new", Found: second})
	remotes(first, first, "")
	s.do(contracts.AddRepo{Path: "/src/docs", Remote: second, Found: second})
	s.do(contracts.AddRepo{Path: "/src/new", Remote: second, Found: second})
	remotes(first, second, second)
	s.refuse(contracts.CodeValidationFailed, contracts.AddRepo{Path: "/src/docs", Remote: "https://" + strings.Repeat("x", contracts.LimitRemote)})
	s.checkReplay()
}

func TestReposAreLimited(t *testing.T) {
	s := newRig(t)
	long := strings.Repeat("x", 80)
	for range contracts.LimitRepos {
		s.must(contracts.RepoSeen{Repo: contracts.Repo{Path: "/" + strings.Repeat("d/", len(s.w.Repos())) + long}})
	}
	if refusal := s.tell(contracts.RepoSeen{Repo: contracts.Repo{Path: "/one/more"}}); refusal == nil || refusal.Code != contracts.CodeConflict {
		t.Errorf("one repository too many: %v", refusal)
	}
	for _, r := range s.w.Repos() {
		if contracts.RepoName(r.Name) != r.Name {
			t.Errorf("%q is not a valid repository name", r.Name)
		}
	}
}

// inRepo sends an input about a repository, valid or not.
func (s *rig) inRepo(rt *rapid.T, task string, attempt int) *contracts.Refusal {
	tree := rapid.SampledFrom([]string{treeA, treeB, "not a tree"}).Draw(rt, "tree")
	switch rapid.IntRange(0, 9).Draw(rt, "repo") {
	case 0:
		return s.tell(contracts.RepoSeen{Repo: contracts.Repo{Path: "/src/shop", Target: rapid.SampledFrom([]string{"", "main"}).Draw(rt, "target")}})
	case 1:
		_, refusal := s.try(contracts.RemoveRepo{Repo: "shop"})
		return refusal
	case 2:
		return s.tell(contracts.TaskPrepared{TaskID: task, Attempt: attempt, Worktree: worktree("unit")})
	case 3:
		return s.tell(contracts.CheckRan{TaskID: task, Attempt: attempt, Result: ran("unit", tree, s.now)})
	case 4:
		return s.tell(contracts.TreeSeen{TaskID: task, Tree: tree, Base: rapid.SampledFrom([]string{"", treeA}).Draw(rt, "base")})
	case 5:
		how := rapid.SampledFrom([]contracts.LandHow{contracts.LandMerge, contracts.LandPull}).Draw(rt, "how")
		_, refusal := s.try(contracts.LandTask{TaskID: task, How: how, AcceptUnproven: rapid.Bool().Draw(rt, "unproven")})
		return refusal
	case 6:
		failed := contracts.LandingFailed{TaskID: task, Number: 1, Reason: "no", Conflicts: []string{"a"}}
		if rapid.Bool().Draw(rt, "updated") {
			failed.Conflicts, failed.Patch = nil, patchOf(tree, treeA)
		}
		return s.tell(failed)
	case 7:
		return s.tell(contracts.PullOpened{TaskID: task, Number: 1, Pull: contracts.PullRequest{URL: pullURL, Head: treeB}})
	case 8:
		return s.tell(contracts.PullFailed{TaskID: task, Number: 1, Checks: []string{"a"}, Report: "the output"})
	}
	return s.tell(contracts.CollisionSeen{TaskIDs: []string{task, "task_t1"}, Paths: []string{"a"}})
}
