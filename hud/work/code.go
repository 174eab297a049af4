package work

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Token is the syntactic kind of a piece of code.
type Token uint8

// The tokens that are coloured.
const (
	TokenComment Token = iota + 1
	TokenText
	TokenNumber
	TokenWord // a keyword
	TokenName // the name of a called function
)

// Piece is a coloured part of a line; From and To count bytes.
type Piece struct {
	From, To int
	Token    Token
}

// language describes the syntax of a language. A # starts a comment only at the start of a line or
// after a space or tab.
type language struct {
	comments []string // markers that start a comment that runs to the end of the line
	block    [2]string
	quotes   string   // delimiters of strings that end on the same line
	long     []string // delimiters of strings that may span several lines
	words    map[string]bool
}

func keywords(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

const control = "break case catch class const continue default do else enum false finally for if import in new null return static super switch this throw true try var void while "

var (
	slashes = language{comments: []string{"//"}, block: [2]string{"/*", "*/"}, quotes: `"'`}
	golang  = slashes.with("`", "any bool break byte case chan const continue default defer else error fallthrough false for func go goto if import int int64 interface iota map nil package range return rune select string struct switch true type uint64 var")
	script  = slashes.with("`", control+"abstract any as async await boolean declare delete export extends from function get implements instanceof interface keyof let never number of private protected public readonly satisfies set string type typeof undefined unknown yield")
	cLike   = slashes.with("", control+"abstract auto bool boolean char delete double extends extern final float fun func goto guard implements int interface let long namespace nil nullptr override package private protected public signed sizeof short string struct template typedef union unsigned using val virtual volatile")
	rust    = language{comments: slashes.comments, block: slashes.block, quotes: `"`, words: keywords("Self as async await bool break const continue crate dyn else enum extern false fn for i32 i64 if impl in let loop match mod move mut pub ref return self static str struct super trait true type u8 u32 u64 unsafe use usize where while")}
	python  = language{comments: []string{"#"}, quotes: `"'`, long: []string{`"""`, "'''"}, words: keywords("False None True and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield")}
	ruby    = language{comments: []string{"#"}, quotes: `"'`, words: keywords("and begin break case class def do else elsif end ensure false for if in module next nil not or require rescue return self super then true unless until when while yield")}
	shell   = language{comments: []string{"#"}, quotes: `"'`, words: keywords("ADD ARG CMD COPY ENTRYPOINT ENV FROM RUN WORKDIR case cd do done echo elif else esac exec exit export fi for function if in local read return set shift then trap unset while")}
	data    = language{comments: []string{"#"}, quotes: `"'`, words: keywords("false no null true yes")}
	jsonish = language{comments: slashes.comments, block: slashes.block, quotes: `"`, words: keywords("false null true")}
	sql     = language{comments: []string{"--"}, block: slashes.block, quotes: `"'`, words: keywords("ALTER AND AS BY CASE CREATE DEFAULT DELETE DESC DISTINCT DROP ELSE END EXISTS FROM GROUP HAVING IN INDEX INSERT INTO IS JOIN KEY LEFT LIKE LIMIT NOT NULL ON OR ORDER PRIMARY REFERENCES SELECT SET TABLE THEN UNION UNIQUE UPDATE VALUES VIEW WHEN WHERE WITH")}
	styles  = language{block: slashes.block, quotes: `"'`}
)

// with returns the language with the listed keywords and, unless long is empty, with multi-line
// strings delimited by long.
func (l language) with(long, list string) language {
	if long != "" {
		l.long = []string{long}
	}
	l.words = keywords(list)
	return l
}

// languages maps file name suffixes to languages.
var languages = func() map[string]*language {
	by := map[string]*language{}
	for ends, l := range map[string]*language{
		"go": &golang, "ts tsx mts cts js mjs cjs jsx vue svelte": &script, "py pyi": &python, "rs": &rust,
		"c h cc cpp cxx hh hpp m cs java kt kts swift scala dart php proto groovy zig": &cLike,
		"rb ex exs": &ruby, "sh bash zsh fish mk dockerfile makefile": &shell, "sql": &sql, "css scss less": &styles,
		"json jsonl jsonc": &jsonish, "yml yaml toml ini cfg conf env properties": &data,
	} {
		for end := range strings.FieldsSeq(ends) {
			by[end] = l
		}
	}
	return by
}()

// languageOf returns the language of a file, or nil if it is unknown.
func languageOf(file string) *language {
	base := strings.ToLower(path.Base(file))
	return languages[base[strings.LastIndexByte(base, '.')+1:]]
}

// Highlight finds the coloured pieces in the lines of a diff, according to the language that the
// file's name indicates. Each side is read as a whole, because comments and strings may span
// several lines. Highlight does nothing if the language is unknown.
func Highlight(file string, lines []Line) {
	l := languageOf(file)
	if l == nil {
		return
	}
	before, after := scanner{language: l}, scanner{language: l}
	for i := range lines {
		line := &lines[i]
		if line.Op != Added {
			line.Code = before.line(line.Text)
		}
		if line.Op != Removed {
			line.Code = after.line(line.Text)
		}
	}
}

// scanner reads the lines of a file.
type scanner struct {
	*language
	until    string // delimiter that ends the open comment or string; empty if none is open
	open     Token  // kind of the open token: comment or string
	unclosed string // quote characters without a closing quote on this line
}

func (s *scanner) line(text string) (runs []Piece) {
	s.unclosed = ""
	for at := 0; at < len(text); {
		token, size := s.next(text, at)
		if token != 0 {
			runs = append(runs, Piece{at, at + size, token})
		}
		at += size
	}
	return runs
}

// next returns the token at offset at of text, which is one line, and the token's length. Token 0
// is code without a colour.
func (s *scanner) next(text string, at int) (Token, int) {
	rest := text[at:]
	if s.until != "" {
		return s.open, s.rest(rest, 0)
	}
	for _, mark := range s.comments {
		if strings.HasPrefix(rest, mark) && (mark != "#" || at == 0 || text[at-1] == ' ' || text[at-1] == '\t') {
			return TokenComment, len(rest)
		}
	}
	if begin := s.block[0]; begin != "" && strings.HasPrefix(rest, begin) {
		s.until, s.open = s.block[1], TokenComment
		return TokenComment, s.rest(rest, len(begin))
	}
	for _, quote := range s.long {
		if strings.HasPrefix(rest, quote) {
			s.until, s.open = quote, TokenText
			return TokenText, s.rest(rest, len(quote))
		}
	}
	if strings.IndexByte(s.quotes, rest[0]) >= 0 && strings.IndexByte(s.unclosed, rest[0]) < 0 {
		if size := quoted(rest); size > 0 {
			return TokenText, size
		}
		s.unclosed += rest[:1] // the rest of the line has no closing quote of this kind either
	}
	return s.word(rest)
}

// rest returns the length of an open comment or string in text, and closes it if it ends in text.
func (s *scanner) rest(text string, from int) int {
	end := strings.Index(text[from:], s.until)
	if end < 0 {
		return len(text)
	}
	size := from + end + len(s.until)
	s.until = ""
	return size
}

// quoted returns the length of the string at the start of text, including its quotes, or 0 if the
// closing quote is missing, for example after an apostrophe in a sentence.
func quoted(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1
		}
	}
	return 0
}

// word returns the keyword, name or number at the start of text, or one character without a colour.
func (s *scanner) word(text string) (Token, int) {
	size := strings.IndexFunc(text, func(r rune) bool { return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if size < 0 {
		size = len(text)
	}
	first, width := utf8.DecodeRuneInString(text)
	switch {
	case size == 0:
		return 0, width
	case unicode.IsDigit(first):
		return TokenNumber, size
	case s.words[text[:size]]:
		return TokenWord, size
	case strings.HasPrefix(text[size:], "("):
		return TokenName, size
	}
	return 0, size
}
