package hud

import "strings"

// typeWords are words used in place of a value in code, schemas and manuals.
var typeWords = words(`string str bool boolean int number any object null nil none true false undefined unknown bytes void required optional
	yes no on off empty self this todo tbd xxx prompt stdin same-origin include omit`)

func isType(text string) bool {
	return len(text) <= limitNameWord && typeWords[strings.ToLower(strings.TrimRight(text, "?;[]"))]
}

// isPlaceholder reports whether a value is a placeholder, not a credential: a variable, a blank to
// fill in, or a mask such as ***.
func isPlaceholder(text string) bool {
	switch text[0] {
	case '$':
		return isVariable(text[1:])
	case '<':
		return strings.HasSuffix(text, ">")
	case '%':
		return len(text) <= 3 || strings.HasSuffix(text, "%") && isLetters(strings.Trim(text, "%"))
	case '(': // code, or a format string
		return true
	case '{':
		return strings.HasPrefix(text, "{{") && strings.HasSuffix(text, "}}")
	}
	return strings.Trim(text, "*.•…xX-_") == "" || strings.Trim(text, capitals) == "" && senseOf(text) > harmless // YOUR_TOKEN
}

const capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"

// isVariable reports whether $ followed by rest is a variable or a command: $NAME, ${NAME},
// $(command) or $1. A variable with a literal default does not count.
func isVariable(rest string) bool {
	if rest == "" {
		return true
	}
	if rest[0] == '{' {
		return !hasDefault(rest[1:])
	}
	if rest[0] == '(' {
		return true
	}
	return strings.ToUpper(rest) == rest && strings.Trim(rest, capitals+"0123456789") == ""
}

// hasDefault reports whether rest, the part of ${NAME:-text} after the opening brace, has a literal
// default.
func hasDefault(rest string) bool {
	i := 0
	for i < len(rest) && isWord(rest[i]) {
		i++
	}
	text := strings.TrimPrefix(rest[i:], ":")
	return i > 0 && len(text) > 2 && (text[0] == '-' || text[0] == '=') && text[1] != '$' && text[1] != '}'
}

// isExpression reports whether text is a call, an index or a dotted path: getenv("X"), row[0],
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

// isMember reports whether text is a dotted path followed by another member of an object, as in
// minified code: e.token,secret:t.secret.
func isMember(text string) bool {
	path, next, ok := strings.Cut(text, ",")
	return ok && strings.Contains(next, ":") && isExpression(path)
}

func isLetters(text string) bool {
	for i := range len(text) {
		if !isAlpha(text[i]) {
			return false
		}
	}
	return text != ""
}

// isVariableName reports whether text is a variable name that refers to a credential in code:
// testPrivateKey, _apiKey.
func isVariableName(text string) bool {
	joint := strings.HasPrefix(text, "_")
	for i := range len(text) {
		if !isWord(text[i]) {
			return false
		}
		joint = joint || i > 0 && isUpper(text[i]) && isAlpha(text[i-1]) && !isUpper(text[i-1])
	}
	return joint && senseOf(text) > harmless
}

// isNumeral reports whether text is a small number as written in code.
func isNumeral(text string) bool {
	if hex, ok := strings.CutPrefix(text, "0x"); ok {
		return len(hex) > 0 && len(hex) <= 8 && strings.Trim(hex, "0123456789abcdefABCDEF") == ""
	}
	return len(text) > 0 && len(text) < 6 && isPort(text)
}

// looksSecret reports whether text looks like a generated secret: at least 8 characters that
// include a digit and letters of both cases, or a mix of at least 20 letters and digits.
func looksSecret(text string) bool {
	var lower, upper, digit, other bool
	for i := range len(text) {
		switch b := text[i]; {
		case b >= 'a' && b <= 'z':
			lower = true
		case isUpper(b):
			upper = true
		case b >= '0' && b <= '9':
			digit = true
		case strings.IndexByte("+/=_-!@#$%^&*~", b) >= 0:
			other = true
		default:
			return false
		}
	}
	if !digit || len(text) < 8 {
		return false
	}
	return lower && upper || (lower || upper) && !other && len(text) >= 20
}

// looksRandom reports whether text looks like a password that a person chose, not like a word in a
// sentence.
func looksRandom(text string) bool {
	if len(text) < 6 || isPort(text) {
		return false
	}
	return hasDigit(text) || len(text) >= 12 && strings.ToLower(text) != text && !isUpper(text[0]) || strings.ContainsAny(text, "!@#$%^&*+=~")
}
