package main

import (
	"fmt"
	"io"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/tui"
)

// printJSON writes value as an indented JSON object. Lists are members of an object, so that
// keys can be added later.
func printJSON(w io.Writer, value any) error {
	out, err := json.Marshal(value, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("encode the output: %w", err)
	}
	if out[0] != '{' {
		return fmt.Errorf("encode the output: %.20q is not a JSON object", out)
	}
	_, err = fmt.Fprintln(w, string(out))
	return err
}

// printNote prints a message for standard error, as JSON if asJSON is set.
func printNote(w io.Writer, asJSON bool, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if asJSON {
		_ = printJSON(w, map[string]string{"note": text})
		return
	}
	fmt.Fprintln(w, "bullpen: "+text)
}

func isTerminal(w any) bool {
	if plain, ok := w.(asciiFile); ok {
		w = plain.File
	}
	f, ok := w.(*os.File)
	return ok && terminalFile(f)
}

// asciiFile writes to a terminal without UTF-8: it replaces non-ASCII characters with ASCII.
type asciiFile struct{ *os.File }

func (f asciiFile) Write(p []byte) (int, error) {
	if _, err := f.File.WriteString(tui.ASCII(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (f asciiFile) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

// forPeople returns w, wrapped to write ASCII replacements if w is a terminal without UTF-8. JSON,
// files, pipes and the output of other programs are never changed.
func forPeople(w io.Writer) io.Writer {
	if f, ok := w.(*os.File); ok && terminalFile(f) && !tui.UTF8(os.Getenv) {
		return asciiFile{f}
	}
	return w
}

// asItIs marks a command whose output must not be changed.
const asItIs = "bullpen_as_it_is"

// paint styles text if true, and returns it unchanged if false.
type paint bool

// paintFor returns true if w is a terminal and neither NO_COLOR nor TERM turns colours off.
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
