package contracts

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestParseAccept(t *testing.T) {
	got, err := ParseAccept([]string{"cmd: go test ./cart", "file: docs/cart.md", "url: http://127.0.0.1:8080/health", "agent", "person"})
	want := []Check{
		{Name: "accept: go test ./cart", Command: "go test ./cart"},
		{Name: "accept: file: docs/cart.md", Kind: CheckFile, Command: "file: docs/cart.md"},
		{Name: "accept: url: http://127.0.0.1:8080/health", Kind: CheckURL, Command: "url: http://127.0.0.1:8080/health"},
		{Name: "accept: agent", Kind: CheckAgent, Command: "agent"},
		{Name: "accept: person", Kind: CheckPerson, Command: "person"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	for i, subject := range []string{"go test ./cart", "docs/cart.md", "http://127.0.0.1:8080/health", "agent", "person"} {
		if got[i].Subject() != subject {
			t.Errorf("the subject of %q is %q", got[i].Command, got[i].Subject())
		}
	}
}

// Each acceptance check has a unique name within the length limit.
func TestNamesOfAcceptanceChecks(t *testing.T) {
	long := strings.Repeat("é", LimitName)
	checks, err := ParseAccept([]string{"agent", "cmd: agent", "cmd: " + long + "1", "cmd: " + long + "2", "cmd: " + long + "3"})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range checks {
		if seen[c.Name] || len(c.Name) > LimitName || !utf8.ValidString(c.Name) || !strings.HasPrefix(c.Name, AcceptPrefix) {
			t.Errorf("%q is the name of %q", c.Name, c.Command)
		}
		seen[c.Name] = true
	}
	if got := checks[0].Line(); got != "accept: agent" {
		t.Errorf("a check is shown as %q", got)
	}
	if got := checks[2].Line(); !strings.HasSuffix(got, "(1): "+long+"1") {
		t.Errorf("a check with a shortened name is shown as %q", got)
	}
}

func TestParseAcceptRefuses(t *testing.T) {
	var many []string
	for i := range LimitAccept + 1 {
		many = append(many, fmt.Sprintf("cmd: make test%d", i))
	}
	if _, err := ParseAccept(many[:LimitAccept]); err != nil {
		t.Fatal(err)
	}
	for name, lines := range map[string][]string{
		"nothing":             {""},
		"an unknown word":     {"everybody"},
		"an empty command":    {"cmd:"},
		"a bare command":      {"go test"},
		"two lines":           {"cmd: true\nfalse"},
		"an absolute path":    {"file: /etc/passwd"},
		"an outside path":     {"file: ../other/a.txt"},
		"the top directory":   {"file: ."},
		"another scheme":      {"url: file:///etc/passwd"},
		"no host":             {"url: http:///health"},
		"a password":          {"url: http://a:b@127.0.0.1/"},
		"the same line twice": {"agent", "agent"},
		"a long line":         {"cmd: " + strings.Repeat("x", LimitAcceptLine)},
		"too many":            many,
	} {
		if checks, err := ParseAccept(lines); err == nil {
			t.Errorf("%s was accepted: %+v", name, checks)
		}
	}
}
