package git

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha1" //nolint:gosec // git's own hash
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"
)

// ErrForged means that the content of an object in the repository does not match its hash. git does
// not notice the mismatch when it reads the object. Any program that can write to the repository,
// such as an agent in a worktree, can cause it.
var ErrForged = errors.New("an object in the repository is damaged or forged: its content does not match its hash (`git fsck` shows which files are affected)")

// Verify computes the hash of each object that is new between two commits or trees: commits,
// directories and files. It returns ErrForged if one does not match. Its cost depends on the
// changes, not on the size of the repository.
func (r *Repo) Verify(ctx context.Context, from, to string) error {
	commits, err := r.Run(ctx, "rev-list", to, "--not", from, "--") // none if to is a tree
	if err != nil {
		return err
	}
	ids := append(strings.Fields(commits), to)
	if err := r.rehash(ctx, ids); err != nil { // before the commits are trusted
		return err
	}
	var list []string
	for _, id := range ids {
		root, err := r.Run(ctx, "rev-parse", "--verify", id+"^{tree}")
		if err != nil {
			return forged(err)
		}
		added, err := r.addedObjects(ctx, from, id)
		if err != nil {
			return forged(err)
		}
		list = append(append(list, root), added...)
	}
	slices.Sort(list)
	return r.rehash(ctx, slices.Compact(list))
}

// addedObjects lists the directories and files that were added or changed between two commits or
// trees.
func (r *Repo) addedObjects(ctx context.Context, from, to string) (ids []string, err error) {
	rows, err := r.List(ctx, "diff-tree", "-r", "-t", "-z", "--raw", "--no-abbrev", "--no-renames", from, to, "--")
	if err != nil {
		return nil, err
	}
	for i := 0; i+1 < len(rows); i += 2 { // modes, hashes and status, then the path
		field := strings.Fields(rows[i])
		if len(field) != 5 {
			return nil, fmt.Errorf("git diff-tree printed an unexpected line: %q", rows[i])
		}
		if field[4] != "D" && field[1] != modeCommit {
			ids = append(ids, field[3])
		}
	}
	return ids, nil
}

// rehash computes the hashes of objects from their content, and returns ErrForged if one differs.
func (r *Repo) rehash(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	in, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := rehashed(in, ids)
		_ = in.CloseWithError(err) // ends git early; never fails
		done <- err
	}()
	_, err := r.Output(ctx, Call{Args: []string{"cat-file", "--batch"}, In: []byte(strings.Join(ids, "\n") + "\n"), out: out})
	_ = out.Close() // never fails
	wrong := <-done
	if errors.Is(wrong, ErrForged) {
		return wrong
	}
	return cmp.Or(forged(err), wrong)
}

// forged returns ErrForged if err comes from a git command that could not read an object;
// otherwise, it returns err.
func forged(err error) error {
	var failed *Error
	if errors.As(err, &failed) {
		return fmt.Errorf("%w: %s", ErrForged, failed.Message)
	}
	return err
}

// rehashed hashes the objects in the output of git cat-file again, and checks that the hashes equal
// the given ids.
func rehashed(in io.Reader, ids []string) error {
	out := bufio.NewReader(in)
	for _, id := range ids {
		head, err := out.ReadString('\n')
		if err != nil {
			return err
		}
		var kind string
		var size int64
		if _, err := fmt.Sscanf(head, id+" %s %d\n", &kind, &size); err != nil {
			return fmt.Errorf("%w: %s", ErrForged, strings.TrimSpace(head)) // such as "… missing"
		}
		h := newHash(id)
		fmt.Fprintf(h, "%s %d\x00", kind, size)
		if _, err := io.CopyN(h, out, size); err != nil {
			return err
		}
		if _, err := out.Discard(len("\n")); err != nil {
			return err
		}
		if hex.EncodeToString(h.Sum(nil)) != id {
			return fmt.Errorf("%w: %s %s", ErrForged, kind, id)
		}
	}
	return nil
}

// newHash returns the hash function that an id was computed with.
func newHash(id string) hash.Hash {
	if len(id) == hex.EncodedLen(sha256.Size) {
		return sha256.New()
	}
	return sha1.New() //nolint:gosec // git's own hash
}
