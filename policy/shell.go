package policy

import (
	"path"
	"strings"
	"unicode"

	"github.com/bullpen-office/bullpen/contracts"
)

// line is a parsed shell command line. unclear explains why the line is not fully understood; it is
// "" if the line is understood. In an unclear line, pipelines and targets contain the parts that
// were recognized; the content of substitutions is added as further commands.
type line struct {
	commands  [][]string // the words of each simple command, with quotes removed
	pipelines [][]string // the words of commands, with pipe between the commands of a pipeline
	targets   []string   // redirection targets
	unclear   string
}

// rereading lists commands that run their arguments as another shell line or change the meaning of
// later words.
var rereading = map[string]bool{"eval": true, "source": true, ".": true, "alias": true, "trap": true}

// keywords lists the reserved words of compound commands.
var keywords = map[string]bool{
	"!": true, "[[": true, "case": true, "coproc": true, "do": true, "done": true, "elif": true, "else": true, "esac": true, "fi": true, "for": true,
	"foreach": true, "function": true, "if": true, "in": true, "repeat": true, "select": true, "then": true, "time": true, "until": true, "while": true,
}

// harmless lists redirection targets that change nothing.
var harmless = map[string]bool{"/dev/null": true, "&1": true, "&2": true}

// parseLine parses a POSIX shell command line. It understands lists and pipelines of simple
// commands, including quoted words, and marks everything else as unclear.
func parseLine(text string) line {
	p := &parser{}
	p.text = []rune(text)
	for p.at < len(p.text) && p.count <= contracts.LimitShellWords {
		p.step()
	}
	if p.endPipeline(); p.count > contracts.LimitShellWords {
		p.mark("it contains too many words")
	}
	return p.line
}

type parser struct {
	line
	text []rune
	at   int

	word     strings.Builder
	open     bool // a word has begun; it may be empty, as in ''
	quotes   bool // the word has a quoted part
	redirect bool // the next word is the target of a redirection
	words    []string
	stages   []string
	count    int
}

func (p *parser) mark(why string) {
	if p.unclear == "" {
		p.unclear = "the shell line is not fully understood: " + why
	}
}

// step reads one character or one quoted string.
func (p *parser) step() {
	c := p.text[p.at]
	p.at++
	switch c {
	case ' ', '\t':
		p.endWord()
	case '\n', ';':
		p.endPipeline()
	case '&':
		p.ampersand()
	case '|':
		p.bar()
	case '<', '>':
		p.angle(c)
	case '\'':
		p.single()
	case '"':
		p.double()
	case '\\':
		p.mark("it contains a backslash")
		if p.at < len(p.text) {
			if next := p.text[p.at]; next != '\n' {
				p.put(next)
			}
			p.at++
		}
	case '$', '`', '(', ')', '{', '}':
		p.mark("it contains a substitution, group or variable")
		if p.endWord(); c != '$' {
			p.endPipeline()
		}
	case '*', '?', '[', '~':
		if c != '~' || p.open {
			p.mark("it contains a file pattern")
		}
		p.put(c)
	case '#':
		p.mark("it contains a comment")
		p.put(c)
	default:
		p.plain(c)
	}
}

// plain adds a character that has no special meaning to the shell. Characters that only some shells
// read as spaces or quotes make the line unclear.
func (p *parser) plain(c rune) {
	if unicode.IsControl(c) || unicode.IsSpace(c) || c >= '\u2018' && c <= '\u201f' {
		p.mark("it contains unusual characters")
	}
	p.put(c)
}

func (p *parser) put(c rune) {
	p.word.WriteRune(c)
	p.open = true
}

func (p *parser) single() {
	p.open, p.quotes = true, true
	for p.at < len(p.text) {
		c := p.text[p.at]
		if p.at++; c == '\'' {
			return
		}
		if c == '\\' { // not every shell treats it literally
			p.mark("it contains a backslash")
		}
		p.quoted(c)
	}
	p.mark("a quote is not closed")
}

func (p *parser) double() {
	p.open, p.quotes = true, true
	for p.at < len(p.text) {
		c := p.text[p.at]
		p.at++
		switch c {
		case '"':
			return
		case '$', '`', '!':
			p.mark("it contains a substitution, group or variable")
		case '\\':
			if p.mark("it contains a backslash"); p.at < len(p.text) {
				c = p.text[p.at]
				p.at++
			}
		}
		p.quoted(c)
	}
	p.mark("a quote is not closed")
}

// quoted adds a character inside quotes.
func (p *parser) quoted(c rune) {
	if c == ' ' || c == '\n' || c == '\t' {
		p.put(c)
		return
	}
	p.plain(c)
}

// accept reports whether the next character is c, and skips it if so.
func (p *parser) accept(c rune) bool {
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) ampersand() {
	if p.accept('>') { // bash redirects all output; a POSIX shell ends the command before the redirection
		p.mark("shells interpret &> differently")
		p.endPipeline()
		p.angle('>')
		return
	}
	p.accept('&')
	p.endPipeline()
}

func (p *parser) bar() {
	if p.accept('|') {
		p.endPipeline()
		return
	}
	p.accept('&')
	p.endCommand()
	if len(p.stages) > 0 {
		p.stages = append(p.stages, pipe)
	}
}

// angle reads a redirection operator. A redirection is clear only if it sends output to /dev/null
// or to another descriptor, because every other one reads or writes a file.
func (p *parser) angle(c rune) {
	if word := p.word.String(); word != "" && !p.quotes && strings.Trim(word, "0123456789") == "" {
		if len(word) > 1 { // bash reads the number as a descriptor, other shells as an argument
			p.mark("it contains a number before a redirection")
		} else {
			p.word.Reset() // the descriptor, as in 2>
			p.open = false
		}
	}
	p.endWord()
	if c == '<' {
		p.mark("it reads from a file or a here-document")
	}
	for p.accept('<') || p.accept('>') || p.accept('|') {
	}
	p.redirect = true
	if p.accept('&') {
		p.put('&')
	}
}

func (p *parser) endWord() {
	if !p.open {
		return
	}
	word := p.word.String()
	p.word.Reset()
	p.open, p.quotes = false, false
	p.count++
	if p.redirect {
		p.redirect = false
		if p.targets = append(p.targets, word); !harmless[word] {
			p.mark("it redirects to a file")
		}
		return
	}
	if len(p.words) == 0 {
		p.program(word)
	}
	p.words = append(p.words, word)
}

// program checks the first word of a command.
func (p *parser) program(word string) {
	switch {
	case word == "":
		p.mark("a command has no name")
	case keywords[word]:
		p.mark("it contains the keyword " + word)
	case rereading[word]:
		p.mark("it uses " + word)
	case strings.Contains(word, "="):
		p.mark("it sets a variable")
	case strings.HasPrefix(word, "~"):
		p.mark("it contains a file pattern")
	}
}

func (p *parser) endCommand() {
	p.endWord()
	if p.redirect {
		p.redirect = false
		p.mark("a redirection has no target")
	}
	if len(p.words) > 0 {
		p.commands = append(p.commands, p.words)
		p.stages = append(p.stages, p.words...)
		p.words = nil
	}
}

func (p *parser) endPipeline() {
	if p.endCommand(); len(p.stages) > 0 {
		p.pipelines = append(p.pipelines, p.stages)
		p.stages = nil
	}
}

// nested returns the line together with the lines nested in its words, as in sh -c '…'.
// Restricting rules apply to nested lines too.
func (l line) nested(depth int) line {
	all := line{pipelines: l.pipelines, targets: l.targets}
	if depth == 0 {
		return all
	}
	count := 0
	for _, words := range l.pipelines {
		for _, w := range words {
			if count++; count > contracts.LimitShellWords || !strings.ContainsAny(w, " \t\n;&|<>$`(){}'\"\\") || w == pipe {
				continue
			}
			inner := parseLine(w).nested(depth - 1)
			all.pipelines, all.targets = append(all.pipelines, inner.pipelines...), append(all.targets, inner.targets...)
		}
	}
	return all
}

// matchesWithin reports whether a command pattern of a restricting rule matches anywhere in a
// command, for example after sudo or xargs. More words may follow the match.
func matchesWithin(pattern string, words []string) bool {
	parts := strings.Fields(pattern)
	for len(parts) > 0 && parts[0] == "*" {
		parts = parts[1:]
	}
	if len(parts) == 0 {
		return true
	}
	for i, w := range words {
		if globLoosely(parts[0], w) && globWords(parts[1:], words[i+1:], true, globLoosely) {
			return true
		}
	}
	return false
}

// globLoosely reports whether a word of a restricting rule matches a word of a shell line. The name
// of a program also matches a path to the program, and case matters only in options.
func globLoosely(pattern, word string) bool {
	if strings.HasPrefix(pattern, "-") {
		return glob(pattern, word)
	}
	pattern, word = strings.ToLower(pattern), strings.ToLower(word)
	return glob(pattern, word) || glob(pattern, path.Base(word))
}
