package agents

import "context"

// Options are a vendor's settings as plain data: values by name.
type Options map[string][]string

// Get is the first value of a name; empty when there is none.
func (o Options) Get(name string) string {
	if len(o[name]) == 0 {
		return ""
	}
	return o[name][0]
}

// Has reports whether a switch is on.
func (o Options) Has(name string) bool { return o.Get(name) == "true" }

// Plaintext is the switch, in what operators set, by which they allow credentials to
// travel in the clear.
const Plaintext = "insecure-plaintext"

// OptionDir is the option for the directory in which a vendor keeps its own files; empty
// reads none.
const OptionDir = "dir"

// Settings are what operators can set for a vendor: flags of `bullpen serve`, which are
// keys of the configuration and variables of the environment too.
type Settings struct {
	Flags []Flag
	// Check says what is wrong with what was set; it reads nothing. nil means nothing.
	Check func(set Options) error
	// Resolve turns what was set into the vendor's options: it finds directories and
	// reads secrets. nil takes it as it is.
	Resolve func(set Options, getenv func(string) string) (Options, error)
	// Examine asks what is watched whether it would let us in, for `bullpen doctor`. It
	// changes nothing; of Watching it gets Options, DataDir and Version. nil asks nothing.
	Examine func(context.Context, Watching) []Finding
}

// Flag is one setting.
type Flag struct {
	Name, Default, Usage string
	Variable             string // of the environment; default: BULLPEN_ and the name
	Many                 bool   // it can be given several times
	Switch               bool   // true or false
}

// Validate checks what was set for a vendor.
func (s *Settings) Validate(set Options) error {
	if s == nil || s.Check == nil {
		return nil
	}
	return s.Check(set)
}

// Options resolves what was set for a vendor.
func (s *Settings) Options(set Options, getenv func(string) string) (Options, error) {
	if s == nil || s.Resolve == nil {
		return set, nil
	}
	return s.Resolve(set, getenv)
}
