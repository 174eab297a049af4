package agents

import "context"

// Options maps the names of a vendor's settings to their values.
type Options map[string][]string

// Get returns the first value for name, or "" if there is none.
func (o Options) Get(name string) string {
	if len(o[name]) == 0 {
		return ""
	}
	return o[name][0]
}

// Has reports whether a switch is on.
func (o Options) Has(name string) bool { return o.Get(name) == "true" }

// Plaintext is the shared option --insecure-plaintext: credentials may be sent without TLS.
const Plaintext = "insecure-plaintext"

// OptionDir is the option for the directory of a vendor's own files. If the option is empty, no
// files are read.
const OptionDir = "dir"

// Settings are a vendor's settings: flags of `bullpen serve`, which are also configuration keys and
// environment variables.
type Settings struct {
	Flags []Flag
	// Check validates the settings without IO. If a value is invalid, Check returns its flag and an
	// error. If Check is nil, all settings are valid.
	Check func(set Options) (flag string, err error)
	// Resolve turns the settings into the vendor's options: it finds directories and reads secrets.
	// nil means that the settings are used as the options.
	Resolve func(set Options, getenv func(string) string) (Options, error)
	// Examine, if not nil, tests the connections of the vendor's watcher for `bullpen doctor`. It
	// changes nothing. Only Options, DataDir and Version of the WatchConfig are set.
	Examine func(context.Context, WatchConfig) []Finding
}

// Flag is one setting.
type Flag struct {
	Name, Default, Usage string
	Variable             string // environment variable; default: BULLPEN_ followed by the name
	Many                 bool   // can be repeated
	Switch               bool   // true or false
}

// Validate returns the result of Check, or no error if s or Check is nil.
func (s *Settings) Validate(set Options) (flag string, err error) {
	if s == nil || s.Check == nil {
		return "", nil
	}
	return s.Check(set)
}

// Options returns the result of Resolve, or set unchanged if s or Resolve is nil.
func (s *Settings) Options(set Options, getenv func(string) string) (Options, error) {
	if s == nil || s.Resolve == nil {
		return set, nil
	}
	return s.Resolve(set, getenv)
}
