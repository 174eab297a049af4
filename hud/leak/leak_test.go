package leak

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// example returns a random string that an expression matches.
func example(re *syntax.Regexp, luck *rand.Rand) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		var list []rune
		for i := 0; i < len(re.Rune); i += 2 {
			for r := max(re.Rune[i], '!'); r <= min(re.Rune[i+1], '~'); r++ {
				list = append(list, r)
			}
		}
		if len(list) == 0 {
			return " "
		}
		return string(list[luck.IntN(len(list))])
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return string(rune('a' + luck.IntN(26)))
	case syntax.OpConcat, syntax.OpCapture:
		out := ""
		for _, sub := range re.Sub {
			out += example(sub, luck)
		}
		return out
	case syntax.OpAlternate:
		return example(re.Sub[luck.IntN(len(re.Sub))], luck)
	case syntax.OpPlus, syntax.OpRepeat:
		out := ""
		for range max(re.Min, 1) {
			out += example(re.Sub[0], luck)
		}
		if re.Op == syntax.OpPlus {
			for range 20 {
				out += example(re.Sub[0], luck)
			}
		}
		return out
	}
	return ""
}

// exampleOf returns a credential that a rule matches and that is as random as a real one.
func exampleOf(t *testing.T, r *rule) string {
	t.Helper()
	tree, err := syntax.Parse(r.source, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(500) {
		text := example(tree, rand.New(rand.NewPCG(1, seed)))
		r.compile()
		if m := r.match.FindStringSubmatchIndex(text); m != nil && r.checked(text, m[2*r.group], m[2*r.group+1]) != (Span{}) {
			return text
		}
	}
	t.Fatalf("%s: no example of %s", r.id, r.source)
	return ""
}

// Every rule finds a complete credential of its kind, in any context.
func TestEveryRule(t *testing.T) {
	for _, r := range rules().rules {
		secret := exampleOf(t, r)
		var texts []string
		for trigger, in := range triggersOf(r) {
			switch r.kind {
			case token:
				texts = append(texts, secret, "the key is "+secret+", keep it", "("+secret+")", `{"x":"`+secret+`"}`, `a\n`+secret+`\nb`, "url?x="+secret+"&y=1",
					"-"+secret, " +"+secret, `diff\n-`+secret, "\x1b[31m"+secret+"\x1b[0m", "[01;31m[K"+secret+"[m[K", `\u001b[31m+`+secret, `\u0022`+secret+`\u0022`, "x=%22"+secret+"%22")
			case named:
				name := strings.ToUpper(trigger)
				texts = append(texts, name+"_KEY="+secret, "my"+trigger+`Secret: "`+secret+`",`, `{\"`+trigger+`_auth\": \"`+secret+`\"}`, "the token of "+trigger+" := '"+secret+"'\n")
			case near:
				texts = append(texts, "about "+trigger+":\n"+secret+"\n", secret+" is of "+trigger)
			}
			_ = in
		}
		for _, text := range texts {
			if r.group > 0 && r.kind == token && !strings.HasPrefix(text, secret) {
				continue // the example has its own context
			}
			found := Find(text)
			if len(found) != 1 {
				t.Errorf("%s: %d found in %q", r.id, len(found), text)
				continue
			}
			hidden := text[found[0].From:found[0].To]
			if r.group == 0 && !strings.Contains(hidden, secret) || len(hidden) < 8 {
				t.Errorf("%s: only part of %q in %q is hidden: %q", r.id, secret, text, hidden)
			}
		}
	}
}

func triggersOf(r *rule) map[string]bool {
	list := map[string]bool{}
	for _, bucket := range rules().buckets {
		for _, trigger := range bucket {
			if slices.Contains(trigger.rules, r) {
				list[trigger.text] = true
			}
		}
	}
	return list
}

// Text that only slightly resembles a credential is not reported.
func TestOrdinaryText(t *testing.T) {
	for _, text := range []string{
		"", "sk", "s.", "SKIP the TASK on DISK", "s.log(key); fs.ReadFile(name); tests.", "discord: the server, telegram = true",
		"commit 4b1d0f5c8a9b7d6e5f4a3b2c1d0e9f8a7b6c5d4e", "sourcegraph " + strings.Repeat("0123456789", 4),
		"cache-key-d41d8cd98f00b204e9800998ecf8427e", "twitter = d41d8cd98f00b204e9800998ecf8427e", "sha256:" + strings.Repeat("ab12", 16),
		"dropboxClient = newDropboxClien", "live_reload_of_all_the_pages_and_styles_in_it", "path/to/pat.go", "npm_config_registry_of_the_whole_company_x",
		"AKIAIOSFODNN7" + "EXAMPLE", "s.thisIsAMethodNameOfLetters", "airtable: abcdefghijklmnopq", "key-of-the-map-and-more-words-in-a-name",
	} {
		if found := Find(text); len(found) > 0 {
			t.Errorf("%q in %q", text[found[0].From:found[0].To], text)
		}
	}
}

// A hash, an id or a UUID after a service name is not a credential.
func TestServiceNameIsNotACredential(t *testing.T) {
	const uuid, hex24 = "550e8400-e29b-41d4-a716-446655440000", "507f1f77bcf86cd799439011"
	hex32 := "d41d8cd98f00b204" + "e9800998ecf8427e"
	hex40, hex64 := hex32+"01234567", hex32+hex32
	for text, want := range map[string]bool{
		"Redeploy heroku: " + uuid: false, "HEROKU_APP_ID=" + uuid: false, "HEROKU_API_KEY=" + uuid: true, "heroku authorization: " + uuid: true,
		"sentry event: " + hex64: false, "sentry author: " + hex64: false, "SENTRY_AUTH_TOKEN=" + hex64: true,
		"jira commit: " + hex24: false, "jira token: 3f6576cbc79b" + "4b488562e39f": true, "snyk_project=" + uuid: false, "SNYK_TOKEN: " + uuid: true,
		"coinbase commit: " + hex64: false, "fastly_service_id=" + hex32: false, "fastly_api_key_id=" + hex32: false, "fastlyServiceId: " + hex32: false,
		"datadog trace: " + hex40: false, "netlify deploy: " + hex40: false, "algolia index: " + hex32: false, "travis: " + hex24[:22]: false,
		"travis: abcdefghijkl0123456789": false, "travis: " + "aBcDeFgHiJkL0123456789": true, "facebook: " + hex32: false, "secret of facebook: " + hex32: true,
		"I have the api key. Redeploy heroku: " + uuid: false, "mailchimp: " + hex32: false, "mailchimp: " + hex32 + "-us12": true,
	} {
		if got := len(Find(text)) > 0; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// FindKeys requires a format that only credentials have.
func TestFindKeys(t *testing.T) {
	hex32 := "d41d8cd98f00b204" + "e9800998ecf8427e"
	for text, want := range map[string]int{
		"discord_token = " + hex32 + hex32: 0, "dapi" + hex32: 1, "x " + hex32[:14] + ".atlasv1." + hex32 + hex32: 1,
	} {
		if found := FindKeys(text); len(found) != want {
			t.Errorf("%v in %q", found, text)
		}
	}
}

// Even if the start of a credential is repeated many times, the number of bytes passed to
// expressions stays proportional to the length of the text, and a credential in the text is still
// found.
func TestHostileTextIsCheap(t *testing.T) {
	key := "dapi" + "d41d8cd98f00b204" + "e9800998ecf8427e"
	seen := map[string]bool{}
	for _, bucket := range rules().buckets {
		for _, trigger := range bucket {
			if seen[trigger.text] {
				continue
			}
			seen[trigger.text] = true
			for _, joint := range []string{"", ".", "=", "0", "a1b2c3d4="} {
				piece := joint + trigger.text
				s := search{index: rules(), text: strings.Repeat(piece, 8<<10/len(piece)) + "\n" + key + "\n"}
				if s.run(); s.scanned > limitTries+limitSecret+(triesPerByte+4)*len(s.text) {
					t.Errorf("%q repeated: %d bytes read per byte", piece, s.scanned/len(s.text))
				}
				if last := len(s.text) - 1; len(s.found) == 0 || s.found[len(s.found)-1].To < last {
					t.Errorf("%q repeated hides a key", piece)
				}
			}
		}
	}
	for _, piece := range []string{"SG.", "0q~", "8Q~", "a8Q~b "} {
		s := search{index: rules(), text: strings.Repeat(piece, 64<<10/len(piece))}
		if s.run(); s.scanned > 4*len(s.text) {
			t.Errorf("%q repeated: %d bytes read per byte", piece, s.scanned/len(s.text))
		}
	}
}

// The sources of this project, and the agent recordings in its tests, contain no credentials except
// made-up ones in tests.
func TestSourcesContainNoCredentials(t *testing.T) {
	root := filepath.Join("..", "..")
	out, err := exec.Command("git", "-C", root, "ls-files", "*.go", "*.ts", "*.tsx", "*.md", "*.jsonl", "go.sum").Output()
	if err != nil {
		t.Skip("not a checkout: ", err)
	}
	bytes := 0
	for path := range strings.SplitSeq(strings.TrimSpace(string(out)), "\n") {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			continue // deleted in the working tree
		}
		bytes += len(text)
		if madeUp(path) {
			continue
		}
		for _, s := range Find(string(text)) {
			t.Errorf("%s: %q", path, text[s.From:s.To])
		}
	}
	if bytes < 1<<20 {
		t.Errorf("only %d bytes were checked", bytes)
	}
}

// madeUp reports whether a file contains made-up credentials for tests.
func madeUp(path string) bool {
	return slices.Contains([]string{"repo/survey/survey_test.go", "web/e2e/guest.test.ts"}, path)
}

func TestSpansAreInOrder(t *testing.T) {
	key := "dapi" + strings.Repeat("a1b2c3d4", 4)
	text := strings.Repeat(key+" and ", 3) + "facebook 123456789012345|" + strings.Repeat("aB3dE6gH9", 3) + " " + key
	found := Find(text)
	end := 0
	for _, s := range found {
		if s.From < end || s.To <= s.From {
			t.Errorf("%v", found)
		}
		end = s.To
	}
	if len(found) != 5 {
		t.Errorf("%v in %s", found, text)
	}
}

func FuzzFind(f *testing.F) {
	for _, r := range rules().rules[:20] {
		f.Add(fmt.Sprint(r.id, "=", r.source))
	}
	f.Add("facebook facebook q~ 123456789012345|aaaa")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, s := range Find(text) {
			if s.From < end || s.To <= s.From || s.To > len(text) {
				t.Fatalf("%v of %q", s, text)
			}
			end = s.To
		}
	})
}
