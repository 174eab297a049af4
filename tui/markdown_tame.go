package tui

import "strings"

// A parser of Markdown needs the square of what may begin or end something in one
// paragraph. Text of strangers may have only so much of it.
const (
	tameSquares = 1 << 24 // the sum of those squares, of all paragraphs
	tameLines   = 4096    // lines of one paragraph, or of one table
	tameNames   = 512     // links that are defined by name
	tameDeep    = 32      // quotes and lists within each other
)

// tame reports whether a text is laid out in moments, whatever it is made of.
func tame(content string) bool {
	squares, signs, lines, names := 0, 0, 0, 0
	for line := range strings.Lines(content) {
		body := strings.TrimLeft(line, " \t>-+*0123456789.)")
		if strings.TrimSpace(line) == "" {
			squares += signs * signs
			signs, lines = 0, 0
			continue
		}
		lines++
		for _, c := range []byte(body) {
			if strings.IndexByte("*_~[]`<!", c) >= 0 {
				signs++
			}
		}
		if strings.HasPrefix(body, "[") && strings.Contains(body, "]:") {
			names++
		}
		if squares+signs*signs > tameSquares || lines > tameLines || names > tameNames || deep(line[:len(line)-len(body)]) > tameDeep {
			return false
		}
	}
	return true
}

// deep is within how many quotes and lists a line may be, by its beginning.
func deep(beginning string) (n int) {
	for i := range len(beginning) {
		switch c := beginning[i]; {
		case c == '>', c == '\t':
			n++
		case strings.IndexByte("-+*.)", c) >= 0 && strings.HasPrefix(beginning[i+1:], " "):
			n++
		}
	}
	if n > 0 {
		n += (len(beginning) - len(strings.TrimLeft(beginning, " "))) / 2
	}
	return n
}
