package leak

import "strings"

// needsSecretName reports whether a value could be a hash, an id or a UUID. Such a value counts as a
// credential only if hasSecretName confirms it.
func (r *rule) needsSecretName(value string) bool {
	var lower, upper, other bool // whether value contains such bytes, apart from hexadecimal digits
	for i := range len(value) {
		switch b := value[i]; {
		case isHex(b) || b == '-' && len(value) == uuidLength:
		case b >= 'a' && b <= 'z':
			lower = true
		case b >= 'A' && b <= 'Z':
			upper = true
		default:
			other = true
		}
	}
	return !lower && !upper && !other || r.plain && (!lower || !upper)
}

const uuidLength = 36

// secretWords occur in the names of credentials.
var secretWords = []string{"key", "token", "secret", "pass", "pwd", "auth", "cred", "bearer", "private", "api", "login", "dsn"}

// aboutWords at the end of a name mean that the value is not the credential itself.
var aboutWords = map[string]bool{
	"id": true, "ids": true, "name": true, "commit": true, "hash": true, "sha": true, "version": true, "url": true, "digest": true, "event": true,
	"trace": true, "index": true, "project": true, "build": true, "release": true, "job": true, "run": true, "request": true, "deploy": true,
}

// limitName is the number of bytes before a service's name that are searched for secretWords.
const limitName = 48

// hasSecretName reports whether a setting's name denotes a credential, as HEROKU_API_KEY does and
// HEROKU_APP_ID does not. The name contains the service's name at i; the value of the setting starts
// at value.
func (s *search) hasSecretName(i, value int) bool {
	from := i
	for from > max(0, i-limitName) && inName(s.text, from-1) {
		from--
	}
	s.scanned += value - from
	name := strings.TrimRight(s.text[from:value], " \t\n\r`'\"\\:=>,|?")
	last := len(name)
	for last > 0 && isAlpha(name[last-1]) && (last == len(name) || name[last] > 'Z' || name[last-1] <= 'Z') { // find the last word, such as Id in appId
		last--
	}
	if aboutWords[strings.ToLower(name[last:])] {
		return false
	}
	name = strings.ToLower(name)
	for _, word := range secretWords {
		if n := strings.Index(name, word); n >= 0 && (!strings.HasPrefix(name[n:], "author") || strings.HasPrefix(name[n:], "authori")) {
			return true
		}
	}
	return false
}

// inName reports whether the byte at i can be part of a name that has several words. The space
// between two sentences cannot.
func inName(t string, i int) bool {
	return isWord(t[i]) || t[i] == '.' || t[i] == '-' || t[i] == ' ' && (i == 0 || t[i-1] != '.')
}
