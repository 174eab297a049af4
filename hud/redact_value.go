package hud

import "strings"

// findAssigned takes the value of a name that stands before the = or : at i.
func findAssigned(t string, i int) (from, to int) {
	a, ok := assignmentAt(t, i)
	if !ok {
		return a.value, a.value
	}
	if a.sense == header {
		return headerValue(t, a)
	}
	v := valueAt(t, a.value, a.enclosing, !a.loose)
	if v.quote == 0 && a.loose {
		v = a.plain(t, v)
	}
	if keeps(t[v.from:v.to], t[a.name:a.nameEnd]) {
		return a.value, a.value
	}
	return v.from, v.to
}

// assignment is a name whose value may be a credential.
type assignment struct {
	name, nameEnd int
	value         int // where it may begin
	sense         sense
	enclosing     byte // the quote around it all, 0 when none
	loose         bool // the value ends where prose or a query string goes on
	spaced        bool // there is space around the sign
	coded         bool // := of a program: only a text counts
	prose         bool // a word stands before the name
	guess         bool // the name says little: only what looks like a credential counts
}

// assignmentAt reads back from the sign at i. When it is none, value is where to
// go on.
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
		a.weigh(t, i, name, flag)
	}
	if a.sense == harmless || a.sense == doubtful && t[i] == ':' && t[i-1] == ' ' { // ok ? token : other
		return a, false
	}
	if !quoted {
		a.enclosing = quoteAround(t, a.name)
	}
	capitals := strings.ToUpper(name) == name
	if a.sense == header && (a.coded || t[i] == '=' && !quoted && !capitals && !flag) { // cookie = … of a program
		return a, false
	}
	a.loose = !flag && (a.spaced || !capitals)
	a.prose = !quoted && a.name >= 2 && t[a.name-1] == ' ' && isWord(t[a.name-2])
	return a, true
}

// weigh judges a name by what stands around it.
func (a *assignment) weigh(t string, i int, name string, flag bool) {
	inQuery := t[i] == '=' && a.name > 0 && (t[a.name-1] == '?' || t[a.name-1] == '&')
	switch lower := strings.ToLower(name); {
	case flag && name == "pass", name == "_auth":
		a.sense = certain
	case lower == "value" && t[i] == ':' && isPair(t, a.name):
		a.sense = certain
	case lower == "pass" && t[i] == '=', lower == "key" && afterAPI(t, a.name), inQuery && (lower == "key" || lower == "sig" || strings.HasSuffix(lower, "signature")):
		a.sense, a.guess = doubtful, true
	}
}

// typed reports whether the name is that of something that people choose, which
// may be a number.
func (a assignment) typed(t string) bool {
	name := strings.ToLower(t[a.name:a.nameEnd])
	return strings.Contains(name, "pass") && !strings.HasSuffix(name, "pass") || strings.Contains(name, "pwd")
}

// isPair reports whether the line before that of a name says whose value it is:
//
//   - name: DB_PASSWORD
//     value: …
func isPair(t string, name int) bool {
	line := strings.LastIndexByte(t[max(0, name-limitSecretName):name], '\n')
	if line < 0 {
		return false
	}
	end := max(0, name-limitSecretName) + line
	above := t[max(0, end-2*limitSecretName):end]
	above = strings.TrimLeft(above[strings.LastIndexByte(above, '\n')+1:], " \t-")
	key, owner, ok := strings.Cut(above, ":")
	return ok && (key == "name" || key == "key") && secretMember(strings.Trim(owner, " \t\r\"'"))
}

// afterAPI reports whether a name is the second half of "API key".
func afterAPI(t string, name int) bool {
	before := strings.ToLower(t[max(0, name-len("secret ")):name])
	for _, word := range []string{"api ", "secret ", "access "} {
		if strings.HasSuffix(before, word) {
			return true
		}
	}
	return false
}

// readName finds the name that ends before i, or before space and quotes there.
func (a *assignment) readName(t string, i int) (quoted, flag bool) {
	end := i
	for end > 0 && i-end < 16 && (t[end-1] == ' ' || t[end-1] == '\t') {
		end--
	}
	a.spaced = end < i || a.value < len(t) && isSpace(t[a.value])
	if end > 0 && t[end-1] == ']' { // environ["TOKEN"] = …
		end--
	}
	if end > 0 && (t[end-1] == '"' || t[end-1] == '\'') {
		quoted = true
		for end--; end > 0 && t[end-1] == '\\'; end-- {
		}
	}
	a.nameEnd = end
	for a.name = end; a.name > 0 && end-a.name <= limitSecretName && isNameByte(t[a.name-1]); a.name-- {
	}
	if a.name < end && afterEscape(t, a.name+1) {
		a.name++ // \npassword: the n belongs to the newline
	}
	flag = strings.HasPrefix(t[a.name:end], "-")
	for a.name < end && (t[a.name] == '-' || t[a.name] == '.') {
		a.name++
	}
	return quoted, flag
}

func isNameByte(b byte) bool { return isWord(b) || b == '-' || b == '.' }

// quoteAround tells the quote that is open at i on its line, 0 when none is.
func quoteAround(t string, i int) byte {
	const limitLook = 256
	var open byte
	from := max(i-limitLook, 0)
	for j := from + strings.LastIndexByte(t[from:i], '\n') + 1; j < i; j++ {
		b := t[j]
		if b != '"' && b != '\'' && b != '`' || b == '\'' && j > 0 && isWord(t[j-1]) && j+1 < len(t) && isWord(t[j+1]) {
			continue // an apostrophe is no quote
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

// plain judges a value without quotes, where prose and code look the same: it is
// emptied when it is none.
func (a assignment) plain(t string, v value) value {
	text := t[v.from:v.to]
	switch {
	case len(text) > limitKept:
	case a.coded, isExpression(text), a.guess && !looksSecret(text):
		v.to = v.from
	case !a.spaced:
	case a.prose && !looksRandom(text), v.more && isLetters(text), isNumeral(text) && !a.typed(t), isVariableName(text):
		v.to = v.from
	}
	return v
}

// headerValue takes a header's value up to the end of its line or of the quotes
// around it. The scheme may be seen.
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
		for to > from && (t[to-1] == '\\' || isSpace(t[to-1])) { // before a quote in a text in a text
			to--
		}
	}
	text := t[from:to]
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[]") { // what lies in it has its own names
		return a.value, a.value
	}
	scheme, rest, two := strings.Cut(text, " ")
	switch strings.ToLower(scheme) {
	case "bearer", "basic", "token", "digest", "negotiate", "apikey":
		from, text = min(from+len(scheme)+1, to), rest
	default:
		if two && len(text) <= limitKept && !strings.Contains(text, "=") { // "Authorization: needed for all of it"
			return a.value, a.value
		}
	}
	if text == "" || len(text) <= limitKept && (isPlaceholder(text) || isNumeral(strings.TrimRight(text, ",;"))) {
		return a.value, a.value
	}
	return from, to
}

// limitKept is the length of what may be looked at and left as it is. Anything
// longer is taken: so the same bytes are never looked at again and again.
const limitKept = 256

// value is where a value lies, without its quotes.
type value struct {
	from, to int
	quote    byte
	more     bool // other words follow on its line
}

// keeps reports that a value is no credential, or not one to hide.
func keeps(text, name string) bool {
	return text == "" || text == Mark || len(text) <= limitKept && (strings.EqualFold(text, name) || isPlaceholder(text) || isType(text))
}

// valueAt reads a value that begins at i or after the space there.
func valueAt(t string, i int, enclosing byte, shell bool) (v value) {
	for n := 0; i < len(t) && n < 16 && (t[i] == ' ' || t[i] == '\t'); n++ {
		i++
	}
	start := i
	if i+1 < len(t) && strings.IndexByte("bfruBFRU", t[i]) >= 0 && (t[i+1] == '"' || t[i+1] == '\'') {
		i++ // b"…" of a program
	}
	slashes := i
	for i < len(t) && t[i] == '\\' {
		i++
	}
	slashes = i - slashes
	if i < len(t) && (t[i] == '"' || t[i] == '\'' || t[i] == '`' && !shell) && t[i] != enclosing {
		return quotedValue(t, start, i, slashes, shell)
	}
	i = start
	if i < len(t) && (t[i] == '{' || t[i] == '[') && !strings.HasPrefix(t[i:], Mark) {
		return value{from: i, to: i}
	}
	end := i
	for end < len(t) && !endsValue(t, end, enclosing, shell) {
		end++
	}
	v = value{from: i, to: end}
	v.more = end+1 < len(t) && t[end] == ' ' && isWord(t[end+1])
	if !shell {
		for v.to > v.from && t[v.from:v.to] != Mark && strings.IndexByte(",;)}]", t[v.to-1]) >= 0 {
			v.to--
		}
	}
	return v
}

// endsValue reports whether a value without quotes ends before i.
func endsValue(t string, i int, enclosing byte, shell bool) bool {
	b := t[i]
	switch {
	case b == ' ' && shell && t[i-1] == '\\': // a\ b is one word
		return false
	case isSpace(b), b == enclosing && enclosing != 0, b == '`', b == '<' || b == '>':
		return true
	case b == '"' || b == '\'':
		return i+1 == len(t) || isSpace(t[i+1]) || strings.IndexByte(",;)}]:|&\\", t[i+1]) >= 0
	case b == '\\':
		return i+1 < len(t) && (t[i+1] == '"' || t[i+1] == '\'')
	case b == '&' || b == ';':
		return !shell
	}
	return false
}

// quotedValue reads what lies between the quote at i and the same one again, or up
// to the end of the line. Behind as many backslashes as the first, a quote is of a
// text in a text.
func quotedValue(t string, start, i, slashes int, shell bool) value {
	v := value{from: i + 1, to: i + 1, quote: t[i]}
	for run := 0; v.to < len(t) && t[v.to] != '\n'; v.to++ {
		if t[v.to] == '\\' {
			run++
			continue
		}
		if t[v.to] == v.quote && (run == slashes || slashes == 0 && run%2 == 0) {
			v.to -= run * min(slashes, 1)
			break
		}
		run = 0
	}
	after := v.to + 1 + slashes
	if shell && slashes == 0 && after < len(t) && (isWord(t[after]) || t[after] == '"' || t[after] == '\'') {
		end := after // 'it'"'"'s': one word of several pieces
		for end < len(t) && !isSpace(t[end]) {
			end++
		}
		return value{from: start, to: end}
	}
	return v
}
