package hud

import (
	"strings"

	"github.com/bullpen-office/bullpen/hud/leak"
)

// Mark is the text that replaces a credential.
const Mark = "[redacted]"

// Redact replaces the credentials in text with Mark:
//   - values whose names suggest a credential (PASSWORD=…, "api_key": "…", --token …, <password>…,
//     Authorization: …)
//   - passwords in URIs and in flags of well-known commands
//   - private keys, tokens in known formats, and matches of the rules in package leak
//   - strings that look like a credential after a word that announces one
//
// References to a credential ($TOKEN, <token>, getenv("TOKEN")) are kept.
//
// Redact takes linear time: every rule looks back and ahead by a limited number of bytes, or
// consumes the bytes that it reads.
func Redact(text string) string { return redact(text, func(string) {}) }

// RedactKeys replaces only credentials in known formats. It is for text that people type, where a
// name such as "password" before a value is not enough evidence.
func RedactKeys(text string) string {
	text = mark(text, leak.FindKeys(text), func(string) {})
	return replace(text, &tokenStarts, findToken, func(string) {})
}

// redact is like Redact, but also passes each removed credential to taken.
func redact(text string, taken func(credential string)) string {
	// Replacing a value can make another credential recognizable, so repeat until nothing changes.
	for range 4 {
		next := replace(mark(text, leak.Find(text), taken), &starts, find, taken)
		if next == text {
			break
		}
		text = next
	}
	return text
}

// mark puts Mark in place of the spans that package leak found, and passes their text to taken.
func mark(text string, spans []leak.Span, taken func(string)) string {
	if len(spans) == 0 {
		return text
	}
	var out strings.Builder
	done := 0
	for _, s := range spans {
		out.WriteString(text[done:s.From])
		out.WriteString(Mark)
		taken(text[s.From:s.To])
		done = s.To
	}
	out.WriteString(text[done:])
	return out.String()
}

// tokenStarts are the first bytes of tokens in known formats; starts are all bytes at which some
// rule may apply.
var (
	tokenStarts = func() (set [256]bool) {
		for b := range tokenForms {
			set[b] = len(tokenForms[b]) > 0
		}
		return set
	}()
	starts = func() [256]bool {
		set := bytesOf("=:-> ")
		for b := range set {
			set[b] = set[b] || tokenStarts[b]
		}
		return set
	}()
)

var wordBytes = func() (set [256]bool) {
	for b := range set {
		set[b] = isWord(byte(b))
	}
	return set
}()

// joints are the bytes that can occur two positions before a token that directly follows an escape
// or colour sequence, such as \n, %20 or [31m.
var joints = bytesOf(`\[;0123456789`)

// replace calls find at every byte in starts, except inside words, and puts Mark in place of the
// credentials that find returns.
func replace(text string, starts *[256]bool, find func(t string, i int) (from, to int), taken func(string)) string {
	var out strings.Builder
	done := 0 // bytes copied so far
	for i := 0; i < len(text); {
		b := text[i]
		if !starts[b] || wordBytes[b] && i >= 2 && wordBytes[text[i-1]] && !joints[text[i-2]] { // no token starts inside a word
			i++
			continue
		}
		from, to := find(text, i)
		if to <= from {
			i = max(i+1, to)
			continue
		}
		if text[from:to] != Mark {
			out.WriteString(text[done:from])
			out.WriteString(Mark)
			taken(text[from:to])
			done = to
		}
		i = to
	}
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}

// find returns the credential that starts at i or that the sign at i announces. If there is none,
// from and to are equal, and the search continues there.
func find(t string, i int) (from, to int) {
	switch t[i] {
	case '=':
		return findAssigned(t, i)
	case ':':
		if strings.HasPrefix(t[i:], "://") {
			return findUserinfo(t, i+3)
		}
		if from, to = findBotToken(t, i); from < to {
			return from, to
		}
		return findAssigned(t, i)
	case ' ':
		return findAfterSpace(t, i)
	case '>':
		return findElement(t, i)
	case '-':
		if strings.HasPrefix(t[i:], pemBegin) {
			return findPEM(t, i)
		}
		if i == 0 || separatesWords(t[i-1]) {
			return findFlag(t, i)
		}
		return i, i
	}
	return findToken(t, i)
}

const pemBegin = "-----BEGIN "

// findPEM matches everything between the first and the last line of a private key, or up to the end
// of the text if the key has no last line.
func findPEM(t string, i int) (from, to int) {
	const limitTitle = 48
	head := t[i+len(pemBegin) : min(len(t), i+len(pemBegin)+limitTitle)]
	title, _, ok := strings.Cut(head, "-----")
	if !ok || !strings.Contains(title, "PRIVATE KEY") {
		return i, i
	}
	from = i + len(pemBegin) + len(title) + len("-----")
	if n := strings.Index(t[from:], "-----END"); n >= 0 {
		return from, from + n
	}
	return from, len(t)
}

// limitUserinfo is the number of bytes searched for the end of a password in a URI or after a flag.
const limitUserinfo = 512

var endsURI = bytesOf(" \t\r\n\"'`<>\\")

func bytesOf(list string) (set [256]bool) {
	for i := range len(list) {
		set[list[i]] = true
	}
	return set
}

// findUserinfo matches the password in a URI whose authority starts at i, or a token in place of a
// user name.
func findUserinfo(t string, i int) (from, to int) {
	look := min(len(t), i+limitUserinfo)
	end := i
	for end < look && !endsURI[t[end]] && (t[end] != ':' || !strings.HasPrefix(t[end:], "://")) { // another URI starts there
		end++
	}
	uri := t[i:end]
	authority := uri
	if n := strings.IndexAny(uri, "/?#"); n >= 0 {
		authority = uri[:n]
	}
	at := strings.LastIndexByte(authority, '@')
	colon := strings.IndexByte(authority, ':')
	if at < 0 && colon >= 0 && !isPort(authority[colon+1:]) {
		at = strings.IndexByte(uri, '@') // the password has a slash
	}
	if colon < 0 && at >= 20 && looksSecret(authority[:at]) { // a token instead of a user name
		return i, i + at
	}
	if colon < 0 || at <= colon+1 || isPlaceholder(uri[colon+1:at]) {
		return i, i
	}
	return i + colon + 1, i + at
}

func isPort(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

func isWord(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_'
}

// separatesWords reports whether a word or flag may start after b.
func separatesWords(b byte) bool {
	return isSpace(b) || b == '"' || b == '\'' || b == '`' || b == '(' || b == '[' || b == ',' || b == '='
}
