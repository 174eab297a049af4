package survey

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Census is the result of reading the files in a listing.
type Census struct {
	Bytes     int64 // total size of all files
	Lines     int   // lines in the files that were read
	Languages []Language
	Tests     int    // files that contain tests
	Largest   []File // largest files, of any kind
	Notes     []Note // the first LimitSurveyList notes
	NoteCount int
	More      bool // a limit was reached
}

// Language counts the files and lines of a programming or markup language.
type Language struct {
	Name  string
	Files int
	Lines int
}

// Note is a comment that starts with TODO or FIXME, redacted and shortened.
type Note struct {
	Path string
	Line int
	Text string
}

// Count reads the files whose language is known, and counts files, lines, tests and notes.
func (f *Folder) Count(ctx context.Context, l Listing) (c Census, err error) {
	languages := map[string]*Language{}
	room := int64(contracts.LimitSurveyBytes)
	for _, file := range l.Files {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		c.Bytes += file.Bytes
		name, known := languageOf(file.Path)
		if !known {
			continue
		}
		if isTest(file.Path) {
			c.Tests++
		}
		if file.Bytes > contracts.LimitSurveyFile || file.Bytes > room {
			c.More = true
			continue
		}
		text, ok := f.text(file.Path)
		if !ok {
			continue
		}
		room -= int64(len(text))
		if languages[name] == nil {
			languages[name] = &Language{Name: name}
		}
		lines := c.read(file.Path, text)
		languages[name].Files++
		languages[name].Lines += lines
		c.Lines += lines
	}
	for _, l := range languages {
		c.Languages = append(c.Languages, *l)
	}
	slices.SortFunc(c.Languages, func(x, y Language) int {
		if x.Lines != y.Lines {
			return y.Lines - x.Lines
		}
		return strings.Compare(x.Name, y.Name)
	})
	c.Largest = largest(l.Files)
	return c, nil
}

// text returns the start of a text file, up to LimitSurveyFile, or false if it cannot be read.
func (f *Folder) text(name string) ([]byte, bool) {
	info, err := f.root.Lstat(filepath.FromSlash(name))
	if err != nil {
		return nil, false
	}
	text, err := f.read(name, info)
	return text, err == nil
}

// read returns the first LimitSurveyFile bytes of the text file that info describes; ErrNotText if
// the file is not text. A file counts as missing if it was replaced after info was read.
func (f *Folder) read(name string, info fs.FileInfo) ([]byte, error) {
	file, err := f.open(name)
	if err != nil {
		return nil, fs.ErrNotExist
	}
	defer func() { _ = file.Close() }()
	if now, err := file.Stat(); err != nil || !now.Mode().IsRegular() || !os.SameFile(info, now) {
		return nil, fs.ErrNotExist
	}
	text, err := io.ReadAll(io.LimitReader(file, contracts.LimitSurveyFile))
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(text[:min(len(text), contracts.LimitSurveyProbe)], 0) >= 0 {
		return nil, ErrNotText
	}
	return text, nil
}

// read returns the number of lines in text, and collects the TODO notes in it.
func (c *Census) read(name string, text []byte) (lines int) {
	signs := signsOf(name)
	for line := range bytes.Lines(text) {
		lines++
		note, ok := noteIn(line, signs)
		if !ok {
			continue
		}
		c.NoteCount++
		if len(c.Notes) < contracts.LimitSurveyList {
			c.Notes = append(c.Notes, Note{name, lines, hud.Line(note, contracts.LimitSurveyNote)})
		}
	}
	return lines
}

var noteMarks = [][]byte{[]byte("TODO"), []byte("FIXME")}

// commentSigns start a comment in source code; proseSigns start a comment in prose, where # starts
// a heading.
var (
	commentSigns = []string{"//", "#", "/*", "*", "--", "<!--", ";", "%"}
	proseSigns   = []string{"<!--"}
)

func signsOf(name string) []string {
	switch l, _ := languageOf(name); l {
	case "Markdown", "HTML":
		return proseSigns
	}
	return commentSigns
}

// noteIn returns the comment in a line if the comment starts with a mark such as TODO, and false
// otherwise. A mark inside a sentence or a string does not count.
func noteIn(line []byte, signs []string) (string, bool) {
	for _, mark := range noteMarks {
		at := bytes.Index(line, mark)
		if at < 0 {
			continue
		}
		before, after := strings.TrimRight(string(line[:at]), " \t"), string(line[at+len(mark):])
		if (strings.Count(before, `"`)-strings.Count(before, `\"`))%2 == 1 || strings.Count(before, "`")%2 == 1 {
			continue // inside a string
		}
		signed := slices.ContainsFunc(signs, func(sign string) bool { return strings.HasSuffix(before, sign) })
		if signed && (after == "" || strings.ContainsAny(after[:1], ":( \t\r\n")) {
			text := strings.TrimSpace(string(line[at:]))
			for _, end := range []string{"*/", "-->"} {
				text = strings.TrimSpace(strings.TrimSuffix(text, end))
			}
			return text, true
		}
	}
	return "", false
}

func largest(files []File) []File {
	out := slices.Clone(files)
	slices.SortStableFunc(out, func(x, y File) int {
		switch {
		case x.Bytes > y.Bytes:
			return -1
		case x.Bytes < y.Bytes:
			return 1
		}
		return 0
	})
	return out[:min(len(out), contracts.LimitSurveyList)]
}
