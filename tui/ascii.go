package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// UTF8 reports whether the terminal reads UTF-8, by the variables of the locale.
func UTF8(getenv func(string) string) bool { return utf8Terminal(getenv) }

// ASCII is a text for a terminal that reads nothing else, each other character by
// the sign that stands for it in frames. What is ASCII already stays as it is.
func ASCII(text string) string {
	var b strings.Builder
	for text != "" {
		n := strings.IndexFunc(text, func(r rune) bool { return r > '\x7f' })
		if n < 0 {
			n = len(text)
		}
		b.WriteString(text[:n])
		if text = text[n:]; text == "" {
			break
		}
		one, width, n, _ := ansi.GraphemeWidth.DecodeSequenceInString(text, 0, nil)
		if text = text[n:]; width > 0 {
			b.WriteString(inASCII(one, width))
		}
	}
	return b.String()
}
