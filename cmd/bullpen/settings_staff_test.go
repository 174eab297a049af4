package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/spf13/pflag"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/all"
	"github.com/bullpen-office/bullpen/staff"
)

// The example configuration is valid once it is uncommented.
func TestExampleIsValid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bullpen.yaml")
	if err := os.WriteFile(path, []byte("crew: fast\n"+staffExample), 0o600); err != nil {
		t.Fatal(err)
	}
	read := readConfigFile(path)
	if len(read.Problems) > 0 {
		t.Fatal(read.Problems)
	}
	s := read.staff
	s.Kinds, s.Default = agents.RunnerSpecs(all.Adapters), "fast"
	if err := s.Check(staff.ValidationInput{BuiltIn: agents.People(all.Adapters)}); err != nil {
		t.Error(err)
	}
	if list := s.Unenforced(); len(list) > 0 {
		t.Errorf("the example has budgets that cannot be enforced: %v", list)
	}
	for _, k := range s.Kinds {
		used := k.BuiltIn
		for _, r := range s.Runners {
			used = used || r.Kind == k.Kind
		}
		if !used {
			t.Errorf("the example has no runner of the kind %s", k.Kind)
		}
	}
}

// A command is a program, or a list that starts with a program and continues with its first
// arguments.
func TestCommandIsTextOrList(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bullpen.yaml")
	for text, want := range map[string][]string{
		"{kind: acp, command: [opencode, acp]}":                 {"opencode", "acp"},
		"{kind: acp, args: [--pure], command: [opencode, acp]}": {"opencode", "acp", "--pure"},
		"{kind: claude, command: claude, args: [--verbose]}":    {"claude", "--verbose"},
		"{kind: acp, command: []}":                              {""},
	} {
		if err := os.WriteFile(path, []byte("runners: {x: "+text+"}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		read := readConfigFile(path)
		r := read.staff.Runners["x"]
		if got := append([]string{r.Command}, r.Args...); len(read.Problems) > 0 || !slices.Equal(got, want) {
			t.Errorf("%s: %q %v", text, got, read.Problems)
		}
	}
}

// The hosts that acceptance checks may reach are set by the file, the environment or a flag, and
// passed to the crew.
func TestAcceptHosts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "office.yaml")
	if err := os.WriteFile(path, []byte("accept_host: [one.example, two.example]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	hosts := func(args ...string) []string {
		t.Helper()
		s, f := newSettings(), pflag.NewFlagSet("serve", pflag.ContinueOnError)
		s.register(f)
		if err := f.Parse(append([]string{"--data", t.TempDir()}, args...)); err != nil {
			t.Fatal(err)
		}
		if err := s.load(); err != nil {
			t.Fatal(err)
		}
		return s.staff.AcceptHosts
	}
	if got := hosts(); len(got) > 0 {
		t.Errorf("by default: %q", got)
	}
	if got := hosts("--accept-host", "a.example", "--accept-host", "b.example"); !slices.Equal(got, []string{"a.example", "b.example"}) {
		t.Errorf("from flags: %q", got)
	}
	if got := hosts("--config", path); !slices.Equal(got, []string{"one.example", "two.example"}) {
		t.Errorf("from the file: %q", got)
	}
	t.Setenv("BULLPEN_ACCEPT_HOST", "c.example,d.example")
	if got := hosts(); !slices.Equal(got, []string{"c.example", "d.example"}) {
		t.Errorf("from the environment: %q", got)
	}
}

// Reading any file terminates, and a rejection always has a reason.
func FuzzConfigFile(f *testing.F) {
	f.Add([]byte(staffExample))
	f.Add([]byte("agents: [1, {id: [x]}]\nrunners: {a: {prices: 3}}\n"))
	f.Add([]byte("runners: &a {x: *a}\n"))
	f.Add([]byte("? [a, b]\n: c\n"))
	path := filepath.Join(f.TempDir(), "bullpen.yaml")
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		read := readConfigFile(path)
		if len(read.Problems) == 0 {
			read.staff.Kinds = agents.RunnerSpecs(all.Adapters)
			_ = read.staff.Validate(staff.ValidationInput{})
		}
	})
}
