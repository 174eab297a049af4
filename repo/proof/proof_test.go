package proof_test

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/bullpen-office/bullpen/repo/proof"
)

var checks = []proof.Check{{Name: "unit", Command: "make test"}, {Name: "lint", Command: "make lint"}, {Name: "slow", Command: "make slow", Optional: true}}

func result(c proof.Check, tree string, code int) proof.Result {
	return proof.Result{Check: c, End: proof.EndExited, ExitCode: code, TreeBefore: tree, TreeAfter: tree, Started: time.Unix(1, 0).UTC(), Duration: time.Second, Output: strings.Repeat("0", 64)}
}

// A check counts only for the tree that it ran on.
func TestJudge(t *testing.T) {
	unit, lint, slow := checks[0], checks[1], checks[2]
	edited := result(unit, "now", 0)
	edited.TreeAfter = "edited"
	late := result(unit, "now", -1)
	late.End = proof.EndTimeout
	unprovable := proof.Result{Check: unit, End: proof.EndNotRun, ExitCode: -1, TreeBefore: "now", Reason: "another repository inside"}
	other := result(proof.Check{Name: "unit", Command: "true"}, "now", 0)
	for name, c := range map[string]struct {
		results []proof.Result
		want    proof.Verdict
	}{
		"nothing ran":             {nil, proof.OnlySaid},
		"all passed":              {[]proof.Result{result(unit, "now", 0), result(lint, "now", 0)}, proof.Proven},
		"one passed":              {[]proof.Result{result(unit, "now", 0)}, proof.Partly},
		"one failed":              {[]proof.Result{result(unit, "now", 0), result(lint, "now", 1)}, proof.Failed},
		"stale":                   {[]proof.Result{result(unit, "before", 0), result(lint, "before", 0)}, proof.OnlySaid},
		"stale failure":           {[]proof.Result{result(unit, "now", 0), result(lint, "now", 0), result(unit, "before", 1)}, proof.Proven},
		"failed, then passed":     {[]proof.Result{result(unit, "now", 1), result(unit, "now", 0), result(lint, "now", 0)}, proof.Proven},
		"passed, then failed":     {[]proof.Result{result(unit, "now", 0), result(lint, "now", 0), result(unit, "now", 1)}, proof.Failed},
		"the check edited files":  {[]proof.Result{edited, result(lint, "now", 0)}, proof.Failed},
		"timeout":                 {[]proof.Result{late, result(lint, "now", 0)}, proof.Failed},
		"only an optional failed": {[]proof.Result{result(unit, "now", 0), result(lint, "now", 0), result(slow, "now", 1)}, proof.Proven},
		"not run":                 {[]proof.Result{unprovable, result(lint, "now", 0)}, proof.Partly},
		"failed, then not run":    {[]proof.Result{result(unit, "now", 1), unprovable}, proof.Failed},
		"another command":         {[]proof.Result{other, result(lint, "now", 0)}, proof.Partly},
	} {
		if got := proof.Judge("now", checks, c.results); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	if got := proof.Judge("now", nil, nil); got != proof.OnlySaid {
		t.Errorf("without checks: %s", got)
	}
}

// For random histories of edits and checks, the verdict matches that of a simple model, which
// remembers only the last result of each check since the last edit.
func TestJudgeEqualsTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := 'a'
		state := map[string]int{} // 1 passed, 2 failed
		var results []proof.Result
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			if rapid.IntRange(0, 3).Draw(t, "edit") == 0 {
				tree++
				clear(state)
				continue
			}
			c := rapid.SampledFrom(checks).Draw(t, "check")
			code := rapid.IntRange(0, 1).Draw(t, "code")
			results = append(results, result(c, string(tree), code))
			state[c.Name] = code + 1
		}
		want := proof.OnlySaid
		switch unit, lint := state["unit"], state["lint"]; {
		case unit == 2 || lint == 2:
			want = proof.Failed
		case unit == 1 && lint == 1:
			want = proof.Proven
		case unit == 1 || lint == 1:
			want = proof.Partly
		}
		if got := proof.Judge(string(tree), checks, results); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	})
}

// A receipt can be read with the office's key, and any change to it is detected.
func TestReceipt(t *testing.T) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	receipt := proof.Receipt{Subject: "shop", Tree: "now", Verdict: proof.Proven, Checks: checks[:2], Results: []proof.Result{result(checks[0], "now", 0), result(checks[1], "now", 0)}}
	content, err := proof.Sign(receipt, private)
	if err != nil {
		t.Fatal(err)
	}
	got, err := proof.Open(content, public)
	if err != nil || cmp.Diff(receipt, got) != "" {
		t.Fatalf("%v\n%s", err, cmp.Diff(receipt, got))
	}
	for want, results := range map[proof.Verdict][]proof.Result{
		proof.Partly:   {result(checks[0], "now", 0), {Check: checks[1], End: proof.EndNotRun, ExitCode: -1, TreeBefore: "now", Started: time.Unix(1, 0).UTC(), Reason: "another repository inside"}},
		proof.OnlySaid: {result(checks[0], "before", 0)},
		proof.Failed:   {result(checks[0], "now", 0), result(checks[1], "now", 1)},
	} {
		r := proof.Receipt{Subject: "shop", Tree: "now", Verdict: want, Checks: checks, Results: results}
		content, err := proof.Sign(r, private)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := proof.Open(content, public); err != nil || got.Verdict != want || len(got.Checks) != len(checks) || cmp.Diff(r.Results, got.Results) != "" {
			t.Errorf("%s: %+v, %v", want, got, err)
		}
	}
	stranger, _, _ := ed25519.GenerateKey(nil)
	if _, err := proof.Open(content, stranger); !errors.Is(err, proof.ErrSignature) {
		t.Errorf("%v", err)
	}
	opened := 0
	for i := range content {
		for _, b := range []byte{content[i] ^ 1, 'A', ' ', '"'} {
			changed := bytes.Clone(content)
			changed[i] = b
			if bytes.Equal(changed, content) {
				continue
			}
			if other, err := proof.Open(changed, public); err == nil {
				// Whitespace between members is not signed, and has no meaning.
				if cmp.Diff(receipt, other) != "" {
					t.Fatalf("byte %d as %q: %+v", i, b, other)
				}
				opened++
			}
		}
	}
	if opened > 100 {
		t.Errorf("%d changed receipts were accepted", opened)
	}
	for _, content := range []string{"", "{}", "[]", `{"payloadType":"text/plain","payload":"","signatures":[]}`, strings.Repeat(" ", 2<<20)} {
		if _, err := proof.Open([]byte(content), public); !errors.Is(err, proof.ErrMalformed) {
			t.Errorf("%.40q: %v", content, err)
		}
	}
	if key, err := proof.ParseKey([]byte(proof.FormatKey(public) + "\n")); err != nil || !key.Equal(public) {
		t.Errorf("%v", err)
	}
	for _, text := range []string{"", "bullpen-ed25519:", "bullpen-ed25519:AAAA", "ssh-ed25519 AAAA"} {
		if _, err := proof.ParseKey([]byte(text)); err == nil {
			t.Errorf("%q is a key", text)
		}
	}
}
