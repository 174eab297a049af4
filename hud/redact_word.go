package hud

import "strings"

// findAfterSpace matches the string after the space at i if the string looks like a credential and
// the words before the space announce one: "password …" in .netrc, "the token is …",
// "set API_KEY …". It also matches whatever findPiped, findPhrase or findSet matches.
func findAfterSpace(t string, i int) (from, to int) {
	if i > 0 { // a cheap check of the previous byte
		switch t[i-1] {
		case 'o', 'f', 'n': // echo, printf, -n
			if from, to = findPiped(t, i); from < to {
				return from, to
			}
		case 's': // password is
			if end := findPhrase(t, i); end > i+1 {
				return i + 1, end
			}
		case 'x', 'v', 'V': // setx, setenv, ENV
			if from, to = findSet(t, i); from < to {
				return from, to
			}
		}
	}
	from = i + 1
	digit := false
	for to = from; to < len(t) && to-from <= limitToken && !isSpace(t[to]); to++ {
		digit = digit || t[to] >= '0' && t[to] <= '9'
	}
	if !digit {
		return i, i
	}
	for to > from && endsSentence[t[to-1]] {
		to--
	}
	word := t[from:to]
	if len(word) > limitToken || !looksSecret(word) || strings.Count(word, "_") > 1 { // MORE_THAN_ONE is a name
		return i, i
	}
	before := t[max(0, i-limitSecretName):i]
	phrase, hasIs := strings.CutSuffix(before, " is")
	if owner, colon := strings.CutSuffix(before, ":"); colon && endsInSecretPhrase(owner) || !colon && senseOf(lastName(phrase)) > harmless || hasIs && endsInSecretPhrase(phrase) {
		return from, from + len(word)
	}
	return i, i
}

func lastName(text string) string {
	return text[strings.LastIndexFunc(text, func(r rune) bool { return r > 0x7f || !isWord(byte(r)) })+1:]
}

// endsInSecretPhrase reports whether text ends with a phrase such as "the password for the db".
func endsInSecretPhrase(text string) bool {
	for _, joint := range []string{" for ", " of ", " to ", " on "} {
		if n := strings.LastIndex(text, joint); n >= 0 && senseOf(lastName(text[:n])) > harmless {
			return !strings.ContainsAny(text[n:], ".,;:()=\n")
		}
	}
	return false
}

// setters are commands that take a variable's name and value.
var setters = []string{"setx", "setenv", "ENV", "set -x", "set -gx", "set -Ux", "set -lx"}

// findSet matches the value in a command such as setx PASSWORD …; the space at i precedes the
// variable's name.
func findSet(t string, i int) (from, to int) {
	start := max(strings.LastIndexAny(t[max(0, i-len("set -gx")-1):i], "\n;&|\"'("), -1) + 1 + max(0, i-len("set -gx")-1)
	command := strings.TrimSpace(t[start:i])
	if !isSetter(command) {
		return i, i
	}
	name := i + 1
	if strings.HasPrefix(t[name:], "/m ") || strings.HasPrefix(t[name:], "/M ") {
		name += len("/m ")
	}
	end := name
	for end < len(t) && end-name <= limitSecretName && isWord(t[end]) {
		end++
	}
	if end == len(t) || t[end] != ' ' || senseOf(t[name:end]) == harmless {
		return i, i
	}
	v := valueAt(t[:min(len(t), end+limitUserinfo)], end, quoteAround(t, i), true)
	if text := t[v.from:v.to]; keeps(text, t[name:end]) || text[0] == '=' || text[0] == '-' {
		return i, i
	}
	return v.from, v.to
}

func isSetter(command string) bool {
	for _, s := range setters {
		if command == s || strings.HasSuffix(command, " "+s) {
			return true
		}
	}
	return false
}

var endsSentence = bytesOf(".,;:!?)\"'`")

// findPhrase returns the end of a passphrase of plain words that follows "password is". The passphrase
// starts after the space at i. If there is no passphrase, the result is at most i+1.
func findPhrase(t string, i int) int {
	before, ok := strings.CutSuffix(t[max(0, i-limitSecretName):i], " is")
	if !ok {
		return 0
	}
	name := before[strings.LastIndexByte(before, ' ')+1:]
	if senseOf(name) != certain || !strings.Contains(strings.ToLower(name), "pass") {
		return 0
	}
	return phraseEnd(t, i+1, leastPhrase)
}

// findElement matches the content of an XML element whose start tag ends at i:
// <password>…</password>, <entry key="password">…</entry>.
func findElement(t string, i int) (from, to int) {
	if i == 0 || !isNameByte(t[i-1]) && t[i-1] != '"' && t[i-1] != '\'' {
		return i, i
	}
	open := strings.LastIndexByte(t[max(0, i-limitPair):i], '<')
	if open < 0 {
		return i, i
	}
	name, attributes, _ := strings.Cut(t[max(0, i-limitPair)+open+1:i], " ")
	if strings.IndexFunc(name, func(r rune) bool { return r > 0x7f || !isNameByte(byte(r)) }) >= 0 || len(name) > limitSecretName {
		return i, i
	}
	named := namesSecret(attributes)
	if !named && (senseOf(name) == harmless || attributes != "") {
		return i, i
	}
	from = i + 1
	n := strings.IndexAny(t[from:min(len(t), from+limitUserinfo)], "<\n")
	if n <= 0 || !strings.HasPrefix(t[from+n:], "</") || keeps(t[from:from+n], name) || named && !looksRandom(t[from:from+n]) {
		return i, i
	}
	return from, from + n
}

// passwordReaders are commands that read a password from standard input.
var passwordReaders = []string{"-stdin", "sudo -S", "--with-token", "chpasswd", "passwd", " login", "secret set", "secrets set", "secret create"}

// findPiped matches the text after the space at i if it is piped into a command that reads a
// password: echo … | docker login --password-stdin.
func findPiped(t string, i int) (from, to int) {
	said := strings.TrimSuffix(t[max(0, i-len("printf -n")):i], " -n")
	if !strings.HasSuffix(said, "echo") && !strings.HasSuffix(said, "printf") {
		return i, i
	}
	near := t[:min(len(t), i+limitUserinfo)]
	v := valueAt(near, i, quoteAround(t, i), true)
	if n := strings.IndexByte(near[v.from:v.to], '|'); n >= 0 && v.quote == 0 {
		v.to = v.from + n
	}
	rest := strings.TrimLeft(strings.TrimPrefix(near[v.to:], string(v.quote)), " ")
	reader, piped := strings.CutPrefix(rest, "|")
	reader, _, _ = strings.Cut(reader, "\n")
	if !piped || strings.HasPrefix(reader, "|") || !containsAny(reader, passwordReaders) || keeps(near[v.from:v.to], "") || near[v.from] == '-' {
		return i, i
	}
	return v.from, v.to
}
