package hud

import "strings"

// findFlag matches the value that follows the flag at i and a space or, for one of the secretFlags,
// the password in the flag's value. Without a match, it skips only the hyphens, because a token may
// follow them on a removed line of a diff.
func findFlag(t string, i int) (from, to int) {
	end := i
	for end < len(t) && end-i <= limitSecretName && (isWord(t[end]) || t[end] == '-') {
		end++
	}
	name := strings.TrimLeft(t[i:end], "-")
	none := end - len(name)
	if len(name) == 0 || end-i > limitSecretName {
		return none, none
	}
	if from, to = commandSecret(t, i, end); from < to {
		return from, to
	}
	if end == len(t) || t[end] != ' ' || len(name) < 3 || senseOf(name) == harmless && name != "pass" && name != "passin" && name != "passout" {
		return none, none
	}
	v := valueAt(t, end, quoteAround(t, i), true)
	text := t[v.from:v.to]
	if v.quote == 0 && (strings.HasPrefix(text, "--") || len(text) == 2 && text[0] == '-' || flagProse[text] || strings.Trim(text, ":=") == "") || keeps(text, name) || keeps(strings.TrimRight(text, "])"), name) {
		return none, none
	}
	return v.from, v.to
}

// flagProse lists words that follow a flag's name in a sentence about the flag.
var flagProse = words(`flag flags option options argument parameter and or is are to for in with must can may should if when the a an from via`)

// limitCommand is the number of bytes before a flag that are searched for its command.
const limitCommand = 200

// secretFlags are the flags that well-known commands use for a password.
var secretFlags = []struct {
	flag     string
	commands []string // one of these precedes the flag
	attached bool     // only as -pSECRET: followed by a space, the flag means something else
	userinfo bool     // user:password
}{
	{"-p", []string{"mysql", "mariadb", "7z"}, true, false},
	{"-p", []string{"sshpass", "mongo", "docker login", "podman login", "az login", "helm registry", "skopeo", "oras", "nerdctl login", "buildah login"}, false, false},
	{"-a", []string{"redis-cli", "valkey-cli"}, false, false},
	{"-P", []string{"unzip", "zip ", "mosquitto_"}, false, false},
	{"-w", []string{"ldapsearch", "ldapadd", "ldapmodify", "ldapwhoami"}, false, false},
	{"-u", []string{"curl", "wget"}, false, true},
	{"--user", []string{"curl", "wget"}, false, true},
	{"-U", []string{"curl"}, false, true},
	{"--proxy-user", []string{"curl"}, false, true},
	{"-a", []string{"http ", "https ", "xh "}, false, true},
}

// commandSecret matches the password in a well-known command's flag, which has other meanings in
// other commands. The flag starts at i; the flag and its attached value end at end.
func commandSecret(t string, i, end int) (from, to int) {
	before := ""
	for _, f := range secretFlags {
		if !strings.HasPrefix(t[i:end], f.flag) || strings.HasPrefix(f.flag, "--") && t[i:end] != f.flag {
			continue
		}
		if before == "" {
			before = commandBefore(t, i)
		}
		if !containsAny(before, f.commands) {
			continue
		}
		at := i + len(f.flag)
		if f.attached && (at >= len(t) || isSpace(t[at])) {
			continue
		}
		if at < len(t) && t[at] == '=' {
			at++
		}
		near := t[:min(len(t), at+limitUserinfo)]
		if f.userinfo && strings.IndexByte(near[at:], ':') < 0 {
			continue
		}
		v := valueAt(near, at, quoteAround(t, i), true)
		if f.userinfo {
			colon := strings.IndexByte(t[v.from:v.to], ':')
			if colon < 0 {
				continue
			}
			v.from += colon + 1
		}
		if text := t[v.from:v.to]; !keeps(text, "") && text[0] != '-' {
			return v.from, v.to
		}
	}
	return i, i
}

// commandBefore returns the part of a simple command that precedes i, at most limitCommand bytes.
func commandBefore(t string, i int) string {
	from := i
	for from > max(0, i-limitCommand) && !endsCommand[t[from-1]] {
		from--
	}
	return t[from:i]
}

var endsCommand = bytesOf("\n;|&(")

func containsAny(s string, list []string) bool {
	for _, l := range list {
		if strings.Contains(s, l) {
			return true
		}
	}
	return false
}
