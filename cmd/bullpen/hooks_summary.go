package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/bullpen-office/bullpen/agents/claude/hook"
	"github.com/bullpen-office/bullpen/agents/claude/install"
)

// hooksSummary says in a few words whether Claude Code reports to an office. It
// starts no program: `bullpen hooks status claude` looks closer.
type hooksSummary struct {
	Path      string `json:"path,omitzero"`
	Installed bool   `json:"installed"`
	Events    int    `json:"events"`
	Elsewhere string `json:"elsewhere,omitzero"` // the address of another office that they go to
	Problem   string `json:"problem,omitzero"`
}

func summariseHooks(cl *client) (h hooksSummary) {
	var err error
	if h.Path, err = (&hookFlags{}).settingsPath(); err != nil {
		return h
	}
	text, err := os.ReadFile(h.Path)
	if err != nil {
		return h
	}
	s, err := install.Read(text)
	if err != nil {
		h.Problem = err.Error()
		return h
	}
	h.Installed, h.Events = len(s.Entries) > 0, len(s.Entries)
	if h.Installed && s.Disabled {
		h.Problem = "disableAllHooks is set in " + h.Path
	}
	for _, e := range s.Entries {
		if cl != nil && cl.own && e.URL != "" && e.URL != cl.base+hook.Path {
			h.Elsewhere = e.URL
		}
	}
	return h
}

func (h hooksSummary) words() string {
	switch {
	case h.Problem != "":
		return printable("Claude Code: " + h.Problem)
	case !h.Installed:
		return "Claude Code does not report here; `bullpen hooks install claude` connects it"
	case h.Elsewhere != "":
		return printable("Claude Code reports to " + h.Elsewhere + "; run `bullpen hooks install claude` again")
	}
	return fmt.Sprintf("Claude Code reports %d events", h.Events)
}

// examineHooks looks at the connection of Claude Code, where it was made.
func examineHooks(ctx context.Context, s *settings) []finding {
	f := &hookFlags{settings: s}
	if h := summariseHooks(nil); !h.Installed && h.Problem == "" {
		return []finding{fine("hooks", "%s", h.words())}
	}
	r, err := f.examine(ctx)
	if err != nil {
		return []finding{wrong("hooks", "correct the file, or run `bullpen hooks install claude` again", "%v", err)}
	}
	if len(r.Problems) > 0 {
		return []finding{wrong("hooks", "`bullpen hooks status claude` tells more", "%s", printable(strings.Join(r.Problems, "; ")))}
	}
	return []finding{fine("hooks", "Claude Code %s reports to %s", r.Claude.Version, printable(officeWords(r.Server)))}
}

func officeWords(s serverStatus) string {
	if s.Answers {
		return s.URL
	}
	return "the office that is open then"
}
