// Command gen converts the gitleaks rules (config/gitleaks.toml) to rules.txt.
//
//	go run ./hud/leak/gen VERSION < gitleaks.toml > hud/leak/rules.txt
//
// update.sh does this for the newest release. Rules that need a file's path, that match no secret,
// or that hud itself covers better are skipped.
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

// leftOut maps each skipped rule to the reason for skipping it.
var leftOut = map[string]string{
	"generic-api-key":        "hud checks names itself, and does not redact references to secrets",
	"curl-auth-header":       "hud redacts headers itself",
	"curl-auth-user":         "hud redacts curl -u itself",
	"private-key":            "hud also handles truncated keys",
	"jwt":                    "hud recognizes the format itself, even without a signature",
	"hashicorp-tf-password":  "hud recognizes the name itself, and the rule needs a path",
	"kubernetes-secret-yaml": "the rule needs a path; without one, it matches ordinary data",
	"sidekiq-sensitive-url":  "hud redacts passwords in URIs itself",
	"slack-webhook-url":      "hud recognizes the URL itself",
	"twitter-api-key":        "it needs only 25 letters after the word, so it matches ordinary names",
	"pkcs12-file":            "it matches a file name",
	"nuget-config-password":  "hud already redacts values by name, and this rule would match the rest of the line as well",
}

// noSecret lists name suffixes of rules that find ids or public keys, not secrets.
var noSecret = []string{"-client-id", "-access-id", "-api-id", "-pub-key", "-pub-api-key", "-public-key"}

// patches lists the rules that match too much, each with the part of the rule to replace and its
// replacement.
var patches = map[string][2]string{
	"sourcegraph-access-token": {`|[a-fA-F0-9]{40})\b`, `)\b`},                                        // matches any commit hash
	"vault-service-token":      {`|s\.(?i:[a-z0-9]{24})`, ``},                                         // matches a long method name of a variable s
	"square-access-token":      {`(?:EAAA|sq0atp-)[\w-]{22,60}`, `sq0atp-[\w-]{22,60}|EAAA[\w-]{60}`}, // matches base64-encoded zeros
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

// read returns the rules in gitleaks.toml, with the fields that gen needs.
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

// named matches rules that recognize a secret by the name before it.
var named = regexp.MustCompile(`^(.*)\(\?:\[ \\t\\w\.-\]\{0,20\}\)\[\\s'"\]\{0,3\}(\)?)\(\?:=\|>\|:\{1,3\}=\|\\\|\\\|\|:\|=>\|\\\?=\|,\)\[\\x60'"\\s=\]\{0,5\}(.*)$`)

// ends are the expressions that rules require after a secret; package leak requires only a word
// boundary there.
var ends = []string{"(?:[\\x60'\"\\s;]|\\\\[nr]|$|\\b)", "(?:[\\x60'\"\\s;]|\\\\[nr]|$)", `(?:[^\w-]|\z)`, `(?:[^a-zA-Z0-9+/]|\z)`, "(?:$|[\\\\'\"\\x60\\s<),])", `\b`}

// before is the expression that rules require before a secret; package leak performs this check
// itself.
const before = "(?:^|[\\\\'\"\\x60\\s>=:(,)])"

func (r rule) line() (string, error) {
	if p, ok := patches[r.id]; ok {
		if !strings.Contains(r.regex, p[0]) {
			return "", fmt.Errorf("the patch no longer applies")
		}
		r.regex, r.not = strings.Replace(r.regex, p[0], p[1], 1), nil
	}
	kind, secret, triggers, at := "near", r.regex, r.keywords, 0
	if m := named.FindStringSubmatch(r.regex); m != nil {
		kind = "named"
		secret, _, _ = strings.Cut(m[3], `|\b(`) // hud handles the other formats itself
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
		return "", fmt.Errorf("the rule has no trigger")
	}
	var set [256]bool
	least := measure(tree, &set)
	fields := []string{kind, r.id, strings.Join(triggers, ","), strconv.Itoa(at), strconv.FormatFloat(r.entropy, 'f', -1, 64), strconv.Itoa(least), strconv.Itoa(longest(tree)), ranges(set), strconv.Itoa(group(tree)), secret, strings.Join(r.not, "|")}
	for _, f := range fields {
		if strings.ContainsAny(f, "\t\n") {
			return "", fmt.Errorf("field %q contains a tab or a line break", f)
		}
	}
	return strings.Join(fields, "\t"), nil
}

// group returns the number of the group that matches the secret; 0 means the whole match.
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

// bare returns re without the parts that match the text around a secret.
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
