package git

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Keys of the lines that follow the reason in a snapshot's commit message. The values are quoted.
const (
	keyTop     = "Bullpen-Directory"
	keyBranch  = "Bullpen-Branch"
	keySkipped = "Bullpen-Skipped"
	keyNested  = "Bullpen-Nested"
)

// Snapshots lists the snapshots of the repository, newest first.
func (r *Repo) Snapshots(ctx context.Context) ([]Snapshot, error) { return r.list(ctx, refPrefix) }

func (r *Repo) list(ctx context.Context, prefix string) ([]Snapshot, error) {
	out, err := r.Output(ctx, Call{Args: []string{
		"for-each-ref", "--sort=-refname", "--sort=-committerdate", "--count=" + strconv.Itoa(contracts.LimitSnapshots),
		"--format=%(refname)%00%(objectname)%00%(committerdate:unix)%00%(tree)%00%(contents)%00%01", prefix,
	}})
	if err != nil {
		return nil, err
	}
	var list []Snapshot
	for row := range strings.SplitSeq(string(out), "\x00\x01\n") {
		if s, ok := readSnapshot(row); ok {
			list = append(list, s)
		}
	}
	return list, nil
}

func readSnapshot(row string) (Snapshot, bool) {
	field := strings.SplitN(row, "\x00", 5)
	if len(field) != 5 {
		return Snapshot{}, false
	}
	made, err := strconv.ParseInt(field[2], 10, 64)
	if err != nil {
		return Snapshot{}, false // not a commit
	}
	s := Snapshot{ID: strings.TrimPrefix(field[0], refPrefix), Commit: field[1], Made: time.Unix(made, 0), Tree: field[3]}
	reason, rest, ok := strings.Cut(field[4], "\n\n")
	if !ok {
		return Snapshot{}, false // not a snapshot
	}
	s.Reason = hud.Line(reason, contracts.LimitSnapshotReason)
	for line := range strings.Lines(rest) {
		key, quoted, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		value, err := strconv.Unquote(quoted)
		if err != nil {
			continue
		}
		switch key {
		case keyTop:
			s.Top = value
		case keyBranch:
			s.Branch = value
		case keySkipped:
			s.Skipped = append(s.Skipped, value)
		case keyNested:
			s.Nested = append(s.Nested, value)
		}
	}
	return s, s.Top != "" // other commits below the prefix are kept, but are not snapshots
}

// Last returns the group's newest snapshot of the working tree in the directory top.
func (r *Repo) Last(ctx context.Context, group, top string) (Snapshot, bool) {
	list, err := r.list(ctx, refPrefix+group+"/")
	if err != nil {
		return Snapshot{}, false // the caller then takes a snapshot, which is always safe
	}
	i := slices.IndexFunc(list, func(s Snapshot) bool { return s.Top == top })
	if i < 0 {
		return Snapshot{}, false
	}
	return list[i], true
}

// Find returns the snapshot with this id. The part of the id after the slash is enough if it is
// unique.
func (r *Repo) Find(ctx context.Context, id string) (Snapshot, error) {
	list, err := r.Snapshots(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	var found []Snapshot
	for _, s := range list {
		if s.ID == id || strings.HasSuffix(s.ID, "/"+id) {
			found = append(found, s)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return Snapshot{}, fmt.Errorf("%d snapshots match %q: use a full name, such as %s", len(found), id, found[0].ID)
	}
	return Snapshot{}, fmt.Errorf("no snapshot %q in %s (snapshots: %d)", id, r.Top, len(list))
}
