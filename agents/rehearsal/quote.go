package rehearsal

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
)

// indent is a space that Markdown does not remove at the start of a line.
const indent = "\u00a0"

// quote returns text as a Markdown quotation that shows its lines as plain text, whatever markup
// they contain. Consecutive empty lines are collapsed into one.
func quote(text string) string {
	text = contracts.CleanText(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n").Replace(text))
	if contracts.Blank(text) {
		return "> (nothing)"
	}
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		words := strings.TrimFunc(line, unicode.IsSpace)
		if words == "" {
			if len(out) > 0 && out[len(out)-1] != ">" {
				out = append(out, ">")
			}
			continue
		}
		if n := len(out); n > 0 && out[n-1] != ">" {
			out[n-1] += "  " // forces a line break
		}
		lead, _, _ := strings.Cut(line, words)
		out = append(out, "> "+strings.Repeat(indent, len([]rune(strings.ReplaceAll(lead, "\t", "    "))))+escape(words))
	}
	return strings.TrimSuffix(strings.Join(out, "\n"), "\n>")
}

// inline returns text as one line that Markdown displays as written, even in a table.
func inline(text string) string { return escape(contracts.CleanLine(text)) }

// escape escapes the Markdown characters in a line. Characters that matter only at the start of a
// line are left alone elsewhere, so that the source stays readable.
func escape(line string) string {
	var b strings.Builder
	number := true // only digits so far
	for i, r := range line {
		before, after := line[:i], line[i+len(string(r)):]
		special := strings.ContainsRune("\\`*_[]<>&|~@", r)
		switch r {
		case '#', '-', '+', '=', ':':
			special = i == 0 || r == ':' && strings.HasPrefix(after, "//")
		case '.', ')':
			special = number && i > 0 || r == '.' && strings.HasSuffix(strings.ToLower(before), "www")
		}
		if special {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		number = number && unicode.IsDigit(r)
	}
	return b.String()
}

// code returns a name as a Markdown code span, whatever characters it contains.
func code(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(name, string(unicode.ReplacementChar)))
	name = contracts.CleanText(name)
	fence := "`"
	for strings.Contains(name, fence) {
		fence += "`"
	}
	if strings.HasPrefix(name, "`") || strings.HasSuffix(name, "`") || strings.TrimSpace(name) == "" {
		name = " " + name + " "
	}
	return fence + name + fence
}

// file returns a Markdown link to a file in the folder, with a line number unless line is 0. A path
// that is not valid UTF-8 cannot be linked and becomes a code span.
func file(path string, line int) string {
	shown, target := path, (&url.URL{Path: "./" + path}).EscapedPath()
	if line > 0 {
		shown, target = fmt.Sprintf("%s:%d", path, line), fmt.Sprintf("%s#L%d", target, line)
	}
	if !utf8.ValidString(path) {
		return code(shown)
	}
	return "[" + code(shown) + "](<" + target + ">)"
}
