package impact

import "strings"

// step is one command in a shell line.
type step struct {
	words  []string
	writes bool   // output of the command goes to a file that may belong to the work
	next   string // the operator that follows: && || | ; or &; "" at the end of the line
}

// split divides a shell line into its commands. supported is false if the line contains something
// that split does not support: a substitution, a group, a here-document or an open quote. split
// accepts variables and file patterns, because they rarely change which program runs.
func split(line string) (steps []step, supported bool) {
	s := splitter{text: line, supported: true}
	for s.at < len(s.text) && s.supported {
		s.readNext()
	}
	s.endStep("")
	if n := len(s.steps) - 1; n >= 0 && s.steps[n].next == ";" {
		s.steps[n].next = "" // no command follows a trailing semicolon
	}
	return s.steps, s.supported && len(s.steps) > 0
}

// keywords are first words that do not name a program: they make a command part of a larger one.
var keywords = map[string]bool{
	"!": true, "{": true, "}": true, "case": true, "do": true, "done": true, "elif": true, "else": true, "esac": true, "fi": true, "for": true,
	"function": true, "if": true, "select": true, "then": true, "until": true, "while": true,
}

type splitter struct {
	text      string
	at        int
	supported bool
	steps     []step

	now    step
	word   strings.Builder
	open   bool // a word has begun; it may be empty, as in ''
	target bool // the next word is the file of a redirection
}

// readNext reads one character, one quoted string or one operator.
func (s *splitter) readNext() {
	c := s.text[s.at]
	s.at++
	switch c {
	case ' ', '\t', '\r':
		s.endWord()
	case '\n', ';':
		s.endStep(";")
	case '&':
		s.ampersand()
	case '|':
		if s.skip('|') {
			s.endStep("||")
		} else {
			s.skip('&')
			s.endStep("|")
		}
	case '<', '>':
		s.redirect(c)
	case '\'':
		s.quoted('\'')
	case '"':
		s.quoted('"')
	case '\\':
		s.escaped()
	case '`', '(', ')':
		s.supported = false
	case '$':
		s.supported = s.supported && !s.nextIs('(')
		s.put(c)
	case '#':
		s.comment()
	default:
		s.put(c)
	}
}

func (s *splitter) nextIs(c byte) bool { return s.at < len(s.text) && s.text[s.at] == c }

func (s *splitter) skip(c byte) bool {
	if !s.nextIs(c) {
		return false
	}
	s.at++
	return true
}

func (s *splitter) put(c byte) {
	s.word.WriteByte(c)
	s.open = true
}

func (s *splitter) comment() {
	if s.open { // as in a#b
		s.put('#')
		return
	}
	if end := strings.IndexByte(s.text[s.at:], '\n'); end >= 0 {
		s.at += end
	} else {
		s.at = len(s.text)
	}
}

func (s *splitter) escaped() {
	if s.at == len(s.text) {
		return
	}
	if c := s.text[s.at]; c != '\n' { // an escaped line end continues the line
		s.put(c)
	}
	s.at++
}

func (s *splitter) quoted(quote byte) {
	s.open = true
	for s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		switch {
		case c == quote:
			return
		case c == '\\' && quote == '"':
			s.escaped()
			continue
		case quote == '"' && (c == '`' || c == '$' && s.nextIs('(')):
			s.supported = false
		}
		s.put(c)
	}
	s.supported = false
}

// ampersand reads &&, &>, or & after a command that runs in the background.
func (s *splitter) ampersand() {
	switch {
	case s.skip('&'):
		s.endStep("&&")
	case s.skip('>'):
		s.redirect('>')
	default:
		s.endStep("&")
	}
}

// redirect reads a redirection operator. It drops a file descriptor number before the operator,
// because that number is not an argument.
func (s *splitter) redirect(c byte) {
	if s.open && strings.Trim(s.word.String(), "0123456789") == "" {
		s.word.Reset()
		s.open = false
	}
	s.endWord()
	if c == '<' {
		s.supported = s.supported && !s.nextIs('<') && !s.nextIs('(')
		s.target = true
		return
	}
	s.skip('>')
	s.skip('|')
	if s.target = true; s.skip('&') {
		s.put('&')
	}
	s.now.writes = s.now.writes || s.outside()
}

// outside reports whether the output goes to a file that may belong to the work, rather than to
// another descriptor, a device or a temporary file.
func (s *splitter) outside() bool {
	rest := strings.TrimLeft(s.text[s.at:], " \t\"'")
	return !s.open && !strings.HasPrefix(rest, "/dev/") && !strings.HasPrefix(rest, "/tmp/")
}

func (s *splitter) endWord() {
	if !s.open {
		return
	}
	if !s.target {
		s.now.words = append(s.now.words, s.word.String())
	}
	s.word.Reset()
	s.open, s.target = false, false
}

func (s *splitter) endStep(next string) {
	s.endWord()
	s.target = false
	switch {
	case len(s.now.words) > 0:
		s.supported = s.supported && !keywords[s.now.words[0]]
		s.now.next = next
		s.steps = append(s.steps, s.now)
	case next != "" && next != ";":
		s.supported = false // an operator without a command
	}
	s.now = step{}
}
