package door

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/repo/git"
	"github.com/bullpen-office/bullpen/repo/worktree"
)

// notFound is an error about an unknown version or repository.
type notFound struct{ error }

// unavailable is an error about a version that cannot be read right now.
type unavailable struct{ error }

// ServeChanges responds with the difference between the files in an earlier version of a patch and
// those in the requested version. The files are read from the repository. The "since" query
// parameter names the earlier version; the default is the version before the requested one.
func (d *Door) ServeChanges(w http.ResponseWriter, r *http.Request) {
	select {
	case d.comparing <- struct{}{}:
		defer func() { <-d.comparing }()
	case <-r.Context().Done():
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), contracts.CompareTimeout)
	defer cancel()
	content, err := d.changes(ctx, r.PathValue("id"), r.URL.Query().Get("since"))
	var missing notFound
	var unread unavailable
	switch {
	case err == nil:
		w.Header().Set("Content-Type", contracts.MIMEPatch)
		w.Header().Set("Cache-Control", "no-store") // a version may be redacted later
		_, _ = w.Write(content)
	case errors.As(err, &missing):
		gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "%v", err)
	case errors.As(err, &unread):
		gate.Refuse(w, http.StatusServiceUnavailable, contracts.CodeInternal, "%v", err)
	default:
		gate.Refuse(w, http.StatusConflict, contracts.CodeConflict, "%v", err)
	}
}

// changes returns the difference between two versions of a patch as a unified diff.
func (d *Door) changes(ctx context.Context, id, since string) ([]byte, error) {
	after, err := d.patch(ctx, id)
	if err != nil {
		return nil, err
	}
	if since = cmp.Or(since, after.Parent); since == "" {
		return nil, fmt.Errorf("deliverable %s is the first version, so there is nothing to compare it with", after.ArtifactID)
	}
	before, err := d.patch(ctx, since)
	if err != nil {
		return nil, err
	}
	if before.TaskID != after.TaskID {
		return nil, fmt.Errorf("deliverables %s and %s belong to different tasks; only versions of one patch can be compared", before.ArtifactID, after.ArtifactID)
	}
	repo, err := d.repository(ctx, after)
	if err != nil {
		return nil, err
	}
	for _, a := range []contracts.Artifact{before, after} {
		if _, err := repo.Run(ctx, "cat-file", "-e", a.Tree+"^{tree}"); err != nil {
			return nil, fmt.Errorf("the files of version %d are no longer in the repository (%w): open the patch of each version instead", a.Version, err)
		}
	}
	p, err := worktree.Compare(ctx, repo, after.Base, before.Tree, after.Tree)
	if err != nil {
		return nil, fmt.Errorf("versions %d and %d cannot be compared: %w", before.Version, after.Version, err)
	}
	return p.Content, nil
}

// patch returns an artifact, which must be a patch whose content has not been redacted.
func (d *Door) patch(ctx context.Context, id string) (contracts.Artifact, error) {
	a, ok, err := d.cfg.Artifact(ctx, id)
	name := contracts.Clip(id, contracts.LimitPreview)
	switch {
	case err != nil:
		return a, unavailable{fmt.Errorf("deliverable %q cannot be read right now; try again, or check /readyz", name)}
	case !ok:
		return a, notFound{fmt.Errorf("no deliverable %q", name)}
	case a.Tree == "":
		return a, fmt.Errorf("deliverable %s is not a patch to files in a repository", a.ArtifactID)
	case a.SHA256 == "":
		return a, fmt.Errorf("deliverable %s was redacted, so it cannot be compared", a.ArtifactID)
	}
	return a, nil
}

// repository opens the repository that a patch belongs to.
func (d *Door) repository(ctx context.Context, a contracts.Artifact) (*git.Repo, error) {
	t, ok := d.cfg.Task(a.TaskID)
	if !ok || t.Worktree == nil {
		return nil, notFound{fmt.Errorf("the project of deliverable %s is archived, so its repository is no longer known: open the patch of each version instead", a.ArtifactID)}
	}
	repo, ok := d.cfg.Repo(t.Worktree.Repo)
	switch {
	case !ok:
		return nil, notFound{fmt.Errorf("the repository %s was removed from the office; add it again to compare versions", t.Worktree.Repo)}
	case repo.Node != "" && repo.Node != d.cfg.Node:
		return nil, fmt.Errorf("the repository %s is on the node %s; send the request to that node", repo.Name, repo.Node)
	}
	return git.Open(ctx, repo.Path)
}
