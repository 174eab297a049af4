package contracts

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// schemaRefusal turns a validator's report into one refusal in plain words. The
// validator reports in random order, so the complaint with the smallest field,
// then message, is the one that is told: the same input gives the same answer.
func schemaRefusal(err error, base string) *Refusal {
	var report *jsonschema.ValidationError
	if !errors.As(err, &report) {
		return RefuseField(base, "the value is not valid here")
	}
	all := complaints(report, base, nil)
	return slices.MinFunc(all, func(a, b *Refusal) int {
		return strings.Compare(a.Field+"\x00"+a.Message, b.Field+"\x00"+b.Message)
	})
}

func complaints(e *jsonschema.ValidationError, base string, all []*Refusal) []*Refusal {
	at := base
	for _, part := range e.InstanceLocation {
		at = join(at, clip(part))
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			all = append(all, RefuseField(join(at, name), "%s is required", join(at, name)))
		}
		return all
	case *kind.OneOf, *kind.AnyOf:
		return append(all, RefuseField(at, "%s needs exactly one of %s", subject(at), alternatives(e)))
	}
	if len(e.Causes) == 0 {
		return append(all, RefuseField(at, "%s %s", subject(at), complaint(e.ErrorKind)))
	}
	for _, cause := range e.Causes {
		all = complaints(cause, base, all)
	}
	return all
}

// alternatives names the members that a oneOf offers; the only schemas with one
// are those where exactly one of several members is wanted.
func alternatives(e *jsonschema.ValidationError) string {
	var names []string
	for _, c := range e.Causes {
		if r, ok := c.ErrorKind.(*kind.Required); ok {
			names = append(names, r.Missing...)
		}
	}
	if names == nil {
		return "its alternatives"
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " and ")
}

func complaint(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return "must be of type " + strings.Join(k.Want, " or ") + ", not " + k.Got
	case *kind.Enum:
		return "must be one of " + words(k.Want)
	case *kind.Const:
		return fmt.Sprintf("must be %v", k.Want)
	case *kind.MinLength:
		if k.Want == 1 {
			return "must not be empty"
		}
		return fmt.Sprintf("must have at least %d characters", k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("has %d characters; at most %d are allowed", k.Got, k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %d items", k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("has %d items; at most %d are allowed", k.Got, k.Want)
	case *kind.MaxProperties:
		return fmt.Sprintf("has %d members; at most %d are allowed", k.Got, k.Want)
	case *kind.Minimum:
		return "must be at least " + number(k.Want)
	case *kind.Maximum:
		return "must be at most " + number(k.Want)
	case *kind.Not:
		return "is reserved"
	case *kind.Pattern:
		return "does not look like " + k.Want
	}
	return "is not valid here"
}

func number(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	return r.FloatString(3)
}

func words(values []any) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = fmt.Sprint(v)
	}
	return strings.Join(parts, ", ")
}

// subject names the place of a complaint in a sentence.
func subject(at string) string {
	if at == "" {
		return "the data"
	}
	return at
}

func join(base, name string) string {
	if base == "" {
		return name
	}
	return base + "." + name
}

// clip makes a piece of the client's own input fit to be quoted back.
func clip(s string) string {
	s = CleanLine(s)
	if runes := []rune(s); len(runes) > limitQuote {
		return string(runes[:limitQuote]) + "…"
	}
	return s
}

const limitQuote = 64 // characters of the client's input in an error message
