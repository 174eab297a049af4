package main

import (
	"fmt"
	"io"
	"os"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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
	f, ok := w.(*os.File)
	return ok && terminalFile(f)
}

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
