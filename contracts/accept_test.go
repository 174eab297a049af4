package contracts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseAccept(t *testing.T) {
	got, err := ParseAccept([]string{"cmd: go test ./cart", "file: docs/cart.md", "url: http://127.0.0.1:8080/health", "agent", "person"})
	want := []Check{
		{Name: "accept 1", Command: "go test ./cart"},
		{Name: "accept 2", Kind: CheckFile, Command: "file: docs/cart.md"},
		{Name: "accept 3", Kind: CheckURL, Command: "url: http://127.0.0.1:8080/health"},
		{Name: "accept 4", Kind: CheckAgent, Command: "agent"},
		{Name: "accept 5", Kind: CheckPerson, Command: "person"},
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

func TestParseAcceptRefuses(t *testing.T) {
	var many []string
	for i := range LimitAccept + 1 {
		many = append(many, fmt.Sprintf("cmd: make test%d", i))
	}
	if _, err := ParseAccept(many[:LimitAccept]); err != nil {
		t.Fatal(err)
	}
	for name, lines := range map[string][]string{
		"nothing":              {""},
		"an unknown word":      {"everybody"},
		"a command without it": {"cmd:"},
		"a bare command":       {"go test"},
		"two lines":            {"cmd: true\nfalse"},
		"an absolute path":     {"file: /etc/passwd"},
		"a path out of it":     {"file: ../other/a.txt"},
		"the top directory":    {"file: ."},
		"another scheme":       {"url: file:///etc/passwd"},
		"no host":              {"url: http:///health"},
		"a password":           {"url: http://a:b@127.0.0.1/"},
		"the same twice":       {"agent", "agent"},
		"a long line":          {"cmd: " + strings.Repeat("x", LimitAcceptLine)},
		"too many":             many,
	} {
		if checks, err := ParseAccept(lines); err == nil {
			t.Errorf("%s was accepted: %+v", name, checks)
		}
	}
}
