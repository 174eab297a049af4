package hud

import (
	"strings"

	"github.com/bullpen-office/bullpen/hud/leak"
)

// tokenForm is the format of tokens with a recognizable prefix.
type tokenForm struct {
	prefix string
	least  int                    // minimum number of bytes after the prefix
	body   func(b byte) bool      // whether a byte is allowed after the prefix
	check  func(tail string) bool // optional; if it accepts a tail, it must accept every longer tail
}

// forms are the known token formats; the first match counts.
var forms = []tokenForm{
	{"sk-ant-", 16, isTokenByte, nil},
	{"sk-proj-", 16, isTokenByte, nil},
	{"sk-or-", 16, isTokenByte, nil},
	{"sk-svcacct-", 16, isTokenByte, nil},
	{"sk-", 20, isTokenByte, hasLongRun}, // not sk-learn-style-names
	{"sk_live_", 10, isWord, nil}, {"sk_test_", 10, isWord, nil}, {"rk_live_", 10, isWord, nil}, {"rk_test_", 10, isWord, nil},
	{"ghp_", 30, isWord, nil}, {"gho_", 30, isWord, nil}, {"ghu_", 30, isWord, nil}, {"ghs_", 30, isWord, nil}, {"ghr_", 30, isWord, nil},
	{"github_pat_", 20, isWord, nil}, {"glpat-", 16, isTokenByte, nil}, {"glptt-", 16, isTokenByte, hasDigit}, {"gldt-", 16, isTokenByte, hasDigit},
	{"glrt-", 16, isTokenByte, hasDigit}, {"glcbt-", 16, isTokenByte, hasDigit}, {"glagent-", 16, isTokenByte, hasDigit}, {"gloas-", 16, isTokenByte, hasDigit},
	{"xoxa-", 10, isTokenByte, nil}, {"xoxb-", 10, isTokenByte, nil}, {"xoxp-", 10, isTokenByte, nil}, {"xoxr-", 10, isTokenByte, nil},
	{"xoxc-", 10, isTokenByte, nil}, {"xoxd-", 10, isSlackByte, nil}, {"xoxs-", 10, isTokenByte, nil}, {"xoxe-", 10, isTokenByte, nil}, {"xapp-", 10, isTokenByte, nil},
	{"AKIA", 16, isUpperOrDigit, nil}, {"ASIA", 16, isUpperOrDigit, nil},
	{"AIza", 30, isTokenByte, nil}, {"GOCSPX-", 20, isTokenByte, nil}, {"ya29.", 20, isTokenByte, nil}, {"1//0", 30, isTokenByte, nil},
	{"npm_", 30, isWord, nil}, {"pypi-", 32, isTokenByte, nil}, {"hf_", 30, isWord, nil}, {"hvs.", 20, isTokenByte, nil},
	{"dop_v1_", 32, isWord, nil}, {"dckr_pat_", 20, isTokenByte, nil}, {"shpat_", 20, isWord, nil}, {"whsec_", 20, isBase64, nil},
	{"lin_api_", 20, isWord, nil}, {"sntrys_", 30, isBase64, nil}, {"nvapi-", 40, isTokenByte, nil}, {"gsk_", 30, isWord, hasDigit}, {"r8_", 30, isWord, hasDigit}, {"xai-", 40, isWord, hasDigit},
	{"pplx-", 40, isWord, hasDigit}, {"tskey-", 20, isTokenByte, hasDigit}, {"figd_", 30, isTokenByte, nil}, {"PMAK-", 24, isTokenByte, nil}, {"ATATT3", 30, isBase64, nil},
	{"SG.", 40, isDotted, nil}, {"AGE-SECRET-KEY-1", 20, isUpperOrDigit, nil},
	{"eyJ", 20, isDotted, isJWT},
	{"hooks.slack.com/services/", 20, isPathByte, nil}, {"discord.com/api/webhooks/", 20, isPathByte, nil}, {"discordapp.com/api/webhooks/", 20, isPathByte, nil},
	{"bot", 40, isBotByte, isBotToken},                                                             // Telegram, in URLs
	{"bullpen_", 40, isTokenByte, hasDigit},                                                        // Bullpen tokens
	{"M", 50, isDotted, isDiscord}, {"N", 50, isDotted, isDiscord}, {"O", 50, isDotted, isDiscord}, // Discord bots
	{"Bearer ", 16, isBase64, hasDigit}, {"bearer ", 16, isBase64, hasDigit},
}

// tokenForms groups the forms of tokens by the first byte of their prefix.
var tokenForms = func() (table [256][]tokenForm) {
	for _, f := range forms {
		table[f.prefix[0]] = append(table[f.prefix[0]], f)
	}
	return table
}()

// limitToken is the number of bytes that are read to recognize a token.
const limitToken = 256

// findToken matches a token that starts at i.
func findToken(t string, i int) (from, to int) {
	if i > 0 && wordBytes[t[i-1]] && !leak.StartsWord(t, i) {
		return i, i
	}
	for _, f := range tokenForms[t[i]] {
		if !strings.HasPrefix(t[i:], f.prefix) {
			continue
		}
		from, to = i, i+len(f.prefix)
		look := min(len(t), to+limitToken)
		if f.check != nil && !f.check(t[to:look]) { // a check that rejects these bytes rejects any shorter tail
			continue
		}
		for to < look && f.body(t[to]) {
			to++
		}
		tail := t[i+len(f.prefix) : to]
		if len(tail) < f.least || f.check != nil && !f.check(tail) {
			continue
		}
		for to < len(t) && f.body(t[to]) {
			to++
		}
		if strings.HasSuffix(f.prefix, " ") || strings.HasSuffix(f.prefix, "/") {
			from += len(f.prefix) // the scheme or host may be visible
		}
		return from, to
	}
	return i, i
}

// afterEscape reports whether one of the escapes \n, \r and \t ends directly before i.
func afterEscape(t string, i int) bool {
	return i >= 2 && t[i-2] == '\\' && (t[i-1] == 'n' || t[i-1] == 'r' || t[i-1] == 't')
}

func isTokenByte(b byte) bool    { return isWord(b) || b == '-' }
func isDotted(b byte) bool       { return isWord(b) || b == '-' || b == '.' }
func isBase64(b byte) bool       { return isDotted(b) || b == '+' || b == '/' || b == '=' || b == '~' }
func isSlackByte(b byte) bool    { return isBase64(b) || b == '%' }
func isPathByte(b byte) bool     { return isTokenByte(b) || b == '/' }
func isBotByte(b byte) bool      { return isTokenByte(b) || b == ':' }
func isUpperOrDigit(b byte) bool { return b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' }

func hasDigit(tail string) bool { return strings.ContainsAny(tail, "0123456789") }

// hasLongRun reports whether tail has a long run of characters without separators, as random tokens
// do and words joined by hyphens do not.
func hasLongRun(tail string) bool {
	const long, look = 16, 64
	run := 0
	for i := range min(len(tail), look) {
		if run++; tail[i] == '-' || tail[i] == '_' {
			run = 0
		}
		if run == long {
			return true
		}
	}
	return false
}

// isBotToken reports whether tail is a bot's number, a colon and the bot's secret.
func isBotToken(tail string) bool {
	number, secret, ok := strings.Cut(tail, ":")
	return ok && len(number) >= 6 && isPort(number) && len(secret) >= 30
}

// findBotToken matches a Telegram bot's token around the colon at i: the bot's number, the colon,
// and 35 bytes that start with A.
func findBotToken(t string, i int) (from, to int) {
	const number, secret = 8, 35
	if i < number || i+secret >= len(t) || t[i+1] != 'A' {
		return i, i
	}
	for from = i; from > 0 && i-from < 16 && t[from-1] >= '0' && t[from-1] <= '9'; from-- {
	}
	for to = i + 1; to < len(t) && to-i <= secret && isTokenByte(t[to]); to++ {
	}
	if i-from < number || from > 0 && isTokenByte(t[from-1]) && !strings.HasSuffix(t[:from], "bot") || to-i <= secret || to < len(t) && isTokenByte(t[to]) {
		return i, i
	}
	return from, to
}

// isDiscord reports whether tail has the three parts of a Discord bot's token: the bot's number in
// base64, the creation time and the signature.
func isDiscord(tail string) bool {
	id, rest, _ := strings.Cut(tail, ".")
	made, sign, ok := strings.Cut(rest, ".")
	return ok && len(id) >= 22 && len(id) <= 28 && (len(made) == 6 || len(made) == 7) && len(sign) >= 25 && hasDigit(tail)
}

// isJWT reports whether tail has a header and a payload of at least 8 bytes each.
func isJWT(tail string) bool {
	const least = 8
	head, rest, ok := strings.Cut(tail, ".")
	payload, _, _ := strings.Cut(rest, ".")
	return ok && len(head) >= least && len(payload) >= least
}
