package hud

import "strings"

// findAssigned matches the value after the = or : at i if the name before it is that of a
// credential.
func findAssigned(t string, i int) (from, to int) {
	a, ok := assignmentAt(t, i)
	if !ok {
		return a.value, a.value
	}
	if a.sense == header {
		return headerValue(t, a)
	}
	v := valueAt(t, a.value, a.enclosing, !a.loose)
	if from, to, ok := a.block(t, v); ok {
		return from, to
	}
	if v.quote == 0 && a.loose {
		v = a.plain(t, v)
	}
	if keeps(t[v.from:v.to], t[a.name:a.nameEnd]) || a.basic && !isBasic(t[v.from:v.to]) {
		return a.value, a.value
	}
	return v.from, v.to
}

// assignment is a name whose value may be a credential.
type assignment struct {
	name, nameEnd int
	value         int // where the value may start
	sense         sense
	enclosing     byte // the quote around the assignment; 0 if there is none
	loose         bool // the value ends where prose or a query string continues
	spaced        bool // there is space around the assignment sign
	coded         bool // the sign is := in code, so only a quoted value counts
	prose         bool // a word precedes the name
	guess         bool // the name is vague, so only a value that looks like a credential counts
	basic         bool // only user:password in base64 counts, as in Docker's configuration
}

// assignmentAt reads the name before the assignment sign at i. ok is false if the value cannot be a
// credential; a.value is then the position to continue from.
func assignmentAt(t string, i int) (a assignment, ok bool) {
	a.value = i + 1
	if next := a.value; next < len(t) && (t[next] == '=' || t[next] == '>' || t[next] == ':') {
		a.value++ // ==, =>, :=, ::
		if t[i] == t[next] || t[i] == ':' && t[next] == '>' {
			return a, false
		}
		a.coded = t[i] == ':'
	}
	quoted, flag := a.readName(t, i)
	name := t[a.name:a.nameEnd]
	if len(name) > limitSecretName {
		return a, false
	}
	a.sense = senseOf(name)
	if a.sense == harmless {
		a.reclassify(t, i, name, flag)
	}
	if a.sense == harmless || a.sense == doubtful && t[i] == ':' && t[i-1] == ' ' { // ok ? token : other
		return a, false
	}
	if !quoted {
		a.enclosing = quoteAround(t, a.name)
	}
	capitals := inCapitals(name)
	if a.sense == header && (a.coded || t[i] == '=' && !quoted && !capitals && !flag) { // cookie = … in code
		return a, false
	}
	a.loose = !flag && (a.spaced || !capitals)
	a.prose = !quoted && a.name >= 2 && t[a.name-1] == ' ' && isWord(t[a.name-2])
	return a, true
}

// reclassifiedStarts lists the first bytes of the names that reclassify treats specially.
var reclassifiedStarts = bytesOf("AaKkPpVv_")

// reclassify changes the sense of a name that is harmless on its own but whose context suggests a
// credential.
func (a *assignment) reclassify(t string, i int, name string, flag bool) {
	inQuery := t[i] == '=' && a.name > 0 && (t[a.name-1] == '?' || t[a.name-1] == '&')
	if !inQuery && (name == "" || !reclassifiedStarts[name[0]]) {
		return
	}
	is := func(word string) bool { return strings.EqualFold(name, word) }
	switch {
	case is("auth"):
		a.sense, a.basic = certain, true
	case flag && name == "pass", name == "_auth":
		a.sense = certain
	case isOneOf(name, pairValues) && isPair(t, a.name, i):
		a.sense = certain
	case is("pass") && t[i] == '=', is("key") && afterAPI(t, a.name), inQuery && (is("key") || is("sig") || strings.HasSuffix(strings.ToLower(name), "signature")):
		a.sense, a.guess = doubtful, true
	}
}

// isUserChosen reports whether the name suggests a password chosen by a person. Such a password may
// consist only of digits.
func (a assignment) isUserChosen(t string) bool {
	name := strings.ToLower(t[a.name:a.nameEnd])
	return strings.Contains(name, "pass") && !strings.HasSuffix(name, "pass") || strings.Contains(name, "pwd")
}

// afterAPI reports whether the name follows "api", "secret" or "access", as in "API key".
func afterAPI(t string, name int) bool {
	before := strings.ToLower(t[max(0, name-len("secret ")):name])
	for _, word := range []string{"api ", "secret ", "access "} {
		if strings.HasSuffix(before, word) {
			return true
		}
	}
	return false
}

// readName sets the position of the name before i, skipping spaces and quotes. It reports whether
// the name is quoted and whether it is a flag.
func (a *assignment) readName(t string, i int) (quoted, flag bool) {
	end := i
	for end > 0 && i-end < 16 && (t[end-1] == ' ' || t[end-1] == '\t') {
		end--
	}
	a.spaced = end < i || a.value < len(t) && isSpace(t[a.value])
	end = colourStart(t, end)
	if end > 0 && t[end-1] == ']' { // environ["TOKEN"] = …
		end--
	}
	if end > 0 && (t[end-1] == '"' || t[end-1] == '\'') {
		quoted = true
		for end--; end > 0 && t[end-1] == '\\'; end-- {
		}
		end = colourStart(t, end)
	}
	a.nameEnd = end
	for a.name = end; a.name > 0 && end-a.name <= limitSecretName && isNameByte(t[a.name-1]); a.name-- {
		if b := t[a.name-1]; (b == 'm' || b == 'K') && colourStart(t, a.name) < a.name {
			break
		}
	}
	if a.name < end && afterEscape(t, a.name+1) {
		a.name++ // \npassword: the n belongs to the newline
	}
	// On a removed line of a diff, -password is not a flag.
	flag = strings.HasPrefix(t[a.name:end], "-") && (strings.HasPrefix(t[a.name:end], "--") || !startsLine(t, a.name))
	for a.name < end && (t[a.name] == '-' || t[a.name] == '.') {
		a.name++
	}
	return quoted, flag
}

// startsLine reports whether i is at the start of a line, ignoring colour sequences.
func startsLine(t string, i int) bool {
	i = colourStart(t, i)
	return i == 0 || t[i-1] == '\n' || afterEscape(t, i)
}

func isNameByte(b byte) bool { return isWord(b) || b == '-' || b == '.' }

// quoteAround returns the quote that is still open at i on the same line, or 0.
func quoteAround(t string, i int) byte {
	const limitLook = 256
	var open byte
	from := max(i-limitLook, 0)
	for j := from + strings.LastIndexByte(t[from:i], '\n') + 1; j < i; j++ {
		b := t[j]
		if b != '"' && b != '\'' && b != '`' || b == '\'' && j > 0 && isWord(t[j-1]) && j+1 < len(t) && isWord(t[j+1]) {
			continue // an apostrophe is not a quote
		}
		switch open {
		case 0:
			open = b
		case b:
			open = 0
		}
	}
	return open
}

// plain returns the unquoted value v, or an empty value if v looks like prose or code rather than a
// credential.
func (a assignment) plain(t string, v value) value {
	text := t[v.from:v.to]
	switch {
	case len(text) > limitKept:
	case a.coded, isExpression(text), isMember(text), a.guess && !looksSecret(text):
		v.to = v.from
	case !a.spaced:
	case a.prose && !looksRandom(text), v.more && isLetters(text), isNumeral(text) && !a.isUserChosen(t),
		isVariableName(text):
		v.to = v.from
	}
	return v
}

// schemeOf returns the length of the scheme at the start of a header's value, including the space
// after it, or 0 if there is no known scheme.
func schemeOf(value string) int {
	scheme, _, _ := strings.Cut(value, " ")
	switch strings.ToLower(scheme) {
	case "bearer", "basic", "token", "digest", "negotiate", "apikey":
		return min(len(scheme)+1, len(value))
	}
	return 0
}

// headerValue matches a header's value up to the end of the line or the closing quote. The scheme
// stays visible.
func headerValue(t string, a assignment) (from, to int) {
	from = a.value
	for from < len(t) && (t[from] == ' ' || t[from] == '\t') {
		from++
	}
	if v := valueAt(t, from, a.enclosing, true); v.quote != 0 {
		from, to = v.from, v.to
	} else {
		for to = from; to < len(t) && t[to] != '\n' && t[to] != '\r' && (a.enclosing == 0 || t[to] != a.enclosing); to++ {
		}
		for to > from && (t[to-1] == '\\' || isSpace(t[to-1])) { // the value is followed by a quote in a nested string
			to--
		}
	}
	text := t[from:to]
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[]") { // the members have their own names
		return a.value, a.value
	}
	if n := schemeOf(text); n > 0 {
		from, text = from+n, text[n:]
	} else if strings.Contains(text, " ") && len(text) <= limitKept && !strings.Contains(text, "=") {
		// prose, as in "Authorization: needed for all of it"
		return a.value, a.value
	}
	if text == "" || len(text) <= limitKept && (isPlaceholder(text) || isNumeral(strings.TrimRight(text, ",;"))) {
		return a.value, a.value
	}
	return from, to
}
