package staff

import (
	"slices"
	"strings"
)

// Kind is a way of getting work done: a vendor's agents, or a script.
type Kind string

// Spec describes a kind of runner. Vendors declare theirs; a function that is nil says
// no.
type Spec struct {
	Kind   Kind
	Words  string   // what people on it do, where that has to be said
	Fields []string // of a runner in the configuration that mean something to this kind
	// Check says what else is wrong with a runner; each field's own rule holds for every kind.
	Check func(r Runner, wrong func(field, format string, args ...any))

	NeedsModel bool // a runner without a model cannot work
	Own        bool // the office's own people: always there, and at work in the folder that it was started in
	Dials      bool // its programs dial in to the bridge, and prove themselves by the id of their conversation

	Starts func(Runner) bool // whether the office starts a program for it
	Priced func(Runner) bool // whether what it does has a known price

	Families []string // variables by which its program reaches its own model: NAME, or a beginning such as AWS_*
	Private  []string // variables of this process that would mislead any such program

	Prices PriceList // public prices of the vendor's models
}

// PriceList are public prices.
type PriceList struct {
	AsOf string // when it was last held against the vendor's own; empty: there is no list
	Of   func(model string) (Price, bool)
}

// Takes reports whether a field of the configuration means something to the kind.
func (k *Spec) Takes(field string) bool { return slices.Contains(k.Fields, field) }

// Spec finds the description of a kind.
func (s Staff) Spec(k Kind) (*Spec, bool) {
	for _, spec := range s.Kinds {
		if spec.Kind == k {
			return spec, true
		}
	}
	return &Spec{Kind: k}, false
}

// Starts reports whether the office starts a program for a runner.
func (s Staff) Starts(r Runner) bool {
	spec, _ := s.Spec(r.Kind)
	return spec.Starts != nil && spec.Starts(r)
}

// Priced reports whether what a runner does has a known price.
func (s Staff) Priced(r Runner) bool {
	spec, _ := s.Spec(r.Kind)
	return spec.Priced != nil && spec.Priced(r)
}

// kinds are the names of the kinds that a condition holds for; nil takes all.
func (s Staff) kinds(want func(*Spec) bool) string {
	var names []string
	for _, spec := range s.Kinds {
		if want == nil || want(spec) {
			names = append(names, string(spec.Kind))
		}
	}
	return strings.Join(names, ", ")
}
