package main

import (
	"cmp"
	"net/url"
	"os"

	"github.com/spf13/pflag"
)

// Environment variables for commands run by `bullpen exec`. Programs that report to the office read
// them, and so does bullpen itself.
const (
	envURL     = "ABSTRACT_URL"
	envToken   = "ABSTRACT_TOKEN"
	envAgent   = "ABSTRACT_AGENT"
	envRun     = "ABSTRACT_RUN"
	envSession = "ABSTRACT_SESSION"
)

// speaker is the agent that an event is about.
type speaker struct{ agent, run, session, source string }

func (s *speaker) register(f *pflag.FlagSet) {
	f.StringVar(&s.agent, "agent", "", "id of the agent; a name always means a guest, who joins if the name is new (default: $"+envAgent+")")
	f.StringVar(&s.run, "run", "", "run that the event belongs to (default: $"+envRun+")")
	f.StringVar(&s.session, "session", "", "session that the event belongs to (default: $"+envSession+")")
	f.StringVar(&s.source, "source", "", "scope of --id: events with the same id and source are recorded once (default: the token and the agent)")
}

// fromEnvironment sets the fields that no flag has set, from the variables that `bullpen exec` sets.
func (s *speaker) fromEnvironment() {
	s.agent = cmp.Or(s.agent, os.Getenv(envAgent))
	s.run = cmp.Or(s.run, os.Getenv(envRun))
	s.session = cmp.Or(s.session, os.Getenv(envSession))
}

// query returns the speaker as a query string for the event endpoints, or "" if all fields are
// empty.
func (s *speaker) query() string {
	q := url.Values{}
	for name, value := range map[string]string{"agent": s.agent, "run": s.run, "session": s.session, "source": s.source} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}
