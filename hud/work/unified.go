package work

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

var hunkHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@`)
})

// Unified parses a unified diff, from git or as bare hunks. path and change apply to hunks without
// a file name before them. A hunk has as many lines as its header announces, even if a line looks
// like a file name, but it ends early at a line that cannot belong to a hunk.
func Unified(text, path string, change Change) []File {
	u := unified{path: path, change: change}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		u.line(line)
	}
	for i := range u.files {
		u.files[i].count()
	}
	return u.files
}

// unified is the state of a parser for unified diffs.
type unified struct {
	path     string
	change   Change
	files    []File
	old, new int // lines still missing from the open hunk, on each side
}

func (u *unified) file() *File {
	if len(u.files) == 0 {
		u.files = append(u.files, File{Path: u.path, Change: u.change})
	}
	return &u.files[len(u.files)-1]
}

func (u *unified) line(line string) {
	if u.old > 0 || u.new > 0 {
		u.content(line)
		return
	}
	if m := hunkHead().FindStringSubmatch(line); m != nil {
		u.old, u.new = counted(m[2]), counted(m[4])
		f := u.file()
		f.Hunks = append(f.Hunks, Patch{Old: number(m[1]), New: number(m[3])})
		return
	}
	u.head(line)
}

// content adds a line to the open hunk. An empty line counts as unchanged, because an editor may
// have removed the space that it consisted of.
func (u *unified) content(line string) {
	line = cmp.Or(line, " ")
	switch line[0] {
	case '\\': // no newline at the end of the file
		return
	case ' ':
		u.old, u.new = u.old-1, u.new-1
	case '-':
		u.old--
	case '+':
		u.new--
	default: // the hunk is shorter than announced
		u.old, u.new = 0, 0
		u.line(line)
		return
	}
	f := u.file()
	h := &f.Hunks[len(f.Hunks)-1]
	h.Lines = append(h.Lines, line)
}

// head parses a line between hunks.
func (u *unified) head(line string) {
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case strings.HasPrefix(line, "diff --git "):
		path := rest
		if at := strings.LastIndex(line, ` "b/`); at >= 0 {
			path = strings.TrimPrefix(unquoted(line[at+1:]), "b/")
		} else if at := strings.LastIndex(line, " b/"); at >= 0 {
			path = line[at+3:]
		}
		u.files = append(u.files, File{Path: path, Change: ChangeEdit})
	case len(u.files) == 0 && word != "---":
	case word == "---":
		u.parseOldName(rest)
	case word == "+++":
		if name := fileName(rest); name != "" {
			u.file().Path = name
		} else {
			u.file().Change = ChangeDelete
		}
	case strings.HasPrefix(line, "new file"):
		u.file().Change = ChangeCreate
	case strings.HasPrefix(line, "deleted file"):
		u.file().Change = ChangeDelete
	case strings.HasPrefix(line, "rename from "):
		u.file().Change, u.file().From = ChangeRename, unquoted(line[len("rename from "):])
	case strings.HasPrefix(line, "rename to "):
		u.file().Path = unquoted(line[len("rename to "):])
	case strings.HasPrefix(line, "Binary files "), line == "GIT binary patch":
		u.file().Binary = true
	}
}

// parseOldName reads a file's old name and starts a new file, unless a "diff" line already did. The
// name /dev/null marks the file as created.
func (u *unified) parseOldName(rest string) {
	name := fileName(rest)
	if n := len(u.files); n == 0 || len(u.files[n-1].Hunks) > 0 {
		u.files = append(u.files, File{Path: name, Change: ChangeEdit})
	}
	if name == "" {
		u.file().Change = ChangeCreate
	}
}

// fileName returns the path after --- or +++, or "" for /dev/null.
func fileName(rest string) string {
	rest, _, _ = strings.Cut(rest, "\t")
	rest = unquoted(rest)
	if rest == "/dev/null" {
		return ""
	}
	if len(rest) > 2 && (rest[:2] == "a/" || rest[:2] == "b/") {
		return rest[2:]
	}
	return rest
}

// unquoted returns a name without git's quotes. Git writes a name with unusual characters as a
// quoted C string, with the bytes of non-ASCII letters as octal escapes. Anything that is not
// quoted is returned unchanged.
func unquoted(name string) string {
	if len(name) < 2 || name[0] != '"' || name[len(name)-1] != '"' {
		return name
	}
	text, err := strconv.Unquote(name)
	if err != nil {
		return name
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

func counted(digits string) int {
	if digits == "" {
		return 1
	}
	return number(digits)
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits) // the pattern allows only digits
	return n
}
