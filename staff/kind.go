package staff

import (
	"slices"
	"strings"
)

// Kind names a vendor in runners.NAME.kind.
type Kind string

// Spec describes a kind of runner; each vendor declares one. All functions may be nil; a nil
// Starts or Priced means false.
type Spec struct {
	Kind   Kind
	Note   string   // shown after the kind's name in the start-up message
	Fields []string // fields that a runner of this kind supports in the configuration
	// Check calls wrong for each problem that the rules for all kinds do not cover.
	Check func(r Runner, wrong func(field, format string, args ...any))

	NeedsModel bool // a runner without a model cannot work
	BuiltIn    bool // always available, and works in the folder that the office was started in
	Dials      bool // the programs connect to the bridge and identify themselves by conversation id

	Starts func(Runner) bool // whether the office starts a program for the runner
	Priced func(Runner) bool // whether the runner's usage has a known price

	Variables []string // variables that the program needs to reach its model: NAME, or a prefix such as AWS_*
	// VariablesOf returns the variables that a runner needs in addition to Variables. It is for kinds
	// whose programs come from several vendors.
	VariablesOf       func(Runner) []string
	ExcludedVariables []string // variables of this process that would mislead the program

	Prices PriceList // public prices of the vendor's models

	Presets map[string]Runner // runners that need no configuration, by name
}

// PriceList is a vendor's list of public prices.
type PriceList struct {
	AsOf string // date of the last comparison with the vendor's own list; empty if there is no list
	Of   func(model string) (Price, bool)
}

// Supports reports whether the kind supports a field of the configuration.
func (k *Spec) Supports(field string) bool { return slices.Contains(k.Fields, field) }

// Spec returns the description of a kind, or an empty description and false if the kind is unknown.
func (s Staff) Spec(k Kind) (*Spec, bool) {
	for _, spec := range s.Kinds {
		if spec.Kind == k {
			return spec, true
		}
	}
	return &Spec{Kind: k}, false
}

// preset returns the preset runner with this name, or false if no kind has one.
func (s Staff) preset(name string) (Runner, bool) {
	for _, spec := range s.Kinds {
		if r, ok := spec.Presets[name]; ok {
			return r, true
		}
	}
	return Runner{}, false
}

// Starts reports whether the office starts a program for a runner.
func (s Staff) Starts(r Runner) bool {
	spec, _ := s.Spec(r.Kind)
	return spec.Starts != nil && spec.Starts(r)
}

// Priced reports whether a runner's usage has a known price.
func (s Staff) Priced(r Runner) bool {
	spec, _ := s.Spec(r.Kind)
	return spec.Priced != nil && spec.Priced(r)
}

// kinds returns the names of the kinds that match, separated by commas; a nil function matches all.
func (s Staff) kinds(want func(*Spec) bool) string {
	var names []string
	for _, spec := range s.Kinds {
		if want == nil || want(spec) {
			names = append(names, string(spec.Kind))
		}
	}
	return strings.Join(names, ", ")
}
