package git

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// drafts is input for git fast-import: commits, which git writes together and syncs to disk.
type drafts struct {
	bytes.Buffer
}

// draftRef is the branch name that git fast-import requires for a commit. No branch of that name is
// created.
const draftRef = refPrefix + "draft"

// begin starts a commit with an empty tree. The hash of the commit depends only on its content.
func (d *drafts) begin(message string, parents ...string) {
	fmt.Fprintf(d, "commit %s\nmark :1\ncommitter %s <%s> %s\ndata %d\n%s\n", draftRef, authorName, authorMail, epoch, len(message), message)
	for _, p := range parents {
		fmt.Fprintf(d, "merge %s\n", p)
	}
}

// change applies changes to the tree of the commit. Deletions come first, because a directory can
// replace a deleted file.
func (d *drafts) change(changes []change) {
	for _, c := range changes {
		if c.mode == "" {
			fmt.Fprintf(d, "D %s\n", quote(c.path))
		}
	}
	for _, c := range changes {
		if c.mode != "" {
			fmt.Fprintf(d, "M %s %s %s\n", c.mode, c.hash, quote(c.path))
		}
	}
}

// file adds a file to the tree of the commit.
func (d *drafts) file(path string, content []byte) {
	fmt.Fprintf(d, "M %s inline %s\ndata %d\n%s\n", modeFile, quote(path), len(content), content)
}

// working adds the tree of a working tree's files, and then a commit of the staged files.
func (d *drafts) working(found reading) {
	base := change{mode: modeDirectory, hash: found.base}
	d.begin("staged files\n")
	d.change([]change{base})
	d.change(found.files)
	d.tree()
	d.change([]change{base})
	d.change(found.staged)
	d.end()
}

// state adds a commit with the rest of a snapshot: the files in s, the index and the conflicts.
func (d *drafts) state(found reading, s state) {
	d.begin("state of the working tree\n", s.parents...)
	for name, content := range s.files {
		d.file(name, content)
	}
	if found.index != nil {
		d.file(stateIndex, found.index)
	}
	d.change(found.conflicts)
	d.end()
}

// tree adds the hash of the commit's current tree to the hashes that write returns.
func (d *drafts) tree() { d.WriteString("ls \"\"\n") }

// end finishes a commit, and makes write return the commit's hash.
func (d *drafts) end() { fmt.Fprintf(d, "\nget-mark :1\nreset %s\n\n", draftRef) }

// write runs git fast-import and returns n hashes, in the order of the calls to tree and end.
func (d *drafts) write(ctx context.Context, r *Repo, n int) ([]string, error) {
	d.WriteString("done\n")
	out, err := r.text(ctx, Call{Args: []string{
		"-c", "core.ignoreCase=false", // use paths exactly as in the commit and the index
		"-c", "fastimport.unpackLimit=1000000000", // no packs, because each one slows git down
		"fast-import", "--quiet", "--done",
	}, In: d.Bytes()})
	if err != nil {
		return nil, err
	}
	var hashes []string
	for line := range strings.Lines(out) { // a hash alone, or mode, type, hash and an empty path
		field := strings.Fields(line)
		hashes = append(hashes, field[len(field)-1])
	}
	if len(hashes) != n {
		return nil, fmt.Errorf("git fast-import printed %d hashes instead of %d", len(hashes), n)
	}
	return hashes, nil
}

// quote quotes a path for git fast-import.
func quote(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(path) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, "\\%03o", c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
