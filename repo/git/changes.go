package git

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// change is a changed path in a tree, with its new content.
type change struct {
	mode string // empty if the path is deleted
	hash string
	path string
}

// Modes of paths in a tree.
const (
	modeFile      = "100644"
	modeDirectory = "040000"
	modeCommit    = "160000" // a submodule or another repository
	modeNone      = "000000" // in the output of git status: the path does not exist
)

// reading describes the state of a working tree as changes relative to a git tree object.
type reading struct {
	base    string   // hash of the tree object
	files   []change // changes from base to the files in the working tree
	staged  []change // changes from base to the index, without files that have conflicts
	skipped []string // see Tree
	nested  []string

	index     []byte   // the index file, if a tree cannot represent it
	conflicts []change // the versions of files with conflicts; their paths start with stateStages
}

// errUnusual means that git status does not fully describe the working tree.
var errUnusual = errors.New("git status does not fully describe the working tree")

// unusual reports whether err, an error from readByStatus, means that the working tree must be read
// with git add.
func unusual(err error) bool {
	var failed *Error
	return errors.Is(err, errUnusual) || errors.As(err, &failed)
}

// readByStatus reads the working tree with git status, which checks many files at the same time and
// does not write an index. It fails with errUnusual or an *Error if only git add can read the
// working tree. The possible causes are nested repositories, conflicts, unreadable files, index
// flags that hide changes, a missing first commit, and changes during the read.
func (r *Repo) readByStatus(ctx context.Context) (reading, error) {
	x, err := r.readIndex()
	if err != nil || !x.plain || x.nested {
		return reading{}, errUnusual
	}
	stderr := &Buffer{Room: contracts.LimitGitMessage}
	out, err := r.Output(ctx, Call{Args: []string{
		"status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--no-renames", "--untracked-files=all", "--ignore-submodules=dirty",
	}, stderr: stderr})
	if err != nil {
		return reading{}, err
	}
	if len(stderr.Bytes()) > 0 || !x.current(r) { // git warns about directories that it cannot open
		return reading{}, errUnusual
	}
	s, err := r.readStatus(out)
	if err != nil {
		return reading{}, err
	}
	resolving := async(func() (string, error) {
		return r.text(ctx, Call{Args: []string{"rev-parse", "HEAD^{commit}", "HEAD^{tree}"}})
	})
	read, err := r.readFiles(ctx, s.edited)
	head, failed := resolving()
	if err := errors.Join(err, failed); err != nil {
		return reading{}, err
	}
	commit, base, _ := strings.Cut(head, "\n")
	if commit != s.head {
		return reading{}, errUnusual
	}
	return reading{base: base, files: append(s.files, read...), staged: s.staged}, nil
}

// status is the parsed output of git status.
type status struct {
	head   string   // the commit that is checked out
	staged []change // from the commit to the index
	files  []change // from the commit to the working tree, except those in edited
	edited []change // files with new content, each with its mode and hash in the index; the mode is empty if the file is not in the index
}

// readStatus reads the output of git status.
func (r *Repo) readStatus(out []byte) (status, error) {
	var s status
	for _, row := range split(out) {
		switch kind, rest, _ := strings.Cut(row, " "); kind {
		case "#":
			if hash, ok := strings.CutPrefix(rest, "branch.oid "); ok {
				s.head = hash
			}
		case "?":
			if r.ignoreCase || strings.HasSuffix(rest, "/") { // git add may use the case of a tracked directory; paths of nested repositories end with a slash
				return status{}, errUnusual
			}
			s.edited = append(s.edited, change{path: rest})
		case "1":
			field := strings.SplitN(rest, " ", 8) // two letters; submodule; modes in the commit, in the index and on disk; hashes in the commit and in the index; path
			if len(field) != 8 || len(field[0]) != 2 || field[1] != "N..." {
				return status{}, errUnusual
			}
			if err := s.add(field[0][0], field[0][1], change{mode: field[3], hash: field[6], path: field[7]}); err != nil {
				return status{}, err
			}
		default:
			return status{}, errUnusual
		}
	}
	return s, nil
}

// add adds a path from the index or the commit. index and file are git's status letters: index is
// the change from the commit to the index, and file is the change from the index to the file.
func (s *status) add(index, file byte, c change) error {
	if c.mode == modeNone {
		c.mode = ""
	}
	if index != '.' {
		s.staged = append(s.staged, c)
	}
	switch {
	case file == '.' && index != '.':
		s.files = append(s.files, c)
	case file == '.':
	case path.Base(c.path) == ".gitattributes": // if it cannot be read, git applies the one in the index to other files
		return errUnusual
	case file == 'D':
		s.files = append(s.files, change{path: c.path})
	case file == 'M' || file == 'T':
		s.edited = append(s.edited, c)
	default:
		return errUnusual
	}
	return nil
}

// readFiles writes the content of changed files to the repository, as git add would. It returns the
// changes to make to a tree.
func (r *Repo) readFiles(ctx context.Context, files []change) ([]change, error) {
	if len(files) == 0 {
		return nil, nil
	}
	x, err := r.newIndex()
	if err != nil {
		return nil, err
	}
	defer x.remove()
	var known, paths bytes.Buffer
	changes := make([]change, 0, 2*len(files))
	for _, f := range files {
		if f.mode != "" { // whether git converts line endings depends on what is in the index
			fmt.Fprintf(&known, "%s %s\t%s\x00", f.mode, f.hash, f.path)
		}
		paths.WriteString(f.path + "\x00")
		changes = append(changes, change{path: f.path}) // in case it was deleted in the meantime
	}
	if known.Len() > 0 {
		if _, err := x.bytes(ctx, known.Bytes(), "update-index", "-z", "--index-info"); err != nil {
			return nil, err
		}
	}
	c := x.call(paths.Bytes(), "update-index", "--add", "--remove", "-z", "--stdin")
	c.stderr = &Buffer{Room: contracts.LimitGitMessage}
	if _, err := r.Output(ctx, c); err != nil {
		return nil, err
	}
	if len(c.stderr.Bytes()) > 0 { // git only warns about a name that it does not accept, such as .GIT
		return nil, errUnusual
	}
	raw, err := os.ReadFile(x.path())
	if errors.Is(err, fs.ErrNotExist) {
		return changes, nil // no file is left
	}
	if err != nil {
		return nil, err
	}
	written, err := r.parseIndex(raw, func(e indexEntry) {
		changes = append(changes, change{mode: fmt.Sprintf("%06o", e.mode), hash: hex.EncodeToString(e.hash), path: string(e.path)})
	})
	if err != nil || written.nested {
		return nil, errUnusual
	}
	return changes, nil
}
