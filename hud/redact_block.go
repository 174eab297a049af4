package hud

import (
	"encoding/base64"
	"strings"
)

const (
	limitBlock      = 4096 // bytes of a multi-line value
	limitPhrase     = 12   // words of a passphrase
	leastPhrase     = 4
	limitPhraseWord = 12 // letters
)

// block finds a multi-line value, or a passphrase of plain words:
//
//	password: |
//	  two
//	  lines
//
// v is the value on the same line as the name. ok is false if there is neither a multi-line value
// nor a passphrase.
func (a assignment) block(t string, v value) (from, to int, ok bool) {
	if a.coded || a.guess || a.basic {
		return 0, 0, false
	}
	switch rest := restOfLine(t, a.value); {
	case v.quote != 0:
		return openQuote(t, v)
	case a.sense != certain:
		return 0, 0, false
	case rest == "":
		return a.nextLines(t, true)
	case isBlockSign(rest):
		if from, to, ok = a.nextLines(t, false); !ok {
			return a.value, a.value, true
		}
		return from, to, true
	case a.isUserChosen(t) && !a.prose && v.more:
		if end := phraseEnd(t, v.from, a.leastWords(t)); end > v.from {
			return v.from, end, true
		}
	}
	return 0, 0, false
}

// leastWords returns the minimum number of plain words in a passphrase. Fewer words are needed if
// the name ends in "passphrase" and starts a line, unless it is written like an environment
// variable (PASSPHRASE=…).
func (a assignment) leastWords(t string) int {
	name := strings.ToLower(t[a.name:a.nameEnd])
	if !strings.HasSuffix(name, "passphrase") || !a.loose || !startsLine(t, a.name) {
		return leastPhrase
	}
	if a.spaced {
		return leastPhrase - 1
	}
	return leastPhrase - 2
}

// restOfLine returns the rest of the line after i, trimmed and limited in length.
func restOfLine(t string, i int) string {
	rest := t[i:min(len(t), i+limitSecretName)]
	if n := strings.IndexByte(rest, '\n'); n >= 0 {
		rest = rest[:n]
	}
	return strings.TrimSpace(rest)
}

// isBlockSign reports whether text is a sign that starts a YAML block, such as | or >-.
func isBlockSign(text string) bool {
	return strings.Trim(text, "|>-+123456789") == "" && (text[0] == '|' || text[0] == '>')
}

// nextLines matches the lines after the name that are indented further than the name. If single is
// true, it matches only one line, which must be one random-looking word.
func (a assignment) nextLines(t string, single bool) (from, to int, ok bool) {
	look := t[:min(len(t), a.value+limitBlock)]
	start := strings.LastIndexByte(t[max(0, a.name-limitSecretName):a.name], '\n') + 1 + max(0, a.name-limitSecretName)
	n := strings.IndexByte(look[a.value:], '\n')
	if n < 0 {
		return 0, 0, false
	}
	from = a.value + n + 1
	sign := "" // + or - before every line of a diff
	if from < len(t) && (t[from] == '+' || t[from] == '-') && start < a.name && t[start] == t[from] {
		sign = t[from : from+1]
		start, from = start+1, from+1
	}
	indent := len(t[start:a.name]) - len(strings.TrimLeft(t[start:a.name], " \t\"'"))
	if strings.Trim(t[start:a.name], " \t-\"'") != "" { // other text precedes the name
		return 0, 0, false
	}
	for to = from; to < len(look); {
		end := to + strings.IndexByte(look[to:], '\n')
		if end < to {
			end = len(look)
		}
		line := strings.TrimRight(look[to:end], "\r")
		if to > from {
			var changed bool
			if line, changed = strings.CutPrefix(line, sign); !changed {
				break
			}
		}
		inner := len(line) - len(strings.TrimLeft(line, " \t"))
		if strings.TrimSpace(line) != "" && inner <= indent {
			break
		}
		to = min(end+1, len(look))
		if single {
			break
		}
	}
	for from < to && (t[from] == ' ' || t[from] == '\t') {
		from++
	}
	for to > from && isSpace(t[to-1]) {
		to--
	}
	text := strings.Trim(t[from:to], "\"'")
	if text == "" || text == Mark || single && (strings.ContainsAny(text, " :=()[]{}<>") || !looksRandom(text) || isPlaceholder(text)) {
		return 0, 0, false
	}
	return from, to, true
}

// openQuote matches a quoted value whose closing quote is on a later line.
func openQuote(t string, v value) (from, to int, ok bool) {
	if v.to >= len(t) || t[v.to] != '\n' || v.quote == '`' {
		return 0, 0, false
	}
	look := t[v.to:min(len(t), v.to+limitUserinfo)]
	n := strings.IndexByte(look, v.quote)
	if n < 0 || n+1 < len(look) && strings.IndexByte(" \t\r\n,;)}]", look[n+1]) < 0 || strings.Contains(look[:n], "=") || strings.Contains(look[:n], Mark) {
		return 0, 0, false
	}
	return v.from, v.to + n, true
}

// proseWords lists common words: almost every four-word sentence contains at least one of them, but
// passphrases made from a word list contain none.
var proseWords = words(`a an the is are was were be been must should shall can could may might will would not no never only at least more
	than of in on for to from with without by as and or if when while that this these it its your my our their you we they he she has have had
	do does did reset page field form string type value required optional invalid wrong missing changed incorrect expired enter please`)

// phraseEnd returns the end of a passphrase that starts at i and has at least the given number of
// plain words, or i if there is none.
func phraseEnd(t string, i, least int) int {
	end, count := i, 0
	for count <= limitPhrase {
		word := end
		for end < len(t) && isAlpha(t[end]) {
			end++
		}
		text := t[word:end]
		if len(text) < 2 || len(text) > limitPhraseWord || strings.ToLower(text) != text || proseWords[text] {
			return i
		}
		if count++; end+1 >= len(t) || t[end] != ' ' || !isAlpha(t[end+1]) {
			break
		}
		end++
	}
	if count < least || count > limitPhrase || end < len(t) && strings.IndexByte("\n\r.!,;\"'`", t[end]) < 0 {
		return i
	}
	return end
}

// isBasic reports whether a value is user:password in base64.
func isBasic(text string) bool {
	if len(text) < 8 || len(text) > limitKept {
		return false
	}
	plain, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		if plain, err = base64.RawStdEncoding.DecodeString(text); err != nil {
			return false
		}
	}
	user, password, ok := strings.Cut(string(plain), ":")
	return ok && user != "" && password != "" && strings.IndexFunc(string(plain), func(r rune) bool { return r < ' ' || r > '~' }) < 0
}
