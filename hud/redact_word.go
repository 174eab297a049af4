package hud

import "strings"

// findSpoken takes what looks like a credential after a word that says so and the
// space at i: "password …" of a .netrc, "the token is …", "set API_KEY …".
func findSpoken(t string, i int) (from, to int) {
	if i > 0 { // a cheap check of the byte before it
		switch t[i-1] {
		case 'o', 'f', 'n': // echo, printf, -n
			if from, to = findPiped(t, i); from < to {
				return from, to
			}
		case 's': // password is
			if end := findPhrase(t, i); end > i+1 {
				return i + 1, end
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
	before := strings.TrimSuffix(t[max(0, i-limitSecretName):i], " is")
	name := before[strings.LastIndexFunc(before, func(r rune) bool { return r > 0x7f || !isWord(byte(r)) })+1:]
	if senseOf(name) == harmless {
		return i, i
	}
	return from, from + len(word)
}

var endsSentence = bytesOf(".,;:!?)\"'`")

// findPhrase returns the end of a passphrase of plain words after "password is" and the
// space at i; 0 if there is none.
func findPhrase(t string, i int) int {
	before, ok := strings.CutSuffix(t[max(0, i-limitSecretName):i], " is")
	if !ok {
		return 0
	}
	name := before[strings.LastIndexByte(before, ' ')+1:]
	if senseOf(name) != certain || !strings.Contains(strings.ToLower(name), "pass") {
		return 0
	}
	return phraseEnd(t, i+1)
}

// findElement takes the content of an XML element that ends its first tag at i:
// <password>…</password>.
func findElement(t string, i int) (from, to int) {
	open := strings.LastIndexByte(t[max(0, i-limitSecretName):i], '<')
	if open < 0 {
		return i, i
	}
	name := t[max(0, i-limitSecretName)+open+1 : i]
	if strings.IndexFunc(name, func(r rune) bool { return r > 0x7f || !isNameByte(byte(r)) }) >= 0 || senseOf(name) == harmless {
		return i, i
	}
	from = i + 1
	n := strings.IndexAny(t[from:min(len(t), from+limitUserinfo)], "<\n")
	if n <= 0 || !strings.HasPrefix(t[from+n:], "</") || keeps(t[from:from+n], name) {
		return i, i
	}
	return from, from + n
}

// passwordReaders are what reads a password from its input.
var passwordReaders = []string{"-stdin", "sudo -S", "--with-token", "chpasswd", "passwd", " login", "secret set", "secrets set", "secret create"}

// findPiped takes what is written, after the space at i, for a command that reads a
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
