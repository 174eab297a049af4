package contracts

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// worst is the complaint that is told: the one with the smallest field, then
// text, so that the same input gives the same answer. Its field starts with base.
func (c complaints) worst(base string) *Refusal {
	least := slices.MinFunc(c, func(a, b complaint) int {
		return cmp.Or(strings.Compare(a.field, b.field), strings.Compare(a.text, b.text))
	})
	field := least.field
	if base != "" {
		field = under(base, field)
	}
	return RefuseField(field, "%s %s", subject(field), least.text)
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

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
