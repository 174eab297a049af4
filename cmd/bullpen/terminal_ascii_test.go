//go:build linux || darwin

package main

import (
	"strings"
	"testing"
)

// On a terminal without UTF-8, bullpen prints ASCII; JSON and the output of other programs are
// unchanged.
func TestTerminalWithoutUTF8GetsASCII(t *testing.T) {
	for _, c := range []struct {
		name, locale, want string
		args               []string
	}{
		{"help", "C", "TEXT~ [flags]", []string{"agent", "say", "--help"}},
		{"help", "C.UTF-8", "TEXT… [flags]", []string{"agent", "say", "--help"}},
		{"an error", "C", `"stat~s"`, []string{"stat…s"}},
		{"an error as JSON", "C", `\"stat…s\"`, []string{"stat…s", "--json"}},
		{"another program", "C", "said… \"", []string{"exec", "--", "echo", "said…", `"`}},
	} {
		t.Run(c.name+" in "+c.locale, func(t *testing.T) {
			s := newScreen(t)
			cmd := program(t, c.args...)
			cmd.Env = append(cmd.Env, "LC_ALL="+c.locale)
			s.run(cmd)
			_ = cmd.Wait()
			s.sees(c.want)
			if c.locale == "C" && !strings.Contains(c.want, "…") && strings.Contains(s.text(), "…") {
				t.Errorf("it shows %q", s.text())
			}
		})
	}
}
