//go:build linux

package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
)

// print prints a scenario's rows as a table.
func (s *sheet) print(w io.Writer, scenario string) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	them := named(scenario, peer)
	fmt.Fprintf(t, "  \tours\traw\t%s\tours/raw\tours/%s\taim\t\n", them, them)
	for _, r := range s.rows {
		if r.scenario != scenario {
			continue
		}
		var aims []string
		for _, v := range r.verdicts() {
			aims = append(aims, v.String())
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", r.metric, short(r.value(ours)), short(r.value(raw)), short(r.value(peer)),
			short(r.ratio(raw)), short(r.ratio(peer)), strings.Join(aims, ", "))
	}
	t.Flush()
}

// printVerdict prints the aims that were missed, and how many were met.
func (s *sheet) printVerdict(w io.Writer) {
	met, all := 0, 0
	for _, r := range s.rows {
		for _, v := range r.verdicts() {
			all++
			if v.met {
				met++
				continue
			}
			fmt.Fprintf(w, "missed: %s, %s: %s, got %s\n", r.scenario, r.metric, v, short(v.got))
		}
	}
	fmt.Fprintf(w, "%d of %d targets met\n", met, all)
}

// short formats a figure with a few significant digits.
func short(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return "–"
	case a >= 10_000_000:
		return fmt.Sprintf("%.1fM", v/1e6)
	case a >= 10_000:
		return fmt.Sprintf("%.0fk", v/1e3)
	case a >= 100:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
