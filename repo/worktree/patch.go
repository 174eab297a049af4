package worktree

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/git"
)

// Patch is the difference between two trees.
type Patch struct {
	Content []byte // a unified diff, at most contracts.LimitArtifactBytes
	Files   int
	Added   int // lines
	Deleted int
}

type file struct {
	path      string
	status    string // git's letter: A, D, M, R or T
	added     int    // lines
	deleted   int
	generated bool // not written by hand
}

// diffOptions make a diff independent of the user's settings, and prevent it from running programs.
var diffOptions = []string{"--no-ext-diff", "--no-textconv", "--no-color", "--full-index", "--src-prefix=a/", "--dst-prefix=b/", "--find-renames", "--no-relative", "--submodule=short", "--ignore-submodules=none", "-O" + os.DevNull}

func diff(options ...string) []string {
	return append(append([]string{"-c", "core.quotePath=false", "diff"}, diffOptions...), options...)
}

// Patch returns the difference between two trees or commits. Git attributes in the worktree are
// ignored, so that an agent cannot hide changes by marking files as binary or generated.
func (w *Worktree) Patch(ctx context.Context, from, to string) (Patch, error) {
	return Compare(ctx, w.repo, w.Base, from, to)
}

// Compare is like Patch, but for trees in a repository whose worktree may be gone. It uses the git
// attributes in commit base.
func Compare(ctx context.Context, in *git.Repo, base, from, to string) (Patch, error) {
	repo, remove, err := atBase(ctx, in, base)
	if err != nil {
		return Patch{}, err
	}
	defer remove()
	files, err := listFiles(ctx, repo, from, to)
	if err != nil {
		return Patch{}, err
	}
	if err := markGenerated(ctx, repo, files); err != nil {
		return Patch{}, err
	}
	content, err := repo.Output(ctx, git.Call{Args: diff("--patch", from, to, "--")})
	if err != nil {
		return Patch{}, err
	}
	p := Patch{Content: fit(sections(content), files), Files: len(files)}
	for _, f := range files {
		p.Added += f.added
		p.Deleted += f.deleted
	}
	return p, nil
}

// atBase returns an empty temporary working tree with the files of the base in its index.
func atBase(ctx context.Context, in *git.Repo, base string) (repo *git.Repo, remove func(), err error) {
	dir, err := os.MkdirTemp("", "bullpen-base-*")
	if err != nil {
		return nil, nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) } // a failure costs only disk space
	files := filepath.Join(dir, "files")
	repo = in.At(files, in.GitDir).With("GIT_INDEX_FILE=" + filepath.Join(dir, "index"))
	if err = os.Mkdir(files, 0o700); err == nil {
		_, err = repo.Run(ctx, "read-tree", base)
	}
	if err != nil {
		remove()
		return nil, nil, err
	}
	return repo, remove, nil
}

// sections splits a diff into its sections: one per file, or two if the type of the file changed.
// No content line starts like a section header.
func sections(content []byte) [][]byte {
	var list [][]byte
	header := []byte("diff --git ")
	for line := range bytes.Lines(content) {
		if bytes.HasPrefix(line, header) || len(list) == 0 {
			list = append(list, nil)
		}
		list[len(list)-1] = append(list[len(list)-1], line...)
	}
	return list
}

// fit joins the sections. Sections that do not fit in an artifact, preferably those of generated
// files, are replaced by stubs, so that a person sees every file that would land. If the stubs do
// not fit either, the last ones are left out, and a final section says how many. There may be more
// sections than files, because a file whose type changed has two sections.
func fit(list [][]byte, files []file) []byte {
	of := make([]*file, len(list))
	next := 0
	for i := range list {
		of[i] = &file{}
		if next < len(files) {
			of[i] = &files[next]
			if files[next].status != "T" || i > 0 && of[i-1] == of[i] {
				next++
			}
		}
	}
	room := contracts.LimitArtifactBytes
	parts := make([][]byte, len(list))
	for i, section := range list {
		list[i] = bytes.ToValidUTF8(section, []byte("\uFFFD"))
		parts[i] = stub(list[i], of[i])
		room -= len(parts[i])
	}
	more := 0
	for i := len(parts) - 1; i >= 0 && room < len(unnamed(len(parts))); i-- {
		room += len(parts[i])
		parts[i] = nil
		more++
	}
	if more > 0 {
		room -= len(unnamed(more))
	}
	for _, generated := range []bool{false, true} {
		for i, section := range list {
			if parts[i] == nil || of[i].generated != generated {
				continue
			}
			if rest := len(section) - len(parts[i]); rest <= room {
				room -= rest
				parts[i] = section
			}
		}
	}
	out := bytes.Join(parts, nil)
	if more > 0 {
		out = append(out, unnamed(more)...)
	}
	return out
}

// stub returns the head of a section, with a hunk saying that the content is not shown. The hunk
// contains no changes, so that it cannot be applied. A section that is not longer than its stub is
// returned unchanged.
func stub(section []byte, f *file) []byte {
	head, _, ok := bytes.Cut(section, []byte("\n@@ "))
	text := fmt.Appendf(slices.Clip(head), "\n@@ -1 +1 @@\n [not shown, because the patch is too large: %d lines added, %d removed]\n", f.added, f.deleted)
	if !ok || len(section) <= len(text) {
		return section
	}
	return text
}

// moreSections stands for the sections that a patch leaves out.
const moreSections contracts.Counted = "1 more file|%d more files"

// unnamed returns a section with the number of sections that the patch leaves out.
func unnamed(n int) []byte {
	name := moreSections.Of(n)
	return fmt.Appendf(nil, "diff --git a/%[1]s b/%[1]s\n--- a/%[1]s\n+++ b/%[1]s\n@@ -1 +1 @@\n [not shown, because the patch is too large]\n", name)
}

// listFiles lists the files that differ between two trees.
func listFiles(ctx context.Context, repo *git.Repo, from, to string) ([]file, error) {
	rows, err := repo.List(ctx, diff("--raw", "-z", from, to, "--")...)
	if err != nil {
		return nil, err
	}
	var files []file
	for len(rows) >= 2 {
		field := strings.Fields(rows[0]) // modes, hashes, status
		if len(field) != 5 || field[4] == "" {
			return nil, fmt.Errorf("git diff printed an unexpected line: %q", rows[0])
		}
		f := file{status: field[4][:1], path: rows[1]}
		rows = rows[2:]
		if f.status == "R" || f.status == "C" {
			if len(rows) == 0 {
				return nil, fmt.Errorf("git diff printed only one name for the renamed file %q", f.path)
			}
			f.path, rows = rows[0], rows[1:]
		}
		files = append(files, f)
	}
	return files, countLines(ctx, repo, from, to, files)
}

// countLines fills in the line counts.
func countLines(ctx context.Context, repo *git.Repo, from, to string, files []file) error {
	out, err := repo.Output(ctx, git.Call{Args: diff("--numstat", "-z", from, to, "--")})
	if err != nil {
		return err
	}
	at := map[string]*file{}
	for i := range files {
		at[files[i].path] = &files[i]
	}
	rows := strings.Split(string(out), "\x00")
	for len(rows) > 0 && rows[0] != "" {
		field := strings.SplitN(rows[0], "\t", 3)
		if len(field) != 3 {
			return fmt.Errorf("git diff printed an unexpected line: %q", rows[0])
		}
		rows = rows[1:]
		if field[2] == "" && len(rows) >= 2 { // a rename: the old and the new name follow
			field[2], rows = rows[1], rows[2:]
		}
		f := at[field[2]]
		if f == nil {
			continue
		}
		f.added, _ = strconv.Atoi(field[0]) // "-" for a binary file
		f.deleted, _ = strconv.Atoi(field[1])
	}
	return nil
}
