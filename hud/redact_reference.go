package hud

import "strings"

// typeWords stand for a value in programs, schemas and manuals.
var typeWords = words(`string str bool boolean int number any object null nil none true false undefined unknown bytes void required optional
	yes no on off empty self this todo tbd xxx prompt stdin same-origin include omit`)

func isType(text string) bool {
	return len(text) <= limitNameWord && typeWords[strings.ToLower(strings.TrimRight(text, "?;[]"))]
}

// isPlaceholder reports whether a value only stands for one that lies elsewhere: a
// variable, a gap to fill in, or what somebody else hid.
func isPlaceholder(text string) bool {
	switch text[0] {
	case '$':
		return isVariable(text[1:])
	case '<':
		return strings.HasSuffix(text, ">")
	case '%':
		return len(text) <= 3 || strings.HasSuffix(text, "%") && isLetters(strings.Trim(text, "%"))
	case '{':
		return strings.HasPrefix(text, "{{") && strings.HasSuffix(text, "}}")
	}
	return strings.Trim(text, "*.•…xX-_") == "" || strings.Trim(text, capitals) == "" && senseOf(text) > harmless // YOUR_TOKEN
}

const capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"

// isVariable wants the rest of $NAME, ${NAME}, $(command) or $1.
func isVariable(rest string) bool {
	if rest == "" {
		return true
	}
	if rest[0] == '{' || rest[0] == '(' {
		return true
	}
	return strings.ToUpper(rest) == rest && strings.Trim(rest, capitals+"0123456789") == ""
}

// isExpression wants a call, an index or a path of names: getenv("X"), row[0],
// req.body.password.
func isExpression(text string) bool {
	i := 0
	for i < len(text) && (isWord(text[i]) || text[i] == '.') {
		i++
	}
	if i == 0 || !isAlpha(text[0]) && text[0] != '_' {
		return false
	}
	if i < len(text) {
		return text[i] == '(' || text[i] == '['
	}
	return strings.Contains(text, ".") && isLetters(strings.NewReplacer(".", "", "_", "").Replace(text))
}

func isLetters(text string) bool {
	for i := range len(text) {
		if !isAlpha(text[i]) {
			return false
		}
	}
	return text != ""
}

// looksRandom tells what people type as a password from a word of a sentence.
func looksRandom(text string) bool {
	if len(text) < 6 || isPort(text) {
		return false
	}
	return hasDigit(text) || len(text) >= 12 && strings.ToLower(text) != text && !isUpper(text[0]) || strings.ContainsAny(text, "!@#$%^&*+=~")
}
