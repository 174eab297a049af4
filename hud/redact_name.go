package hud

import "strings"

// sense classifies a name by the likelihood that its value is a credential.
type sense int

const (
	harmless sense = iota
	doubtful       // also a common word in prose and code: token, secret, pass
	certain
	header // Authorization, Cookie: the value is the rest of the line
)

// secretWords are names of credentials.
var secretWords = map[string]sense{
	"password": certain, "passwd": certain, "pwd": certain, "passphrase": certain, "passcode": certain, "passwort": certain,
	"passwords": certain, "secrets": certain, "credentials": certain, "credential": certain, "apikey": certain, "apikeys": certain,
	"accesskey": certain, "secretkey": certain, "privatekey": certain, "authtoken": certain, "accesstoken": certain,
	"authorization": header, "cookie": header,
	"token": doubtful, "secret": doubtful, "jwt": doubtful,
}

var (
	// ownerWords come before key, token or secret in the names of credentials.
	ownerWords = words(`api secret private access auth encryption signing service master shared client deploy account license
		storage refresh bot github gitlab slack bearer app npm oauth webhook registry personal admin openai anthropic aws db`)

	// secretEndings mark credential names without separators, such as PGPASSWORD and dbpassword.
	secretEndings = []string{"password", "passwd", "passphrase", "apikey", "secretkey", "accesskey", "privatekey", "authtoken"}

	// plainKeys come before "key" in names that are not credentials, such as primary_key. After any
	// other word, KEY in capitals means a credential.
	plainKeys = words(`public primary foreign cache sort partition group routing row idempotency index object map hash lookup translation`)

	// aboutWords after the name of a credential mean that the value is about the credential, not
	// the credential itself.
	aboutWords = words(`file files path dir url uri endpoint name names id ids type types kind count counts length len limit limits
		size stdin env var policy reset page field input label prompt hint expiry expires expiration expired ttl at budget usage used index
		idx pos position strength manager store required enabled valid invalid error status exists version algorithm ref format regex pattern
		rules min max changed age rotation tokens per cost price window estimate ratio rate form screen view button placeholder class handler
		service provider validator generator parser source scope scopes header jar jars consent banner domain samesite bytes stream bucket
		number line column start end kinds set map list table prefix suffix separator exchange share`)

	// askingWords before a name mean that the credential is counted or requested, not given.
	askingWords = words(`max min num total require requires no allow enable disable show print skip ignore check validate need needs`)
)

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// limitNameWord is greater than the length of any word above.
const limitNameWord = 24

// senseOf judges a name by its words, in any style: DB_PASSWORD, api-key, accessToken,
// spring.datasource.password.
func senseOf(name string) sense {
	if name == "PWD" || !spellsSecret(name) { // PWD is the working directory
		return harmless
	}
	var best, last sense
	var before []byte
	capitals := inCapitals(name)
	var room [2][limitNameWord]byte // this word and the previous word
	for n := 0; ; n++ {
		var word []byte
		if word, name = nextWord(name, &room[n%2]); len(word) == 0 {
			break
		}
		now := senseOfWord(word)
		switch sole := n == 0; string(word) {
		case "key", "keys":
			if ownerWords[string(before)] || capitals && !sole && !plainKeys[string(before)] {
				now = certain
			}
		case "word":
			if string(before) == "pass" { // passWord
				now = certain
			}
		case "pass", "pat", "signature":
			if capitals && !sole || string(word) == "pass" && !sole {
				now = certain // DB_PASS; but not "pass: 12, fail: 3"
			}
		case "auth":
		default:
			if best > harmless && aboutWords[string(word)] || best == harmless && askingWords[string(word)] {
				return harmless
			}
		}
		if now == doubtful && (ownerWords[string(before)] || capitals && n > 0) {
			now = certain // access_token, MY_TOKEN
		}
		best, last = max(best, now), now
		before = word
	}
	if best == doubtful && last == harmless {
		return harmless // token.ADD in code
	}
	return best
}

// secretLetters are sets of letters; a credential's name contains all letters of at least one set.
var secretLetters = func() (masks []uint32) {
	for _, word := range []string{"pass", "pwd", "secret", "cred", "key", "token", "jwt", "auth", "cookie", "pat", "signature"} {
		masks = append(masks, lettersOf(word))
	}
	return masks
}()

func lettersOf(name string) (mask uint32) {
	for i := range len(name) {
		mask |= 1 << (name[i] & 31)
	}
	return mask
}

// spellsSecret is a cheap first check: it returns true for every credential's name and false for
// most other names.
func spellsSecret(name string) bool {
	have := lettersOf(name)
	for _, mask := range secretLetters {
		if have&mask == mask {
			return true
		}
	}
	return false
}

func senseOfWord(word []byte) sense {
	if s := secretWords[string(word)]; s != harmless {
		return s
	}
	for _, end := range secretEndings {
		if n := len(word) - len(end); n >= 0 && string(word[n:]) == end {
			return certain
		}
	}
	return harmless
}

// nextWord returns a name's first word in lower case, without digits, and the rest of the name. The
// word is empty if there is none, and "?" if it is too long.
func nextWord(name string, lower *[limitNameWord]byte) (word []byte, rest string) {
	i := 0
	for i < len(name) && !isAlpha(name[i]) {
		i++
	}
	n := 0
	for ; i < len(name) && isAlpha(name[i]); i++ {
		if n > 0 && isUpper(name[i]) && (!isUpper(name[i-1]) || i+1 < len(name) && isAlpha(name[i+1]) && !isUpper(name[i+1])) {
			break // apiKey, APIKey
		}
		if n < len(lower) {
			lower[n] = name[i] | 0x20
		}
		n++
	}
	if n > len(lower) {
		return append(lower[:0], '?'), name[i:] // not a known word
	}
	return lower[:n], name[i:]
}

func inCapitals(name string) bool {
	for i := range len(name) {
		if name[i] >= 'a' && name[i] <= 'z' {
			return false
		}
	}
	return true
}

func isAlpha(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }
func isUpper(b byte) bool { return b >= 'A' && b <= 'Z' }

// secretMember reports whether the value of a JSON member, argument or header with this name is a
// credential. It also accepts ambiguous names.
func secretMember(name string) bool {
	if len(name) > limitSecretName {
		return false
	}
	return senseOf(name) > harmless || strings.EqualFold(strings.TrimLeft(name, "-"), "pass")
}

// SecretName reports whether a variable, member or header with this name contains a credential.
func SecretName(name string) bool { return secretMember(name) }

// holdsSecrets reports whether everything in an object with this name is a credential.
func holdsSecrets(name string) bool {
	return strings.EqualFold(name, "secrets") || strings.EqualFold(name, "credentials") || strings.EqualFold(name, "passwords")
}

// isHeader reports whether a header with this name contains credentials.
func isHeader(name string) bool {
	return len(name) <= limitSecretName && senseOf(name) == header
}

// limitSecretName is how far back, in bytes, a rule may look for a name.
const limitSecretName = 64
