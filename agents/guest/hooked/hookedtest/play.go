// Package hookedtest feeds hooks to a vendor's sessions, for tests.
package hookedtest

import (
	"os"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
)

// Lines returns the lines of a file.
func Lines(t testing.TB, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// Parse decodes a hook.
func Parse(t testing.TB, v guest.Vendor, body string) guest.Hook {
	t.Helper()
	h, err := v.ParseHook([]byte(body), false)
	if err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return h
}

// Play creates a session, passes the session's hooks to it, and returns the session and everything
// that it reports. Each body arrives one millisecond after the previous one; bodies of other
// sessions are skipped.
func Play(t testing.TB, v guest.Vendor, session string, bodies ...string) (s guest.Session, updates guest.Updates) {
	t.Helper()
	s = v.NewSession(session, "", guest.Config{Home: "/home/dev"})
	for i, body := range bodies {
		if h := Parse(t, v, body); h.Head().Session == session {
			updates.Add(s.Hook(h, int64(1000+i)))
		}
	}
	return s, updates
}

// Story returns one line per fact.
func Story(updates guest.Updates) string {
	var b strings.Builder
	for _, f := range updates.Facts {
		h := f.HUD
		b.WriteString(string(h.Event))
		switch h.Event {
		case contracts.HUDToolStart:
			b.WriteString(" " + h.Tool + " " + h.Label)
		case contracts.HUDToolEnd, contracts.HUDTurnEnd:
			b.WriteString(strings.TrimRight(" "+h.Tool+" "+string(h.Result)+h.Said, " "))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Claims returns the claims of the evidence, with the lines that people see.
func Claims(updates guest.Updates) string {
	var list []string
	for _, e := range updates.Evidence {
		list = append(list, strings.TrimSpace(string(e.Claim)+" "+contracts.Clip(e.Line, 60)))
	}
	return strings.Join(list, "\n") + "\n"
}
