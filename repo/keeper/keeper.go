// Package keeper does an office's work in repositories on this machine: it gives tasks their
// worktrees, runs checks, finds tasks that edit the same files, notices later changes, lands
// approved work, and follows pull requests.
//
// It stores nothing of its own: everything that it has done is in the office's records and in the
// repositories, so interrupted work can be repeated.
package keeper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/repo/check"
	"github.com/bullpen-office/bullpen/repo/git"
	"github.com/bullpen-office/bullpen/repo/proof"
	"github.com/bullpen-office/bullpen/repo/repofile"
	"github.com/bullpen-office/bullpen/repo/worktree"
	"github.com/bullpen-office/bullpen/world"
)

// Office records facts; see crew.Office for the contract of Record.
type Office interface {
	Record(ctx context.Context, f contracts.Fact) error
}

// task is a task that has a worktree, together with its repository.
type task struct {
	contracts.Task
	Repo        contracts.Repo
	updatedTree string // see world.Task.UpdatedTree
}

// View shows the state of the office; see view.View.
type View interface {
	Peek(fn func(*world.World))
	Changed() <-chan struct{}
}

// Config configures a Keeper. Dir, ID and Env are required; Office, View and Blobs are required for
// Run.
type Config struct {
	Dir    string   // where worktrees are kept; a directory that only this office uses
	ID     string   // id of the office; makes names unique in a repository that several offices use
	Node   string   // name of this node
	Env    []string // environment of checks and setup commands; see process.Environment
	Hosts  []string // see check.Runner
	Office Office
	View   View
	Blobs  Blobs            // stores patches and the output of checks; without it, output is not stored
	Checks int              // concurrent checks; default contracts.LimitChecksAtOnce
	Watch  time.Duration    // how often worktrees are checked for changes; default contracts.WorktreeWatch
	Pulls  time.Duration    // the shortest time between two reads of a pull request; default contracts.PullWatch
	Now    func() time.Time // default time.Now
	Log    *slog.Logger     // default: no logging
}

// Keeper works in an office's repositories.
type Keeper struct {
	cfg   Config
	store *worktree.Store
	slots chan struct{} // contains one element per running check

	// Used only by Run.
	lastWarning map[string]string    // by task, worktree, repository or directory
	retryAt     map[string]time.Time // when to retry the removal of unneeded worktrees that changed recently
	searched    bool                 // all repositories have been searched for unneeded worktrees
	edited      map[string]bool      // tasks whose files had changed at the last watch; the view may not show this yet

	mu      sync.Mutex
	landing map[string]bool // tasks that are being landed

	entering sync.Mutex
	entries  map[string]*entry // by worktree name
}

// entry records whether this keeper has opened a worktree.
type entry struct {
	sync.Mutex
	open bool
}

// New returns a keeper.
func New(cfg Config) *Keeper {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	cfg.Watch, cfg.Pulls = cmp.Or(cfg.Watch, contracts.WorktreeWatch), cmp.Or(cfg.Pulls, contracts.PullWatch)
	cfg.Checks = cmp.Or(cfg.Checks, contracts.LimitChecksAtOnce)
	return &Keeper{
		cfg: cfg, store: &worktree.Store{Dir: cfg.Dir, Env: cfg.Env}, slots: make(chan struct{}, cfg.Checks), lastWarning: map[string]string{}, retryAt: map[string]time.Time{}, edited: map[string]bool{},
		landing: map[string]bool{}, entries: map[string]*entry{},
	}
}

// normalizeID returns the letters, digits and underscores of an id, in lower case.
func normalizeID(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return -1
	}, strings.ToLower(id))
}

// short returns an id without its prefix, such as t1 for task_t1.
func short(id string) string { return normalizeID(id[strings.IndexByte(id, '_')+1:]) }

// officeSuffix returns the end of the office's id. It distinguishes the branches and worktrees of
// offices that use the same repository.
func (k *Keeper) officeSuffix() string {
	office := normalizeID(k.cfg.ID)
	return office[max(0, len(office)-contracts.LimitOfficeMark):]
}

// name returns the name of a task's worktree.
func (k *Keeper) name(taskID string) string { return normalizeID(taskID) + "-" + k.officeSuffix() }

// place describes the worktree that a task has or will get.
func (k *Keeper) place(t contracts.Task, repo contracts.Repo) worktree.Task {
	w := worktree.Task{ID: k.name(t.TaskID), Target: repo.Target}
	w.Branch = fmt.Sprintf("%s%s-%s-%s", worktree.BranchPrefix, short(t.ProjectID), short(t.TaskID), k.officeSuffix())
	if t.Worktree != nil {
		w.Branch, w.Target = t.Worktree.Branch, t.Worktree.Target
	}
	return w
}

// onOtherNode reports whether a repository is on another node.
func (k *Keeper) onOtherNode(repo contracts.Repo) bool {
	return repo.Node != "" && repo.Node != k.cfg.Node
}

// open returns the worktree of a task, and creates it if necessary.
func (k *Keeper) open(ctx context.Context, t contracts.Task, repo contracts.Repo) (*worktree.Worktree, error) {
	if k.onOtherNode(repo) {
		return nil, fmt.Errorf("repository %s is on node %s, but this node is %s", repo.Name, repo.Node, k.cfg.Node)
	}
	place := k.place(t, repo)
	if err := k.enter(ctx, place.ID); err != nil {
		return nil, err
	}
	w, err := k.store.Add(ctx, repo.Path, place)
	if err != nil {
		return nil, err
	}
	base := ""
	if t.Worktree != nil {
		base = t.Worktree.Base
	}
	return w, w.CheckBase(ctx, base)
}

// enter waits until the programs that an earlier run of the office started in a worktree have
// ended, so that no two agents change the same files. Other worktrees can be opened meanwhile.
func (k *Keeper) enter(ctx context.Context, name string) error {
	e := k.entry(name)
	e.Lock()
	defer e.Unlock()
	if e.open {
		return nil
	}
	if err := process.AwaitVacant(ctx, filepath.Join(k.cfg.Dir, name)); err != nil {
		return err
	}
	e.open = true
	return nil
}

func (k *Keeper) entry(name string) *entry {
	k.entering.Lock()
	defer k.entering.Unlock()
	if k.entries[name] == nil {
		k.entries[name] = &entry{}
	}
	return k.entries[name]
}

// Prepare implements crew.Repos. It first saves everything that an earlier attempt left in the
// worktree, because the agent may replace it.
func (k *Keeper) Prepare(ctx context.Context, work contracts.Work) (contracts.Worktree, error) {
	t := work.Task.Task
	w, err := k.open(ctx, t, *work.Repo)
	if err != nil {
		return contracts.Worktree{}, err
	}
	if t.Worktree != nil {
		if _, err := w.Snapshot(ctx, fmt.Sprintf("before attempt %d", t.Attempt)); err != nil {
			return contracts.Worktree{}, err
		}
	}
	if err := k.store.Setup(ctx, w, io.Discard); err != nil {
		return contracts.Worktree{}, err
	}
	checks, _, err := w.Plan(ctx)
	if err != nil {
		return contracts.Worktree{}, err
	}
	accept, err := contracts.ParseAccept(work.Project.Accept)
	return contracts.Worktree{Repo: work.Repo.Name, Dir: w.Dir, Branch: w.Branch, Base: w.Base, Target: w.Target, Checks: append(recorded(checks), accept...)}, err
}

func recorded(checks []repofile.Check) (list []contracts.Check) {
	for _, c := range checks {
		list = append(list, contracts.Check{Name: c.Name, Command: c.Command, Optional: c.Optional, TimeoutMS: c.Timeout.Milliseconds()})
	}
	return list
}

// SavePatch implements crew.Repos.
func (k *Keeper) SavePatch(ctx context.Context, work contracts.Work) (crew.Patch, error) {
	w, err := k.open(ctx, work.Task.Task, *work.Repo)
	if err != nil {
		return crew.Patch{}, err
	}
	saved, err := w.Snapshot(ctx, "delivered")
	if err != nil {
		return crew.Patch{}, err
	}
	return patchOf(ctx, w, saved.Tree)
}

// patchOf returns the difference between the base of a worktree and a tree.
func patchOf(ctx context.Context, w *worktree.Worktree, tree string) (crew.Patch, error) {
	if err := w.Repo().Verify(ctx, w.Base, tree); err != nil { // git does not verify hashes when it reads objects
		return crew.Patch{}, err
	}
	p, err := w.Patch(ctx, w.Base, tree)
	return crew.Patch{Tree: tree, Content: p.Content, Stat: contracts.DiffStat{Files: p.Files, Added: p.Added, Deleted: p.Deleted}}, err
}

// Check implements crew.Repos. If the maximum number of checks, Config.Checks, is already running,
// it waits until one ends.
func (k *Keeper) Check(ctx context.Context, w contracts.Worktree, c contracts.Check, out io.Writer) (contracts.CheckResult, error) {
	select {
	case k.slots <- struct{}{}:
		defer func() { <-k.slots }()
	case <-ctx.Done():
		return contracts.CheckResult{}, ctx.Err()
	}
	repo, err := git.Open(ctx, w.Dir)
	if err != nil {
		return contracts.CheckResult{}, err
	}
	if repo.Top != w.Dir { // a link to other files, or no longer a worktree
		return contracts.CheckResult{}, fmt.Errorf("%s: %w", w.Dir, worktree.ErrOccupied)
	}
	printed := &output{show: out, end: process.Tail{Limit: contracts.LimitCheckLog}}
	runner := check.Runner{Repo: repo, Env: k.cfg.Env, Out: printed, Hosts: k.cfg.Hosts, Now: k.cfg.Now}
	var r proof.Result
	if c.Kind == contracts.CheckCommand {
		timeout := cmp.Or(time.Duration(c.TimeoutMS)*time.Millisecond, contracts.CheckTimeout)
		r, err = runner.Run(ctx, proof.Check{Name: c.Name, Command: c.Command, Optional: c.Optional}, timeout)
	} else {
		r, err = runner.RunAcceptance(ctx, c)
	}
	if errors.Is(err, git.ErrInexact) {
		return k.unprovable(ctx, repo, c, err)
	}
	if err != nil {
		return contracts.CheckResult{}, err
	}
	recorded := r.Recorded()
	recorded.Kind, recorded.OutputBytes, recorded.LogSHA256 = c.Kind, printed.bytes, k.keepLog(ctx, c.Name, printed)
	return recorded, nil
}

// unprovable returns the result of a check that did not run, because nothing can be proven about
// the files.
func (k *Keeper) unprovable(ctx context.Context, repo *git.Repo, c contracts.Check, why error) (contracts.CheckResult, error) {
	scratch, done, err := repo.Scratch(ctx)
	if err != nil {
		return contracts.CheckResult{}, err
	}
	defer done()
	tree, err := scratch.Tree(ctx)
	return contracts.CheckResult{
		Name: c.Name, Kind: c.Kind, Command: c.Command, Optional: c.Optional, End: contracts.EndNotRun, ExitCode: -1, Tree: tree.Hash,
		Started: k.cfg.Now().UnixMilli(), Reason: hud.Shorten(why.Error(), contracts.LimitNote),
	}, err
}
