package workspace

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// skippedDirs lists directories that a listing names but does not enter, and that a search skips.
var skippedDirs = []string{".git", ".hg", ".svn", "node_modules"}

// Entry is a file or directory in a listing.
type Entry struct {
	Name string // slash-separated path, relative to the workspace; ends with a slash for directories
	Size int64  // in bytes; set for regular files only
}

// List returns the entries of a directory and, down to depth levels, of its subdirectories, sorted
// by name. more means that a limit was reached.
func (w *Workspace) List(ctx context.Context, dir string, depth int) (entries []Entry, more bool, err error) {
	k, err := w.walker(ctx, dir)
	if err != nil {
		return nil, false, err
	}
	defer k.root.Close()
	k.visit = func(name string, e fs.DirEntry) bool {
		if len(entries) >= contracts.LimitWorkspaceEntries {
			k.more = true
			return false
		}
		entry := Entry{Name: filepath.ToSlash(name)}
		if e.IsDir() {
			entry.Name += "/"
		} else if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			entry.Size = info.Size()
		}
		entries = append(entries, entry)
		return true
	}
	_, err = k.walk(k.dir, min(max(depth, 1), contracts.LimitWorkspaceDepth))
	return entries, k.more, err
}

// Query describes a search.
type Query struct {
	Pattern *regexp.Regexp         // matched against each line; required
	Dir     string                 // default: the whole workspace
	Glob    string                 // file name pattern, such as *.go; default: all files
	Skip    func(name string) bool // reports whether to skip a file; default: skip none
}

// Match is a line that matches a query.
type Match struct {
	Name string // slash-separated path of the file, relative to the workspace
	Line int    // line number, starting at 1
	Text string // shortened to LimitWorkspaceLine
}

// Found is the result of a search.
type Found struct {
	Matches []Match
	Skipped int  // number of files that Query.Skip excluded
	More    bool // a limit was reached, or a file was too large
}

// Search returns the matching lines of text files, sorted by file name. It does not follow links.
func (w *Workspace) Search(ctx context.Context, q Query) (found Found, err error) {
	if _, err := path.Match(q.Glob, ""); err != nil {
		return found, errors.New("the file name pattern is malformed; use * and ?")
	}
	k, err := w.walker(ctx, q.Dir)
	if err != nil {
		return found, err
	}
	defer k.root.Close()
	files, room := 0, int64(contracts.LimitSearchBytes)
	k.visit = func(name string, e fs.DirEntry) bool {
		if ok, _ := path.Match(q.Glob, e.Name()); !e.Type().IsRegular() || q.Glob != "" && !ok {
			return true
		}
		if q.Skip != nil && q.Skip(filepath.ToSlash(name)) {
			found.Skipped++
			return true
		}
		if files++; files > contracts.LimitSearchFiles || room <= 0 {
			k.more = true
			return false
		}
		content, err := read(k.root, name, contracts.LimitSearchFile)
		room -= int64(len(content))
		if err != nil || bytes.IndexByte(content, 0) >= 0 {
			k.more = k.more || errors.Is(err, errTooLarge)
			return true
		}
		return found.add(filepath.ToSlash(name), content, q.Pattern)
	}
	_, err = k.walk(k.dir, contracts.LimitWorkspaceDepth)
	found.More = found.More || k.more
	return found, err
}

// add adds the matching lines of a file. It returns false when the limit is reached.
func (f *Found) add(name string, content []byte, pattern *regexp.Regexp) bool {
	n := 0
	for line := range bytes.Lines(content) {
		n++
		line = bytes.TrimRight(line, "\r\n")
		if !pattern.Match(line) {
			continue
		}
		if len(f.Matches) >= contracts.LimitWorkspaceMatches {
			f.More = true
			return false
		}
		f.Matches = append(f.Matches, Match{name, n, contracts.Clip(contracts.CleanLine(string(line)), contracts.LimitWorkspaceLine)})
	}
	return true
}

type walker struct {
	ctx   context.Context
	root  *os.Root
	dir   string                                // where the walk starts
	visit func(name string, e fs.DirEntry) bool // returns false to end the walk
	more  bool                                  // a limit was reached
}

func (w *Workspace) walker(ctx context.Context, dir string) (*walker, error) {
	root, name, err := w.open(dir)
	if err != nil {
		return nil, err
	}
	if info, err := root.Stat(name); err != nil || !info.IsDir() {
		root.Close()
		if err != nil {
			return nil, failed(dir, err)
		}
		return nil, refused(dir, "is not a directory")
	}
	return &walker{ctx: ctx, root: root, dir: name}, nil
}

// walk visits the entries of a directory, down to depth levels. A directory that cannot be read
// counts as empty.
func (k *walker) walk(dir string, depth int) (goOn bool, err error) {
	if k.ctx.Err() != nil {
		return false, context.Cause(k.ctx)
	}
	for _, e := range k.entries(dir) {
		name := filepath.Join(dir, e.Name())
		if !k.visit(name, e) {
			return false, nil
		}
		if depth <= 1 || !e.IsDir() || slices.Contains(skippedDirs, strings.ToLower(e.Name())) {
			continue
		}
		if goOn, err := k.walk(name, depth-1); !goOn {
			return false, err
		}
	}
	return true, nil
}

// entries returns the entries of a directory, sorted by name.
func (k *walker) entries(dir string) []fs.DirEntry {
	d, err := k.root.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	entries, err := d.ReadDir(contracts.LimitWorkspaceFolder)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	k.more = k.more || len(entries) == contracts.LimitWorkspaceFolder
	slices.SortFunc(entries, func(x, y fs.DirEntry) int { return strings.Compare(x.Name(), y.Name()) })
	return entries
}
