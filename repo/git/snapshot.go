package git

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// refPrefix is the prefix of snapshot refs. Clones and pushes do not include these refs, unless they
// mirror the repository.
const refPrefix = "refs/bullpen/"

// Snapshot is the state of a working tree at one moment.
type Snapshot struct {
	ID      string // name of the snapshot under refs/bullpen
	Commit  string
	Made    time.Time
	Reason  string // one line
	Top     string // directory of the working tree
	Branch  string // full name of the branch, or empty
	Tree    string
	Skipped []string // paths whose content is not in the snapshot
	Nested  []string // nested repositories, whose files are not in the snapshot
}

// Complete reports whether the snapshot contains everything except ignored files.
func (s Snapshot) Complete() bool { return len(s.Skipped) == 0 && len(s.Nested) == 0 }

// validGroup reports whether a group of snapshots can have this name.
func validGroup(name string) bool {
	return name != "" && len(name) <= contracts.LimitName && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") == "" && name[0] != '-'
}

// Snapshot saves the files of the working tree, except ignored ones, and the index, the commit,
// stashes and an unfinished merge or rebase. It returns the last snapshot of the group if nothing
// has changed since.
func (r *Repo) Snapshot(ctx context.Context, group, reason string) (Snapshot, error) {
	if !validGroup(group) {
		return Snapshot{}, fmt.Errorf("invalid snapshot group %q: use lower-case letters, digits, - and _", group)
	}
	current, err := r.withCurrentSettings(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	return current.snapshot(ctx, group, reason)
}

func (r *Repo) snapshot(ctx context.Context, group, reason string) (Snapshot, error) {
	others := async(func() (parts, error) { return r.readParts(ctx, group) })
	found, err := r.readByStatus(ctx)
	if unusual(err) {
		found, err = r.readByAdd(ctx)
	}
	p, failed := others()
	if err != nil {
		return Snapshot{}, err
	}
	var c content
	if failed == nil {
		c, failed = r.store(ctx, found, p)
	}
	if failed != nil {
		return Snapshot{}, fmt.Errorf("save the files of %s: %w", r.Top, failed)
	}
	s := Snapshot{Reason: cmp.Or(hud.Line(reason, contracts.LimitSnapshotReason), "no reason given"), Top: r.Top, Branch: p.branch, Tree: c.tree, Skipped: found.skipped, Nested: found.nested}
	if p.last.Tree == s.Tree && p.last.Branch == s.Branch && r.same(ctx, p.last.Commit, c) {
		return p.last, nil
	}
	return r.record(ctx, group, s, c)
}

// content is the tree and the parents of a snapshot's commit. The parents have fixed positions.
type content struct {
	tree  string
	head  string // the commit that is checked out
	index string // a commit of the staged files
	state string // a commit of unfinished operations and stashes
}

// head returns the commit that is checked out and the full name of the branch; both may be empty.
func (r *Repo) head(ctx context.Context) (commit, branch string, err error) {
	var failed *Error
	if branch, err = r.text(ctx, Call{Args: []string{"symbolic-ref", "--quiet", "HEAD"}}); err != nil {
		if !errors.As(err, &failed) {
			return "", "", err
		}
		branch = ""
	}
	if commit, err = r.text(ctx, Call{Args: []string{"rev-parse", "--verify", "--quiet", "HEAD^{commit}"}}); err != nil {
		if !errors.As(err, &failed) {
			return "", "", err
		}
		commit = ""
	}
	return commit, branch, nil
}

// parts is everything that a snapshot needs besides the files and the index.
type parts struct {
	head   string // the commit that is checked out; empty if there is none
	branch string
	state  state
	last   Snapshot // the newest snapshot of the group; empty if there is none
}

func (r *Repo) readParts(ctx context.Context, group string) (p parts, err error) {
	if p.head, p.branch, err = r.head(ctx); err != nil {
		return parts{}, err
	}
	if p.state, err = r.readState(ctx); err != nil {
		return parts{}, err
	}
	p.last, _ = r.Last(ctx, group, r.Top)
	return p, nil
}

// store writes the content of a snapshot.
func (r *Repo) store(ctx context.Context, found reading, p parts) (content, error) {
	var d drafts
	d.working(found)
	d.state(found, p.state)
	n := 3
	if p.head == "" {
		d.begin("no commit yet\n")
		d.end()
		n++
	}
	made, err := d.write(ctx, r, n)
	if err != nil {
		return content{}, err
	}
	return content{tree: made[0], head: cmp.Or(p.head, made[n-1]), index: made[1], state: made[2]}, nil
}

// epoch is the commit date of a snapshot's parts. It is fixed, so that equal parts give equal
// commits.
const epoch = "0 +0000"

// same reports whether a snapshot's commit has this content.
func (r *Repo) same(ctx context.Context, commit string, c content) bool {
	out, err := r.text(ctx, Call{Args: []string{"show", "--no-patch", "--format=%T %P", commit, "--"}})
	return err == nil && out == strings.Join([]string{c.tree, c.head, c.index, c.state}, " ")
}

// record creates a snapshot's commit and a ref for it. Each snapshot has a ref of its own, because
// a process that is killed while changing a ref leaves that ref locked.
func (r *Repo) record(ctx context.Context, group string, s Snapshot, c content) (Snapshot, error) {
	now := time.Now()
	s.Made = now.Truncate(time.Second)
	suffix := make([]byte, 4)
	_, _ = rand.Read(suffix) // never fails
	s.ID = fmt.Sprintf("%s/%d-%s", group, now.UnixMilli(), hex.EncodeToString(suffix))
	message := &strings.Builder{}
	fmt.Fprintf(message, "%s\n\n", s.Reason)
	trailer := func(key, value string) { fmt.Fprintf(message, "%s: %s\n", key, strconv.Quote(value)) }
	trailer(keyTop, s.Top)
	trailer(keyBranch, s.Branch)
	for _, p := range s.Skipped {
		trailer(keySkipped, p)
	}
	for _, p := range s.Nested {
		trailer(keyNested, p)
	}
	date := fmt.Sprintf("@%d +0000", s.Made.Unix())
	var err error
	if s.Commit, err = r.text(ctx, Call{
		Args: []string{"commit-tree", c.tree, "-F", "-", "-p", c.head, "-p", c.index, "-p", c.state},
		In:   []byte(message.String()), Env: []string{"GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" + date},
	}); err != nil {
		return Snapshot{}, err
	}
	if _, err := r.text(ctx, Call{Args: []string{"update-ref", refPrefix + s.ID, s.Commit, ""}}); err != nil {
		return Snapshot{}, err
	}
	return s, nil
}
