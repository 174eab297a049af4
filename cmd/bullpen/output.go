package main

import (
	"fmt"
	"io"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/tui"
)

func printJSON(w io.Writer, value any) error {
	out, err := json.Marshal(value, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	_, err = fmt.Fprintln(w, string(out))
	return err
}

// isTerminal reports whether somebody looks at w.
func isTerminal(w any) bool {
	if plain, ok := w.(asciiFile); ok {
		w = plain.File
	}
	f, ok := w.(*os.File)
	return ok && terminalFile(f)
}

// asciiFile is a terminal that does not read UTF-8: people get every character by
// a sign for it.
type asciiFile struct{ *os.File }

func (f asciiFile) Write(p []byte) (int, error) {
	if _, err := f.File.WriteString(tui.ASCII(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (f asciiFile) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

// forPeople is w as people can read it there. What programs read stays as it is:
// JSON, what is written into files and pipes, and the output of other programs.
func forPeople(w io.Writer) io.Writer {
	if f, ok := w.(*os.File); ok && terminalFile(f) && !tui.UTF8(os.Getenv) {
		return asciiFile{f}
	}
	return w
}

// asItIs marks a command whose output is another program's.
const asItIs = "bullpen_as_it_is"

// paint gives weight to what is written, or leaves it as it is.
type paint bool

// paintFor is off where nobody looks, or where NO_COLOR or TERM say so.
func paintFor(w io.Writer) paint {
	return paint(isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb")
}

func (p paint) dim(s string) string    { return p.wrap("2", s) }
func (p paint) strong(s string) string { return p.wrap("1", s) }

func (p paint) wrap(code, s string) string {
	if !p {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}
