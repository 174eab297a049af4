// Command gen turns the rules of gitleaks (config/gitleaks.toml) into rules.txt.
//
//	go run ./hud/leak/gen VERSION < gitleaks.toml > hud/leak/rules.txt
//
// update.sh does it for the newest release. Rules that need a file's path, that
// name no secret, or that hud judges better by itself are left out.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
)

// leftOut are rules that are not taken over, and why.
var leftOut = map[string]string{
	"generic-api-key":        "hud judges names by itself, and leaves references alone",
	"curl-auth-header":       "hud knows headers",
	"curl-auth-user":         "hud knows curl -u",
	"private-key":            "hud takes keys that break off as well",
	"jwt":                    "hud knows its form, without a signature too",
	"hashicorp-tf-password":  "hud knows the name, and the rule needs a path",
	"kubernetes-secret-yaml": "the rule needs a path and matches ordinary data",
	"sidekiq-sensitive-url":  "hud knows passwords in URIs",
	"slack-webhook-url":      "hud knows it",
	"twitter-api-key":        "25 letters after the word: matches ordinary names",
	"pkcs12-file":            "it is about a file's name",
	"nuget-config-password":  "hud knows names next to values, and the rule takes the rest of a line",
}

// noSecret are the endings of rules that are about ids and public keys.
var noSecret = []string{"-client-id", "-access-id", "-api-id", "-pub-key", "-pub-api-key", "-public-key"}

// patches replace a part of a rule.
var patches = map[string][2]string{
	"sourcegraph-access-token": {`|[a-fA-F0-9]{40})\b`, `)\b`},                                        // any commit
	"vault-service-token":      {`|s\.(?i:[a-z0-9]{24})`, ``},                                         // a long method of a variable s
	"square-access-token":      {`(?:EAAA|sq0atp-)[\w-]{22,60}`, `sq0atp-[\w-]{22,60}|EAAA[\w-]{60}`}, // base64 of zeros
}

type rule struct {
	id, regex string
	keywords  []string
	entropy   float64
	not       []string
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: gen VERSION < gitleaks.toml > rules.txt")
	}
	rules, err := read(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	out := bufio.NewWriter(os.Stdout)
	fmt.Fprintf(out, "# The rules of gitleaks %s (MIT, see packaging/licenses/gitleaks.txt), made by update.sh: do not edit.\n", os.Args[1])
	fmt.Fprintln(out, "# kind\tid\ttriggers\tbytes before\tentropy\tleast bytes\tmost bytes\tits bytes\tgroup\texpression\tnot")
	for _, r := range rules {
		if leftOut[r.id] != "" || r.regex == "" || slices.ContainsFunc(noSecret, func(end string) bool { return strings.HasSuffix(r.id, end) }) {
			continue
		}
		line, err := r.line()
		if err != nil {
			log.Fatalf("%s: %v", r.id, err)
		}
		fmt.Fprintln(out, line)
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}

// read takes the members of rules that matter from a file in the form in which
// gitleaks writes it.
func read(in io.Reader) (rules []rule, err error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	table, list := "", ""
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[[") || strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") && list == "" {
			table, list = strings.Trim(line, "[]"), ""
			if table == "rules" {
				rules = append(rules, rule{})
			}
			continue
		}
		if len(rules) == 0 {
			continue
		}
		r := &rules[len(rules)-1]
		if list != "" && line == "]" {
			list = ""
			continue
		}
		name, value, ok := strings.Cut(line, " = ")
		if list != "" {
			name, value = list, strings.TrimSuffix(line, ",")
		} else if !ok {
			continue
		} else if value == "[" {
			list = name
			continue
		}
		switch table + " " + name {
		case "rules id":
			r.id = unquote(value)
		case "rules regex":
			r.regex = unquote(value)
		case "rules entropy":
			if r.entropy, err = strconv.ParseFloat(value, 64); err != nil {
				return nil, err
			}
		case "rules keywords":
			for k := range strings.SplitSeq(strings.Trim(value, "[]"), ",") {
				if k = unquote(strings.TrimSpace(k)); k != "" {
					r.keywords = append(r.keywords, k)
				}
			}
		case "rules.allowlists regexes":
			r.not = append(r.not, unquote(value))
		}
	}
	return rules, lines.Err()
}

func unquote(s string) string {
	s = strings.TrimSuffix(s, ",")
	if strings.HasPrefix(s, "'''") {
		return strings.TrimSuffix(strings.TrimPrefix(s, "'''"), "'''")
	}
	return strings.Trim(s, `"`)
}

// named is what rules look like whose secret is known by the name before it.
var named = regexp.MustCompile(`^(.*)\(\?:\[ \\t\\w\.-\]\{0,20\}\)\[\\s'"\]\{0,3\}(\)?)\(\?:=\|>\|:\{1,3\}=\|\\\|\\\|\|:\|=>\|\\\?=\|,\)\[\\x60'"\\s=\]\{0,5\}(.*)$`)

// ends are what rules want after a secret; leak wants only that it does not go on.
var ends = []string{"(?:[\\x60'\"\\s;]|\\\\[nr]|$|\\b)", "(?:[\\x60'\"\\s;]|\\\\[nr]|$)", `(?:[^\w-]|\z)`, `(?:[^a-zA-Z0-9+/]|\z)`, "(?:$|[\\\\'\"\\x60\\s<),])", `\b`}

// before is what a rule requires before a secret; leak checks that itself.
const before = "(?:^|[\\\\'\"\\x60\\s>=:(,)])"

func (r rule) line() (string, error) {
	if p, ok := patches[r.id]; ok {
		if !strings.Contains(r.regex, p[0]) {
			return "", fmt.Errorf("the patch does not apply any more")
		}
		r.regex, r.not = strings.Replace(r.regex, p[0], p[1], 1), nil
	}
	kind, secret, triggers, at := "near", r.regex, r.keywords, 0
	if m := named.FindStringSubmatch(r.regex); m != nil {
		kind = "named"
		secret, _, _ = strings.Cut(m[3], `|\b(`) // what else it knows has a form of its own, known to hud
		if m[2] == "" && strings.HasPrefix(m[1], "(?i)") {
			secret = "(?i)" + secret
		}
	}
	secret = bare(secret)
	tree, err := syntax.Parse(secret, syntax.Perl)
	if err != nil {
		return "", err
	}
	begins := beginnings(tree)
	shortest, plain := len(begins[0]), true
	for _, b := range begins {
		shortest, plain = min(shortest, len(b)), plain && !strings.HasPrefix(b, "http")
	}
	switch {
	case kind == "near" && shortest >= 2 && plain, kind == "named" && shortest >= 4 && strings.ContainsAny(begins[0], "-_."):
		kind, triggers = "token", begins
	case kind == "near":
		if text, before, ok := inside(tree); ok {
			kind, triggers, at = "token", []string{text}, before
		}
	case kind == "named":
		triggers = slices.DeleteFunc(slices.Clone(triggers), func(k string) bool { return strings.HasSuffix(k, "_") })
	}
	if len(triggers) == 0 {
		return "", fmt.Errorf("nothing shows where it may be")
	}
	var set [256]bool
	least := measure(tree, &set)
	fields := []string{kind, r.id, strings.Join(triggers, ","), strconv.Itoa(at), strconv.FormatFloat(r.entropy, 'f', -1, 64), strconv.Itoa(least), strconv.Itoa(longest(tree)), ranges(set), strconv.Itoa(group(tree)), secret, strings.Join(r.not, "|")}
	for _, f := range fields {
		if strings.ContainsAny(f, "\t\n") {
			return "", fmt.Errorf("%q cannot be a field", f)
		}
	}
	return strings.Join(fields, "\t"), nil
}

// group is the part of a match that is the secret; 0 means all of it.
func group(re *syntax.Regexp) int {
	if re.Op == syntax.OpConcat {
		for _, sub := range re.Sub {
			if sub.Op == syntax.OpCapture && sub.Name == "" {
				return sub.Cap
			}
		}
	}
	return 0
}

// bare is an expression without what stands around the secret.
func bare(re string) string {
	fold := strings.HasPrefix(re, "(?i)")
	re = strings.TrimPrefix(strings.TrimPrefix(re, "(?i)"), `\b`)
	re = strings.TrimPrefix(re, before)
	for _, end := range ends {
		if rest, ok := strings.CutSuffix(re, end); ok {
			re = rest
			break
		}
	}
	if fold {
		re = "(?i)" + re
	}
	return re
}

// limitBegin is how long a beginning needs to be, and how many there may be.
const limitBegin, limitBegins = 12, 32

// beginnings are the texts that what matches can begin with, in lower case where
// case does not matter; one empty text when there are too many.
func beginnings(re *syntax.Regexp) []string {
	list, _ := expand(re)
	if len(list) > limitBegins {
		return []string{""}
	}
	for i := range list {
		list[i] = list[i][:min(len(list[i]), limitBegin)]
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// expand reports also whether what follows in a concatenation adds to it.
func expand(re *syntax.Regexp) (list []string, whole bool) {
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		if re.Flags&syntax.FoldCase != 0 {
			text = strings.ToLower(text)
		}
		return []string{text}, true
	case syntax.OpCapture:
		return expand(re.Sub[0])
	case syntax.OpEmptyMatch, syntax.OpWordBoundary, syntax.OpBeginText:
		return []string{""}, true
	case syntax.OpCharClass:
		n := 0
		for i := 0; i < len(re.Rune); i += 2 {
			n += int(re.Rune[i+1]-re.Rune[i]) + 1
		}
		if n > 4 {
			return []string{""}, false
		}
		for i := 0; i < len(re.Rune); i += 2 {
			for c := re.Rune[i]; c <= re.Rune[i+1]; c++ {
				list = append(list, string(c))
			}
		}
		return list, true
	case syntax.OpAlternate:
		whole = true
		for _, sub := range re.Sub {
			l, w := expand(sub)
			list, whole = append(list, l...), whole && w
		}
		return list, whole
	case syntax.OpConcat:
		list = []string{""}
		for _, sub := range re.Sub {
			l, w := expand(sub)
			if len(list)*len(l) > limitBegins {
				return list, false
			}
			var next []string
			for _, a := range list {
				for _, b := range l {
					next = append(next, a+b)
				}
			}
			if list = next; !w {
				return list, false
			}
		}
		return list, true
	}
	return []string{""}, false
}

// inside finds the longest literal at a fixed offset of every match, in lower case where
// case does not matter.
func inside(re *syntax.Regexp) (text string, at int, ok bool) {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	if re.Op != syntax.OpConcat {
		return "", 0, false
	}
	before := 0
	for _, sub := range re.Sub {
		if list, _ := expand(sub); sub.Op == syntax.OpLiteral && len(list[0]) >= 2 && len(list[0]) > len(text) {
			text, at = list[0], before
		}
		var set [256]bool
		least := measure(sub, &set)
		if least == 0 || least != longest(sub) {
			break
		}
		before += least
	}
	return text, at, text != "" && !strings.HasPrefix(text, "http") // too common
}

// longest is the maximum length of a match, 0 when it is unlimited.
func longest(re *syntax.Regexp) (most int) {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1
	case syntax.OpCapture, syntax.OpQuest:
		return longest(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			n := longest(sub)
			if n == 0 && !isEmpty(sub) {
				return 0
			}
			most += n
		}
		return most
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			n := longest(sub)
			if n == 0 && !isEmpty(sub) {
				return 0
			}
			most = max(most, n)
		}
		return most
	case syntax.OpRepeat:
		return max(re.Max, 0) * longest(re.Sub[0])
	}
	return 0
}

// isEmpty reports whether an expression matches a position and no byte.
func isEmpty(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpWordBoundary, syntax.OpNoWordBoundary, syntax.OpBeginText, syntax.OpEndText, syntax.OpBeginLine, syntax.OpEndLine:
		return true
	}
	return false
}

// measure is the least number of bytes that match, and adds every byte that can.
func measure(re *syntax.Regexp, set *[256]bool) (least int) {
	add := func(r rune, fold bool) {
		if r > 0x7f {
			return
		}
		set[r] = true
		if c := byte(r) | 0x20; fold && c >= 'a' && c <= 'z' {
			set[c], set[c&^0x20] = true, true
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			add(r, re.Flags&syntax.FoldCase != 0)
		}
		return len(re.Rune)
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= min(re.Rune[i+1], 0x7f); r++ {
				add(r, false)
			}
		}
		return 1
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		for r := rune(0); r <= 0x7f; r++ {
			add(r, false)
		}
		return 1
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			least += measure(sub, set)
		}
		return least
	case syntax.OpAlternate:
		least = measure(re.Sub[0], set)
		for _, sub := range re.Sub[1:] {
			least = min(least, measure(sub, set))
		}
		return least
	case syntax.OpPlus:
		return measure(re.Sub[0], set)
	case syntax.OpRepeat:
		return re.Min * measure(re.Sub[0], set)
	case syntax.OpStar, syntax.OpQuest:
		measure(re.Sub[0], set)
	}
	return 0
}

// ranges writes a set of bytes as pairs of hexadecimal numbers.
func ranges(set [256]bool) string {
	var b strings.Builder
	for i := 0; i < len(set); i++ {
		if !set[i] {
			continue
		}
		j := i
		for j+1 < len(set) && set[j+1] {
			j++
		}
		fmt.Fprintf(&b, "%02x%02x", i, j)
		i = j
	}
	return b.String()
}
