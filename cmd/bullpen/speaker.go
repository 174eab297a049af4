package main

import (
	"cmp"
	"net/url"
	"os"

	"github.com/spf13/pflag"
)

// The environment of what `bullpen exec` runs. Programs that report by themselves
// read it, and so do bullpen's own verbs.
const (
	envURL     = "ABSTRACT_URL"
	envToken   = "ABSTRACT_TOKEN"
	envAgent   = "ABSTRACT_AGENT"
	envRun     = "ABSTRACT_RUN"
	envSession = "ABSTRACT_SESSION"
)

// speaker is on whose behalf something is reported.
type speaker struct{ agent, run, session, source string }

func (s *speaker) register(f *pflag.FlagSet) {
	f.StringVar(&s.agent, "agent", "", "who it is about, by id or by name; a new name comes in as a guest (default "+envAgent+")")
	f.StringVar(&s.run, "run", "", "the run that it belongs to (default "+envRun+")")
	f.StringVar(&s.session, "session", "", "the session that it belongs to (default "+envSession+")")
	f.StringVar(&s.source, "source", "", "whose events these are: the same id of the same source counts once (default: the credential and the agent)")
}

// fromEnvironment fills in what no flag says.
func (s *speaker) fromEnvironment() {
	s.agent = cmp.Or(s.agent, os.Getenv(envAgent))
	s.run = cmp.Or(s.run, os.Getenv(envRun))
	s.session = cmp.Or(s.session, os.Getenv(envSession))
}

// query is the speaker as the doors of workflow events want it.
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
